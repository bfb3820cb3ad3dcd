#pragma once

#include "pdegcn/data/dataset.h"
#include "pdegcn/data/file.h"
#include "pdegcn/data/splits.h"

namespace pdegcn::data {

// A graph in one .npz with the names of gnn-benchmark (Shchur et al. 2018): the adjacency matrix as
// CSR in adj_data, adj_indices, adj_indptr and adj_shape; features likewise in attr_..., or dense
// in attr_matrix, or none; labels; and, where it is text, class_names. Such files have no splits:
// they are drawn.
Dataset read_gnn_benchmark(const File& file, const RandomSplits& splits = {});

// True when the file is an .npz with the adjacency matrix.
bool is_gnn_benchmark(const File& file);

}  // namespace pdegcn::data
