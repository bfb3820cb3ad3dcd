#include <cstddef>
#include <string_view>
#include <vector>

namespace {

// Each loop reads, in another order, what other threads wrote in the one before.
void clean() {
  std::vector<double> x(10'000), y(10'000);
#pragma omp parallel num_threads(4)
  for (int round = 0; round < 20; ++round) {
#pragma omp for
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i] + 1;
#pragma omp for schedule(dynamic, 100)
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = y[x.size() - 1 - i];
  }
}

void racy() {
  std::size_t shared = 0;
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 1'000; ++i) ++shared;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && arguments[1] == std::string_view("racy")) {
    racy();
  } else {
    clean();
  }
}
