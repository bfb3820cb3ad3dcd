#include "pdegcn/data/npy.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {
namespace {

void convert(const data::ArrayView& array) {
  if (array.dtype.kind == 'S' || array.dtype.kind == 'U')
    array.strings();
  else
    array.as<float>();
}

}  // namespace

void fuzz_npy(const data::File& file) {
  if (!file.content().starts_with("PK")) return convert(data::NpyArray(file).view());
  const data::Npz arrays(file);
  for (const std::string& name : arrays.names()) convert(arrays.at(name).view());
}

}  // namespace pdegcn::tests
