#include "pdegcn/data/pickle.h"

#include <array>
#include <cstring>
#include <span>

namespace pdegcn::data {
namespace {

// The names that a file may mention, as module and name with a newline after each.
enum Name {
  kCsrMatrix,
  kCsrMatrixNew,
  kReconstruct,
  kNdarray,
  kNumpyDType,
  kDefaultDict,
  kListType
};
constexpr std::array<std::string_view, 7> kNames = {
    "scipy.sparse.csr\ncsr_matrix\n",
    "scipy.sparse._csr\ncsr_matrix\n",  // where it lives in newer versions
    "numpy.core.multiarray\n_reconstruct\n",
    "numpy\nndarray\n",
    "numpy\ndtype\n",
    "collections\ndefaultdict\n",
    "__builtin__\nlist\n",
};

// More than any pickler leaves open: they write lists and dictionaries in batches of a thousand.
constexpr std::size_t kMaxStack = 1 << 16;

}  // namespace

// The stack machine that a pickle is a program for.
class Unpickler {
 public:
  explicit Unpickler(Pickle& out) : out_(out), bytes_(out.file_->content()) {
    out_.items_.emplace_back();  // one empty tuple serves all
  }

  void run() {
    for (;;) {
      op_ = at_;
      const unsigned char code = byte();
      switch (code) {
        case 0x80:  // PROTO
          if (byte() != 2) fail("only protocol 2 of pickle is supported");
          break;
        case '(':
          push(Kind::kMark, 0);
          break;
        case ')':
          push(Kind::kTuple, 0);
          break;
        case '}':
          push_items(Kind::kDict, {});
          break;
        case ']':
          push_items(Kind::kList, {});
          break;
        case 't':
          push_items(Kind::kTuple, pop_to_mark());
          break;
        case 0x85:
        case 0x86:
        case 0x87:  // TUPLE1 to TUPLE3
          push_items(Kind::kTuple, pop(code - 0x84));
          break;
        case 'u':
          add_to(Kind::kDict, count_to_mark(), true);
          break;
        case 'a':
          add_to(Kind::kList, 1, false);
          break;
        case 'e':
          add_to(Kind::kList, count_to_mark(), true);
          break;
        case 'q':
          put(byte());
          break;
        case 'r':
          put(little_endian<std::uint32_t>());
          break;
        case 'h':
          push(get(byte()));
          break;
        case 'j':
          push(get(little_endian<std::uint32_t>()));
          break;
        case 'J':
          push(Kind::kInteger, little_endian<std::int32_t>());
          break;
        case 'K':
          push(Kind::kInteger, byte());
          break;
        case 'M':
          push(Kind::kInteger, little_endian<std::uint16_t>());
          break;
        case 'T':
          push_string(little_endian<std::uint32_t>());
          break;
        case 'U':
          push_string(byte());
          break;
        case 'N':
          push(Kind::kNone, 0);
          break;
        case 0x88:
          push(Kind::kBool, 1);
          break;
        case 0x89:
          push(Kind::kBool, 0);
          break;
        case 'c':
          push_name();
          break;
        case 0x81:
          new_object();
          break;
        case 'R':
          reduce();
          break;
        case 'b':
          build();
          break;
        case '.':
          out_.root_ = pop(1)[0];
          if (!stack_.empty()) fail("the stack is not empty at the end");
          if (at_ != bytes_.size()) fail("the file goes on after its end mark");
          return;
        default:
          fail("operation 0x{:02x} of pickle is not allowed here", code);
      }
    }
  }

 private:
  using Kind = Pickle::Kind;
  using Value = Pickle::Value;
  using Values = std::vector<Value>;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    out_.file_->fail_at_byte(op_, format, std::forward<Args>(args)...);
  }

