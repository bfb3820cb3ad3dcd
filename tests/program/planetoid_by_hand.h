#pragma once

#include <cstring>
#include <fstream>
#include <stdexcept>

#include "tests/program/forward.h"

// The Planetoid files once more, without a line of the library: a walk over the pickle's opcodes
// that keeps just what these files hold.
namespace pdegcn::tests {

// One thing that a pickle pushes: a whole number, a string of bytes, or an opcode without either.
struct PickleToken {
  char opcode = 0;
  std::int64_t number = 0;
  std::string bytes;
};

inline std::vector<PickleToken> pickle_tokens(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::vector<PickleToken> tokens;
  std::size_t at = 0;
  const auto number = [&](int size) {
    std::uint64_t value = 0;
    std::memcpy(&value, text.data() + at, size);
    at += size;
    return static_cast<std::int64_t>(value);
  };
  const auto line = [&] { at = text.find('\n', at) + 1; };
  while (at < text.size()) {
    PickleToken token{text[at++], 0, {}};
    const char op = token.opcode;
    if (op == 'K' || op == 'q' || op == 'h' || op == '\x80') {
      token.number = number(1);
    } else if (op == 'M') {
      token.number = number(2);
    } else if (op == 'J' || op == 'r') {
      token.number = number(4);
    } else if (op == 'U' || op == 'T') {
      token.bytes.resize(number(op == 'U' ? 1 : 4));
      text.copy(token.bytes.data(), token.bytes.size(), at);
      at += token.bytes.size();
    } else if (op == 'c') {
      line();
      line();
    } else if (!std::strchr("()tbRu]ea}N.\x81\x85\x86\x87\x88\x89", op)) {
      throw std::runtime_error(path.string() + ": opcode " + op);
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// Rows of a scipy CSR matrix of floats: the longest string that follows each of its three names.
inline Table csr_rows(const std::filesystem::path& path, std::size_t columns) {
  std::map<std::string, std::string> fields;
  std::string name;
  for (const PickleToken& token : pickle_tokens(path)) {
    if (token.bytes == "data" || token.bytes == "indices" || token.bytes == "indptr")
      name = token.bytes;
    else if (token.bytes.size() > fields[name].size())
      fields[name] = token.bytes;
  }
  const auto values = [&]<class T>(const char* key, T) {
    std::vector<T> out(fields.at(key).size() / sizeof(T));
    std::memcpy(out.data(), fields.at(key).data(), out.size() * sizeof(T));
    return out;
  };
  const auto data = values("data", float{});
  const auto indices = values("indices", std::int32_t{}), indptr = values("indptr", std::int32_t{});
  Table rows(indptr.size() - 1, std::vector<double>(columns));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::int32_t k = indptr[r]; k < indptr[r + 1]; ++k) rows[r][indices[k]] = data[k];
  return rows;
}

// A dictionary of lists: a key stands before its list is opened, the neighbours behind.
inline std::vector<std::pair<int, int>> adjacency(const std::filesystem::path& path) {
  std::vector<std::pair<int, int>> edges;
  int key = -1, last = -1;
  bool inside = false;
  for (const PickleToken& token : pickle_tokens(path)) {
    if (token.opcode == 'K' || token.opcode == 'M' || token.opcode == 'J') {
      last = static_cast<int>(token.number);
      if (inside) edges.emplace_back(key, last);
    } else if (token.opcode == ']') {
      key = last;
      inside = true;
    } else if (token.opcode == 'e' || token.opcode == 'a') {
      inside = false;
    }
  }
  return edges;
}

struct Planetoid {
  Table x;
  std::vector<std::pair<int, int>> edges;
};

// Features as the network sees them, with rows of sum one, and the edges.
inline Planetoid read_planetoid(const std::filesystem::path& folder, const std::string& name,
                                std::size_t columns) {
  const auto file = [&](const char* part) { return folder / ("ind." + name + "." + part); };
  Planetoid set{csr_rows(file("allx"), columns), adjacency(file("graph"))};
  const Table tx = csr_rows(file("tx"), columns);
  set.x.resize(set.x.size() + tx.size());
  std::ifstream index(file("test.index"));
  std::size_t row = 0;
  for (std::size_t node = 0; index >> node; ++row) set.x.at(node) = tx.at(row);
  for (auto& values : set.x) {
    double sum = 0;
    for (const double value : values) sum += value;
    for (double& value : values) value /= sum > 0 ? sum : 1;
  }
  return set;
}

}  // namespace pdegcn::tests
