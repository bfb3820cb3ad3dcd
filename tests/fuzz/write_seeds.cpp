// Writes the binary seeds of the corpus: write_seeds tests/fuzz/corpus. Those in text are written
// by hand.
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "pdegcn/data/npy.h"
#include "tests/fuzz/mesh_seeds.h"
#include "tests/support/pickle_writer.h"

namespace pdegcn::tests {
namespace {

using data::npy;
using data::npz;

template <class T, std::size_t N>
std::string array(std::vector<std::int64_t> shape, const std::array<T, N>& values) {
  return npy<T>(std::move(shape), values);
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

void write_npy(const std::filesystem::path& folder) {
  const std::string floats = array<float, 6>({2, 3}, {0, 1, -1, 0.5f, 1e30f, 3});
  const std::string bytes = array<std::uint8_t, 4>({4}, {0, 1, 1, 0});
  const std::string longs = array<std::int64_t, 3>({3, 1}, {-1, 0, 1LL << 40});
  write(folder / "good-f4.npy", floats);
  write(folder / "good-u1.npy", bytes);
  write(folder / "good-i8.npy", longs);
  const std::array<double, 6> columns = {0, 10, 1, 11, 2, 12};
  write(folder / "good-fortran.npy",
        npy({"", {'f', 8}, {2, 3}, true, {reinterpret_cast<const char*>(columns.data()), 48}}));
  write(folder / "good-text.npy", npy({"", {'S', 3}, {2}, false, "abcdef"}));
  const std::map<std::string, std::string> all = {{"f", floats}, {"u", bytes}, {"i", longs}};
  write(folder / "good-stored.npz", npz(all, data::Compression::kStored));
  write(folder / "good-deflated.npz", npz(all));
}

void write_gnn_benchmark(const std::filesystem::path& folder) {
  std::map<std::string, std::string> arrays = {
      {"adj_data", array<float, 4>({4}, {1, 1, 0, 1})},
      {"adj_indices", array<std::int32_t, 4>({4}, {1, 0, 2, 1})},
      {"adj_indptr", array<std::int32_t, 4>({4}, {0, 1, 3, 4})},
      {"adj_shape", array<std::int64_t, 2>({2}, {3, 3})},
      {"labels", array<std::int64_t, 3>({3}, {1, 0, 1})}};
  write(folder / "good-bare.npz", npz(arrays, data::Compression::kStored));
  arrays["attr_data"] = array<float, 2>({2}, {5, 6});
  arrays["attr_indices"] = array<std::int32_t, 2>({2}, {1, 0});
  arrays["attr_indptr"] = array<std::int32_t, 4>({4}, {0, 1, 1, 2});
  arrays["attr_shape"] = array<std::int64_t, 2>({2}, {3, 2});
  write(folder / "good-features.npz", npz(arrays));
}

void write_pickle(const std::filesystem::path& folder) {
  const std::array<std::int32_t, 6> one_hot = {1, 0, 0, 1, 0, 0};
  write(folder / "good-array",
        PickleWriter::file(PickleWriter::array<std::int32_t>({3, 2}, one_hot, "i4")));
  const std::array<float, 4> columns = {0, 1, 2, 3};
  write(folder / "good-fortran",
        PickleWriter::file(PickleWriter::array<float>({2, 2}, columns, "f4", true)));
  write(folder / "good-matrix",
        PickleWriter::file(PickleWriter::matrix(300, {{{0, 1}, {299, 0.5f}}, {}, {{7, 2}}})));
  write(
      folder / "good-graph",
      PickleWriter::file(PickleWriter::lists({{0, {1, 2, 2}}, {1, {0}}, {300, {}}, {2, {70000}}})));
  write(folder / "bad-name",
        PickleWriter::file("cos\nsystem\n" + PickleWriter::string("true") + "\x85R"));
}

}  // namespace
}  // namespace pdegcn::tests

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_seeds CORPUS\n";
    return 2;
  }
  const std::filesystem::path corpus = argv[1];
  pdegcn::tests::write_npy(corpus / "npy");
  pdegcn::tests::write_gnn_benchmark(corpus / "gnn_benchmark");
  pdegcn::tests::write_pickle(corpus / "pickle");
  pdegcn::tests::write_mesh_seeds(corpus);
}
