#include "pdegcn/data/pickle.h"
#include "pdegcn/data/sparse.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_pickle(const data::File& file) {
  const data::Pickle pickle(file);
  int kinds = 0;
  const auto attempt = [&kinds](auto read) {
    try {
      read();
      ++kinds;
    } catch (const Error&) {  // it holds one of three kinds of things
    }
  };
  attempt([&] { pickle.array().as<std::int32_t>(); });
  attempt([&] { pickle.lists(); });
  attempt([&] {
    const data::PickledMatrix m = pickle.matrix();
    data::sparse_matrix(m.rows, m.cols, m.offsets, m.columns, m.values);
  });
  if (kinds != 1) throw Error("{}: nothing that is known", file.name());
}

}  // namespace pdegcn::tests
