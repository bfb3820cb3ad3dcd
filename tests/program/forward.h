#pragma once

#include <cmath>
#include <cstring>
#include <set>

#include "tests/program/program.h"

// The networks for node classification once more, in double, straight from the formulas and without
// a line of the library: what its answers are held against.
namespace pdegcn::tests {

using Table = std::vector<std::vector<double>>;

// A safetensors file, read by hand.
struct TensorFile {
  nlohmann::json metadata;
  std::map<std::string, std::vector<std::int64_t>> shape;
  std::map<std::string, std::vector<float>> values;

  explicit TensorFile(const std::filesystem::path& path) {
    const std::string bytes = read_text(path);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    const auto header = nlohmann::json::parse(bytes.substr(8, length));
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        metadata = entry;
        continue;
      }
      const std::size_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
      shape[name] = entry["shape"].get<std::vector<std::int64_t>>();
      values[name].resize((end - begin) / 4);
      std::memcpy(values[name].data(), bytes.data() + 8 + length + begin, end - begin);
    }
  }

  // A matrix; of a stack of them, the one at that place.
  Table matrix(const std::string& name, std::int64_t at = 0) const {
    const auto& s = shape.at(name);
    const std::int64_t rows = s[s.size() - 2], cols = s[s.size() - 1];
    Table m(rows, std::vector<double>(cols));
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) m[i][j] = values.at(name)[(at * rows + i) * cols + j];
    return m;
  }
};

inline Table times_transposed(const Table& x, const Table& w) {
  Table y(x.size(), std::vector<double>(w.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t o = 0; o < w.size(); ++o)
      for (std::size_t k = 0; k < w[o].size(); ++k) y[i][o] += x[i][k] * w[o][k];
  return y;
}

// Logits of D, H and M with tanh and metropolis weights, by the literal edge-space formula.
inline Table forward_by_hand(const Table& x, const std::vector<std::pair<int, int>>& given,
                             const TensorFile& file) {
  const auto config = nlohmann::json::parse(file.metadata["config"].get<std::string>());
  const std::string model = config["model"];
  const double h = config["step"];
  const int layers = config["layers"];
  const double beta = model == "m" ? file.values.at("pde.beta")[0] : 0;
  const double alpha = 1 / (1 + std::exp(-beta));

  std::set<std::pair<int, int>> edges;
  for (const auto& [i, j] : given)
    if (i != j) edges.insert({std::min(i, j), std::max(i, j)});
  std::vector<double> d(x.size(), 1);
  for (const auto& [i, j] : edges) d[i] += 1, d[j] += 1;

  Table f = times_transposed(x, file.matrix("opening.weight"));
  for (auto& row : f)
    for (double& value : row) value = std::max(value, 0.0);
  Table before = f;
  const std::size_t c = f.front().size();
  for (int l = 0; l < layers; ++l) {
    const Table K = file.matrix("pde.K", file.shape.at("pde.K")[0] == 1 ? 0 : l);
    Table r(f.size(), std::vector<double>(c));
    for (const auto& [i, j] : edges) {
      const double gamma = 1 / std::sqrt(std::max(d[i], d[j]));
      std::vector<double> flux(c);
      for (std::size_t o = 0; o < c; ++o) {
        double sum = 0;
        for (std::size_t k = 0; k < c; ++k) sum += K[o][k] * gamma * (f[i][k] - f[j][k]);
        flux[o] = std::tanh(sum);
      }
      for (std::size_t k = 0; k < c; ++k) {
        double sum = 0;
        for (std::size_t o = 0; o < c; ++o) sum += K[o][k] * flux[o];
        r[i][k] += gamma * sum;
        r[j][k] -= gamma * sum;
      }
    }
    Table next = f;
    for (std::size_t v = 0; v < f.size(); ++v)
      for (std::size_t k = 0; k < c; ++k) {
        const double now = f[v][k], old = before[v][k], rate = r[v][k];
        next[v][k] = model == "d" ? now - h * rate
                     : model == "h"
                         ? 2 * now - old - h * h * rate
                         : (2 * alpha * now - alpha * old + h * (1 - alpha) * now - h * h * rate) /
                               (alpha + h * (1 - alpha));
      }
    before = f;
    f = next;
  }
  return times_transposed(f, file.matrix("closing.weight"));
}

// Rows of numbers after a head; the first `skip` columns are left out.
inline Table read_csv(const std::string& text, int skip) {
  Table rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    rows.emplace_back();
    std::istringstream fields(line);
    std::string field;
    for (int k = 0; std::getline(fields, field, ','); ++k)
      if (k >= skip) rows.back().push_back(std::stod(field));
  }
  return rows;
}

}  // namespace pdegcn::tests
