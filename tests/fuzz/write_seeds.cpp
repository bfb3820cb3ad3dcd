// Writes the binary seeds of the corpus: write_seeds tests/fuzz/corpus. Those in text are written
// by hand.
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "pdegcn/data/npy.h"

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

}  // namespace
}  // namespace pdegcn::tests

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_seeds CORPUS\n";
    return 2;
  }
  const std::filesystem::path corpus = argv[1];
  pdegcn::tests::write_npy(corpus / "npy");
}
