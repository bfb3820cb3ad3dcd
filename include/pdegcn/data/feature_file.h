#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pdegcn/data/dataset.h"
#include "pdegcn/data/file.h"

namespace pdegcn::data {

// Node features as a file holds them. The views are into the file.
struct FeatureTable {
  Features features;
  std::vector<std::string_view> ids;     // of the rows; empty when rows are nodes 0, 1, ...
  std::vector<std::string_view> labels;  // of the rows, from svmlight; else empty
};

// By the ending of the name:
//   .npy                  a matrix of numbers (dense)
//   .npz                  a CSR matrix as scipy.sparse.save_npz writes it, or one dense array
//   .svm .svmlight .libsvm "label index:value ..." per row (sparse); indices count from 1, or from
//   0
//                         when a 0 is among them
//   .csv .tsv .txt        a table of numbers (dense), with ids in the first column when that has no
//                         numbers or its heading is id, node, name or the like
// `heading` says whether a table has one, instead of a judgement by its rows.
FeatureTable read_features(const File& file, std::optional<bool> heading = {});

// The endings, in the order in which a folder is searched.
inline constexpr std::string_view kFeatureEndings[] = {".csv", ".tsv",      ".txt",    ".npy",
                                                       ".npz", ".svmlight", ".libsvm", ".svm"};

}  // namespace pdegcn::data
