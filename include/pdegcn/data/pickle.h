#pragma once

#include <cstdint>
#include <vector>

#include "pdegcn/data/file.h"
#include "pdegcn/data/npy.h"

namespace pdegcn::data {

// A CSR matrix of scipy; the arrays are not yet checked against each other.
struct PickledMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  ArrayView offsets;
  ArrayView columns;
  ArrayView values;
};

// A dictionary of lists, all integers: keys[k] stands for values offsets[k] to offsets[k + 1].
struct PickledLists {
  std::vector<std::int64_t> keys;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> values;
};

// A Python pickle of protocol 2 that holds one of three things: a numpy array, a scipy CSR matrix,
// or a dictionary of lists of integers. These are what the Planetoid files consist of.
//
// Nothing is ever executed: the few names that such files use stand for plain data here, and every
// other name or operation is an error. Strings stay where they are in the file, so memory follows
// the number of operations, of which each takes a byte of the file at least. `file` must outlive
// the result and all arrays taken from it.
class Pickle {
 public:
  explicit Pickle(const File& file);

  // What it holds; throws Error when that is something else.
  ArrayView array() const;
  PickledMatrix matrix() const;
  PickledLists lists() const;

 private:
  friend class Unpickler;

  enum class Kind : std::uint8_t {
    kNone,
    kBool,
    kInteger,
    kString,  // payload: where it begins in the file
    kTuple,   // payload: an index into items_
    kList,
    kDict,    // keys and values alternate
    kName,    // payload: which of the allowed names
    kDType,   // payload: an index into dtypes_
    kArray,   // payload: an index into arrays_
    kMatrix,  // payload: an index into matrices_
    kMark,
  };
  struct Value {
    Kind kind = Kind::kNone;
    std::uint32_t length = 0;  // of a string
    std::int64_t payload = 0;
  };

  std::string_view string(Value value) const;

  const File* file_;
  std::vector<std::vector<Value>> items_;
  std::vector<DType> dtypes_;
  std::vector<ArrayView> arrays_;
  std::vector<Value> matrices_;  // each the dictionary of its members, or none
  Value root_;
};

}  // namespace pdegcn::data
