#include "pdegcn/data/feature_file.h"
#include "tests/fuzz/targets.h"

namespace pdegcn::tests {

void fuzz_svmlight(const data::File& file) {
  data::read_features(data::File("features.svm", std::string(file.content())));
}

}  // namespace pdegcn::tests
