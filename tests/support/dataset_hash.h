#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "pdegcn/data/dataset.h"

namespace pdegcn::tests {

// A number that follows from every byte of a data set's content (64-bit FNV-1a), to pin down what a
// generator makes.
class DatasetHash {
 public:
  explicit DatasetHash(const data::Dataset& set) {
    for (const data::Sample& s : set.samples) {
      add(s.graph.num_nodes());
      for (const Edge e : s.graph.edges()) add(e.i), add(e.j);
      if (const auto* dense = std::get_if<data::DenseMatrix>(&s.features)) add_all(dense->values);
      if (const auto* sparse = std::get_if<data::SparseMatrix>(&s.features)) {
        add_all(sparse->offsets);
        add_all(sparse->columns);
        add_all(sparse->values);
      }
      add_all(s.edge_attributes.odd.values);
      add_all(s.edge_attributes.even.values);
      add_all(s.positions);
      for (const Triangle& t : s.triangles) add_all(t);
    }
    if (const auto* t = std::get_if<data::NodeLabels>(&set.targets)) add_all(t->label);
    if (const auto* t = std::get_if<data::GraphLabels>(&set.targets)) add_all(t->label);
    if (const auto* t = std::get_if<data::NodeMultiLabels>(&set.targets)) add_all(t->values);
    for (const data::Split& s : set.splits)
      add_all(s.train), add_all(s.validation), add_all(s.test);
  }

  std::uint64_t value() const { return hash_; }

 private:
  template <class T>
  void add(T value) {
    std::uint64_t bits = 0;
    if constexpr (std::is_same_v<T, float>)
      bits = std::bit_cast<std::uint32_t>(value);
    else
      bits = static_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8)
      hash_ = (hash_ ^ (bits & 0xFF)) * 0x100000001B3;
  }

  template <class Values>
  void add_all(const Values& values) {
    add(values.size());
    for (const auto value : values) add(value);
  }

  std::uint64_t hash_ = 0xCBF29CE484222325;
};

}  // namespace pdegcn::tests
