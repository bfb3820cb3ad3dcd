#pragma once

#include <filesystem>

#include "pdegcn/data/dataset.h"

namespace pdegcn::data {

// The 24 protein-protein interaction graphs of GraphSAGE (Hamilton et al. 2017): one sample each, a
// split "public" of 20, 2 and 2 graphs, 50 features and 121 labels. The folder may hold one of
//   GraphSAGE's files ppi-G.json, ppi-feats.npy, ppi-class_map.json and ppi-id_map.json;
//   DGL's files {train,valid,test}_{graph.json,feats.npy,labels.npy,graph_id.npy};
//   edges.npy, feats_u8.npy, graph_id.npy, graphs.tsv and labels_u8.npy or, in place of the
//   last, standin_labels_u8.npy: labels of the right size that are not the original ones, and the
//   data set is then called ppi_standin.
//
// Features are standardised by mean and population standard deviation of the training nodes;
// columns that are constant there are only centred.
Dataset read_ppi(const std::filesystem::path& folder);

// True when the folder holds one of these.
bool is_ppi(const std::filesystem::path& folder);

}  // namespace pdegcn::data