  std::string_view take(std::size_t count) {
    if (count > bytes_.size() - at_) fail("the file ends inside a value");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  unsigned char byte() { return static_cast<unsigned char>(take(1)[0]); }

  template <class T>
  T little_endian() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  void push(Value value) {
    if (stack_.size() == kMaxStack) fail("more than {} values are left open", kMaxStack);
    stack_.push_back(value);
  }
  void push(Kind kind, std::int64_t payload) { push({kind, 0, payload}); }

  void push_items(Kind kind, Values items) {
    if (kind == Kind::kTuple && items.empty()) return push(kind, 0);
    push(kind, static_cast<std::int64_t>(out_.items_.size()));
    out_.items_.push_back(std::move(items));
  }

  void push_string(std::size_t length) {
    push({Kind::kString, static_cast<std::uint32_t>(length), static_cast<std::int64_t>(at_)});
    take(length);
  }

  void push_name() {
    const std::string_view rest = bytes_.substr(at_);
    for (std::size_t k = 0; k < kNames.size(); ++k)
      if (rest.starts_with(kNames[k])) {
        at_ += kNames[k].size();
        return push(Kind::kName, static_cast<std::int64_t>(k));
      }
    fail("the name '{:.60?}' is not allowed", rest.substr(0, rest.find('\n', rest.find('\n') + 1)));
  }

  // The topmost values, lowest first; none may be a mark.
  std::span<const Value> topmost(std::size_t count) const {
    if (stack_.size() < count) fail("the stack is empty");
    const auto values = std::span(stack_).last(count);
    for (const Value value : values)
      if (value.kind == Kind::kMark) fail("a mark where a value is needed");
    return values;
  }

  Values pop(std::size_t count) {
    const auto values = topmost(count);
    Values result(values.begin(), values.end());
    stack_.resize(stack_.size() - count);
    return result;
  }

  std::size_t count_to_mark() const {
    std::size_t count = 0;
    while (count < stack_.size() && stack_[stack_.size() - 1 - count].kind != Kind::kMark) ++count;
    if (count == stack_.size()) fail("there is no mark");
    return count;
  }

  Values pop_to_mark() {
    Values values = pop(count_to_mark());
    stack_.pop_back();
    return values;
  }

  Value& top() {
    if (stack_.empty()) fail("the stack is empty");
    return stack_.back();
  }

  Values& items(Value value, Kind kind, const char* what) {
    if (value.kind != kind) fail("{} is needed here", what);
    return out_.items_[static_cast<std::size_t>(value.payload)];
  }

  // Moves the topmost values, and the mark below them, into the list or dictionary that follows.
  void add_to(Kind kind, std::size_t count, bool mark) {
    const auto values = topmost(count);
    if (stack_.size() < count + mark + 1) fail("the stack is empty");
    if (kind == Kind::kDict && count % 2 != 0) fail("a key has no value");
    Values& to = items(stack_[stack_.size() - count - mark - 1], kind,
                       kind == Kind::kDict ? "a dictionary" : "a list");
    to.insert(to.end(), values.begin(), values.end());
    stack_.resize(stack_.size() - count - mark);
  }

  // Picklers number their memo from 0 or 1 up, so that no number can pass the place in the file.
  void put(std::size_t index) {
    if (index > at_) fail("memo number {} is too large", index);
    if (top().kind == Kind::kMark) fail("a mark cannot be kept");
    if (index >= memo_.size()) memo_.resize(index + 1, {Kind::kMark, 0, 0});
    memo_[index] = top();
  }

  Value get(std::size_t index) {
    if (index >= memo_.size() || memo_[index].kind == Kind::kMark)
      fail("memo number {} was never set", index);
    return memo_[index];
  }

  bool is_name(Value value, Name name) const {
    return value.kind == Kind::kName && value.payload == name;
  }

  void new_object() {
    const Values values = pop(2);
    if (!is_name(values[0], kCsrMatrix) && !is_name(values[0], kCsrMatrixNew))
      fail("only a CSR matrix can be made so");
    if (!items(values[1], Kind::kTuple, "a tuple").empty()) fail("a matrix takes no arguments");
    push(Kind::kMatrix, static_cast<std::int64_t>(out_.matrices_.size()));
    out_.matrices_.emplace_back();
  }

  void reduce() {
    const Values values = pop(2);
    const Value name = values[0];
    const Values& arguments = items(values[1], Kind::kTuple, "a tuple");
    if (is_name(name, kReconstruct) && arguments.size() == 3 && is_name(arguments[0], kNdarray)) {
      // The arguments only say "empty array"; what it holds comes with BUILD.
      push(Kind::kArray, static_cast<std::int64_t>(out_.arrays_.size()));
      out_.arrays_.emplace_back().name = "";
    } else if (is_name(name, kNumpyDType) && arguments.size() == 3 &&
               arguments[0].kind == Kind::kString) {
      DType type;
      try {
        type = DType::parse(out_.string(arguments[0]));
      } catch (const Error& error) {
        fail("{}", error.what());
      }
      push(Kind::kDType, static_cast<std::int64_t>(out_.dtypes_.size()));
      out_.dtypes_.push_back(type);
    } else if (is_name(name, kDefaultDict) && arguments.size() == 1 &&
               is_name(arguments[0], kListType)) {
      push_items(Kind::kDict, {});
    } else {
      fail("a call that is not allowed");
    }
  }

  void build() {
    const Value state = pop(1)[0];
    const Value target = top();
    if (target.kind == Kind::kMatrix) {
      items(state, Kind::kDict, "a dictionary");
      out_.matrices_[static_cast<std::size_t>(target.payload)] = state;
    } else if (target.kind == Kind::kDType) {
      const Values& values = items(state, Kind::kTuple, "a tuple");
      if (values.size() < 2 || values[1].kind != Kind::kString) fail("an unknown kind of dtype");
      const std::size_t size = out_.dtypes_[static_cast<std::size_t>(target.payload)].size;
      if (size > 1 && out_.string(values[1]) != "<") fail("only little-endian arrays can be read");
    } else if (target.kind == Kind::kArray) {
      build_array(out_.arrays_[static_cast<std::size_t>(target.payload)],
                  items(state, Kind::kTuple, "a tuple"));
    } else {
      fail("a state for what has none");
    }
  }

  // (version, shape, dtype, Fortran order, elements)
  void build_array(ArrayView& array, const Values& state) {
    if (state.size() != 5 || state[2].kind != Kind::kDType || state[3].kind != Kind::kBool ||
        state[4].kind != Kind::kString)
      fail("an unknown kind of array");
    array.name = fmt::format("{}: array at byte {}", out_.file_->name(), state[4].payload);
    array.dtype = out_.dtypes_[static_cast<std::size_t>(state[2].payload)];
    array.fortran_order = state[3].payload != 0;
    array.bytes = out_.string(state[4]);
    array.shape.clear();
    for (const Value size : items(state[1], Kind::kTuple, "a tuple")) {
      if (size.kind != Kind::kInteger || array.shape.size() == 32) fail("a strange shape");
      array.shape.push_back(size.payload);
    }
    array.check();
  }

  Pickle& out_;
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t op_ = 0;  // where the present operation begins
  Values stack_;
  Values memo_;
};

Pickle::Pickle(const File& file) : file_(&file) {
  Unpickler(*this).run();
}

std::string_view Pickle::string(Value value) const {
  return file_->content().substr(static_cast<std::size_t>(value.payload), value.length);
}

ArrayView Pickle::array() const {
  if (root_.kind != Kind::kArray || arrays_[static_cast<std::size_t>(root_.payload)].name.empty())
    throw Error("{}: holds no numpy array", file_->name());
  return arrays_[static_cast<std::size_t>(root_.payload)];
}

PickledMatrix Pickle::matrix() const {
  const Value members =
      root_.kind == Kind::kMatrix ? matrices_[static_cast<std::size_t>(root_.payload)] : Value{};
  if (members.kind != Kind::kDict) throw Error("{}: holds no CSR matrix", file_->name());
  const std::vector<Value>& pairs = items_[static_cast<std::size_t>(members.payload)];
  const auto member = [&](std::string_view key, Kind kind) {
    for (std::size_t k = 0; k < pairs.size(); k += 2)
      if (pairs[k].kind == Kind::kString && string(pairs[k]) == key && pairs[k + 1].kind == kind)
        return static_cast<std::size_t>(pairs[k + 1].payload);
    throw Error("{}: the CSR matrix has no {}", file_->name(), key);
  };
  const std::vector<Value>& shape = items_[member("_shape", Kind::kTuple)];
  if (shape.size() != 2 || shape[0].kind != Kind::kInteger || shape[1].kind != Kind::kInteger)
    throw Error("{}: the shape of the matrix is not two numbers", file_->name());
  return {shape[0].payload, shape[1].payload, arrays_[member("indptr", Kind::kArray)],
          arrays_[member("indices", Kind::kArray)], arrays_[member("data", Kind::kArray)]};
}

PickledLists Pickle::lists() const {
  if (root_.kind != Kind::kDict) throw Error("{}: holds no dictionary", file_->name());
  PickledLists result;
  const std::vector<Value>& pairs = items_[static_cast<std::size_t>(root_.payload)];
  for (std::size_t k = 0; k < pairs.size(); k += 2) {
    if (pairs[k].kind != Kind::kInteger || pairs[k + 1].kind != Kind::kList)
      throw Error("{}: entry {} of the dictionary is not a number and a list", file_->name(),
                  k / 2);
    result.keys.push_back(pairs[k].payload);
    for (const Value item : items_[static_cast<std::size_t>(pairs[k + 1].payload)]) {
      if (item.kind != Kind::kInteger)
        throw Error("{}: the list of {} holds something else than whole numbers", file_->name(),
                    pairs[k].payload);
      result.values.push_back(item.payload);
    }
    // One list may be referred to many times, but no file of this kind does that.
    if (result.values.size() > file_->content().size())
      throw Error("{}: the lists are longer than the file", file_->name());
    result.offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

}  // namespace pdegcn::data
