#include "pdegcn/data/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

namespace pdegcn::data {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in files");

constexpr std::string_view kMagic = "\x93NUMPY";

// A walk through the header, a Python dictionary with three entries.
class Header {
 public:
  Header(const File& file, std::size_t begin, std::size_t end)
      : file_(&file), at_(begin), end_(end) {}

  void read(ArrayView& array) {
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !have_descr) {
        have_descr = true;
        array.dtype = dtype();
      } else if (key == "fortran_order" && !have_order) {
        have_order = true;
        array.fortran_order = boolean();
      } else if (key == "shape" && !have_shape) {
        have_shape = true;
        array.shape = shape();
      } else {
        fail("'{:.40}' in the header is unknown or there twice", key);
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != end_) fail("something follows the header's dictionary");
    if (!have_descr || !have_order || !have_shape)
      fail("the header lacks descr, fortran_order or shape");
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    file_->fail_at_byte(at_, format, std::forward<Args>(args)...);
  }

  char peek() const { return at_ < end_ ? file_->content()[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < end_ && (peek() == ' ' || peek() == '\n')) ++at_;
  }

  bool take(char wanted) {
    skip_blanks();
    if (at_ == end_ || peek() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) fail("'{}' is missing in the header", wanted);
  }

  std::string_view string() {
    skip_blanks();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a quoted word is missing in the header");
    const std::string_view rest = file_->content().substr(at_ + 1, end_ - at_ - 1);
    const std::size_t length = rest.find(quote);
    if (length == std::string_view::npos) fail("a quote in the header does not end");
    at_ += length + 2;
    return rest.substr(0, length);
  }

  DType dtype() {
    skip_blanks();
    if (peek() == '[') fail("records (arrays with named fields) cannot be read");
    const std::size_t begin = at_;
    const std::string_view spelling = string();
    try {
      return DType::parse(spelling);
    } catch (const Error& error) {
      at_ = begin;
      fail("{}", error.what());
    }
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"False", "True"})
      if (file_->content().substr(at_, end_ - at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    fail("fortran_order is neither True nor False");
  }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> sizes;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      const char* begin = file_->content().data() + at_;
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(begin, file_->content().data() + end_, size);
      if (error != std::errc{} || size < 0) fail("a size in the shape is no whole number in range");
      if (sizes.size() == 32) fail("the array has more than 32 dimensions");
      sizes.push_back(size);
      at_ += static_cast<std::size_t>(end - begin);
      if (peek() == 'L') ++at_;  // Python 2 wrote long integers so
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  const File* file_;
  std::size_t at_;
  std::size_t end_;
};

float half_to_float(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const float sign = half >> 15 ? -1.0f : 1.0f;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 31)
    return sign * (fraction == 0 ? std::numeric_limits<float>::infinity()
                                 : std::numeric_limits<float>::quiet_NaN());
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

struct Half {
  std::uint16_t bits;
};
struct Bool {
  std::uint8_t byte;
};

// The value as the wanted type, or nothing when that cannot hold it.
template <class T, class S>
std::optional<T> converted(S value) {
  if constexpr (std::is_same_v<S, Half>) {
    return converted<T>(half_to_float(value.bits));
  } else if constexpr (std::is_same_v<S, Bool>) {
    if (value.byte > 1) return std::nullopt;
    return static_cast<T>(value.byte);
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<S>) {
    if (!std::in_range<T>(value)) return std::nullopt;
    return static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    // Both bounds are exact as floating point: the upper one is a power of two.
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (!(value >= low && value < high) || value != std::trunc(value)) return std::nullopt;
    return static_cast<T>(value);
  } else {
    const T result = static_cast<T>(value);
    if constexpr (std::is_floating_point_v<S>)
      if (std::isfinite(value) && !std::isfinite(result)) return std::nullopt;
    return result;
  }
}

template <class S>
std::string shown(S value) {
  if constexpr (std::is_same_v<S, Half>)
    return fmt::format("{}", half_to_float(value.bits));
  else if constexpr (std::is_same_v<S, Bool>)
    return fmt::format("{}", value.byte);
  else
    return fmt::format("{}", value);
}

// Calls use(k, at) for the k-th element in C order, which lies at place `at` in the file.
template <class Use>
void for_each_place(const ArrayView& array, Use use) {
  const std::int64_t count = array.count();
  if (!array.fortran_order || array.dim() < 2) {
    for (std::int64_t k = 0; k < count; ++k) use(k, k);
    return;
  }
  const std::size_t dim = array.shape.size();
  std::vector<std::int64_t> stride(dim, 1), index(dim, 0);
  for (std::size_t d = 1; d < dim; ++d) stride[d] = stride[d - 1] * array.shape[d - 1];
  std::int64_t at = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    use(k, at);
    for (std::size_t d = dim; d-- > 0;) {
      at += stride[d];
      if (++index[d] < array.shape[d]) break;
      at -= stride[d] * array.shape[d];
      index[d] = 0;
    }
  }
}

template <class T, class S>
std::vector<T> convert(const ArrayView& array) {
  std::vector<T> values(static_cast<std::size_t>(array.count()));
  if constexpr (std::is_same_v<T, S>)
    if (!array.fortran_order || array.dim() < 2) {
      if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
      return values;
    }
  for_each_place(array, [&](std::int64_t k, std::int64_t at) {
    S value;
    std::memcpy(&value, array.bytes.data() + static_cast<std::size_t>(at) * sizeof(S), sizeof(S));
    const std::optional<T> result = converted<T>(value);
    if (!result)
      throw Error("{}: element {} is {}, which is no {}", array.name, k, shown(value),
                  std::is_integral_v<T>
                      ? fmt::format("whole number in {}..{}", std::numeric_limits<T>::min(),
                                    std::numeric_limits<T>::max())
                      : std::string("number that fits"));
    values[static_cast<std::size_t>(k)] = *result;
  });
  return values;
}

void append_utf8(std::string& text, char32_t c) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += {static_cast<char>(0xC0 | c >> 6), tail(0)};
  } else if (c < 0x10000) {
    text += {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
  }
}

}  // namespace

DType DType::parse(std::string_view spelling) {
  std::string_view rest = spelling;
  char order = '=';
  if (!rest.empty() && std::string_view("<>=|").find(rest.front()) != std::string_view::npos) {
    order = rest.front();
    rest.remove_prefix(1);
  }
  DType type;
  type.kind = rest.empty() ? '\0' : rest.front();
  if (type.kind == 'O') throw Error("Python objects (dtype '{:.20}') cannot be read", spelling);
  rest.remove_prefix(rest.empty() ? 0 : 1);
  std::uint32_t size = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  const bool number = error == std::errc{} && end == rest.data() + rest.size();
  const auto one_of = [size](std::initializer_list<std::uint32_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
  };
  const bool known = (type.kind == 'b' && one_of({1})) ||
                     ((type.kind == 'i' || type.kind == 'u') && one_of({1, 2, 4, 8})) ||
                     (type.kind == 'f' && one_of({2, 4, 8})) ||
                     (type.kind == 'c' && one_of({8, 16})) ||
                     ((type.kind == 'S' || type.kind == 'U') && size > 0 && size < 1u << 28);
  if (!number || !known) throw Error("dtype '{:.20}' is not supported", spelling);
  type.size = type.kind == 'U' ? std::size_t{4} * size : size;
  if (order == '>' && type.kind != 'S' && type.size > 1)
    throw Error("big-endian arrays (dtype '{:.20}') cannot be read", spelling);
  return type;
}

std::string DType::spelling() const {
  const bool bytes = kind == 'S' || size == 1;
  return fmt::format("{}{}{}", bytes ? '|' : '<', kind, kind == 'U' ? size / 4 : size);
}

std::int64_t ArrayView::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

void ArrayView::check() const {
  auto wanted = static_cast<std::int64_t>(dtype.size);
  for (const std::int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(wanted, size, &wanted))
      throw Error("{}: the shape ({}) is not possible", name, fmt::join(shape, ", "));
  if (wanted != static_cast<std::int64_t>(bytes.size()))
    throw Error("{}: {} bytes of elements, but shape ({}) of {} needs {}", name, bytes.size(),
                fmt::join(shape, ", "), dtype.spelling(), wanted);
}

void ArrayView::expect_shape(std::span<const std::int64_t> wanted) const {
  bool same = wanted.size() == shape.size();
  for (std::size_t d = 0; same && d < wanted.size(); ++d)
    same = wanted[d] == -1 || wanted[d] == shape[d];
  if (same) return;
  std::string sizes;
  for (const std::int64_t size : wanted)
    sizes += (sizes.empty() ? "" : ", ") + (size == -1 ? "any" : std::to_string(size));
  throw Error("{}: the shape is ({}) where ({}) is needed", name, fmt::join(shape, ", "), sizes);
}

template <class T>
std::vector<T> ArrayView::as() const {
  const auto is = [this](char kind, std::size_t size) {
    return dtype.kind == kind && dtype.size == size;
  };
  if (is('b', 1)) return convert<T, Bool>(*this);
  if (is('i', 1)) return convert<T, std::int8_t>(*this);
  if (is('i', 2)) return convert<T, std::int16_t>(*this);
  if (is('i', 4)) return convert<T, std::int32_t>(*this);
  if (is('i', 8)) return convert<T, std::int64_t>(*this);
  if (is('u', 1)) return convert<T, std::uint8_t>(*this);
  if (is('u', 2)) return convert<T, std::uint16_t>(*this);
  if (is('u', 4)) return convert<T, std::uint32_t>(*this);
  if (is('u', 8)) return convert<T, std::uint64_t>(*this);
  if (is('f', 2)) return convert<T, Half>(*this);
  if (is('f', 4)) return convert<T, float>(*this);
  if (is('f', 8)) return convert<T, double>(*this);
  throw Error("{}: holds {} where real numbers are needed", name, dtype.spelling());
}

template std::vector<std::uint8_t> ArrayView::as() const;
template std::vector<std::int32_t> ArrayView::as() const;
template std::vector<std::int64_t> ArrayView::as() const;
template std::vector<float> ArrayView::as() const;
template std::vector<double> ArrayView::as() const;

std::vector<std::string> ArrayView::strings() const {
  if (dtype.kind != 'S' && dtype.kind != 'U')
    throw Error("{}: holds {} where text is needed", name, dtype.spelling());
  std::vector<std::string> texts(static_cast<std::size_t>(count()));
  for_each_place(*this, [&](std::int64_t k, std::int64_t at) {
    const std::string_view item =
        bytes.substr(static_cast<std::size_t>(at) * dtype.size, dtype.size);
    std::string& text = texts[static_cast<std::size_t>(k)];
    if (dtype.kind == 'S') text = item;
    for (std::size_t c = 0; dtype.kind == 'U' && c < item.size(); c += 4) {
      std::uint32_t code;
      std::memcpy(&code, item.data() + c, 4);
      if (code > 0x10FFFF) throw Error("{}: element {} is not text", name, k);
      append_utf8(text, code);
    }
    text.erase(text.find_last_not_of('\0') + 1);  // short texts are filled up with zeros
  });
  return texts;
}

NpyArray::NpyArray(File file) : file_(std::move(file)) {
  const std::string_view bytes = file_.content();
  header_.name = file_.name();
  if (!bytes.starts_with(kMagic)) file_.fail_at_byte(0, "this is not an .npy file");
  const auto byte = [&](std::size_t at) -> std::size_t {
    if (at >= bytes.size()) file_.fail_at_byte(bytes.size(), "the file ends inside its header");
    return static_cast<unsigned char>(bytes[at]);
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) file_.fail_at_byte(6, "version {} of .npy is unknown", version);
  std::size_t begin = 10;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) {
    begin = 12;
    length |= byte(10) << 16 | byte(11) << 24;
  }
  if (length > bytes.size() - begin)
    file_.fail_at_byte(8, "the header is to have {} bytes, but the file ends after {}", length,
                       bytes.size() - begin);
  start_ = begin + length;
  Header(file_, begin, start_).read(header_);
  view().check();
}

ArrayView NpyArray::view() const {
  ArrayView array = header_;
  array.bytes = file_.content().substr(start_);
  return array;
}

Npz::Npz(const File& file) : name_(file.name()) {
  for (ArchiveMember& member : read_archive(file)) {
    if (!member.path.ends_with(".npy")) throw Error("{}: not an array (.npy)", member.file.name());
    member.path.erase(member.path.size() - 4);
    if (!members_.emplace(member.path, std::move(member.file)).second)
      throw Error("{}: array '{}' is there twice", name_, member.path);
  }
}

std::vector<std::string> Npz::names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : members_) names.push_back(name);
  return names;
}

NpyArray Npz::at(const std::string& array) const {
  const auto found = members_.find(array);
  if (found == members_.end())
    throw Error("{}: there is no array '{}', only {}", name_, array, fmt::join(names(), ", "));
  return NpyArray(found->second);
}

std::string npy(const ArrayView& array) {
  array.check();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}",
                                   array.dtype.spelling(), array.fortran_order ? "True" : "False",
                                   fmt::join(array.shape, ", "), array.dim() == 1 ? "," : "");
  // Elements start at a multiple of 64 bytes; a newline ends the header.
  const std::size_t start = (kMagic.size() + 4 + header.size() + 1 + 63) / 64 * 64;
  const std::size_t length = start - kMagic.size() - 4;
  header.resize(length - 1, ' ');
  std::string bytes(kMagic);
  bytes += {1, 0, static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  bytes.append(header).append("\n").append(array.bytes);
  return bytes;
}

template <class T>
std::string npy(const std::vector<std::int64_t>& shape, std::span<const T> values) {
  constexpr char kKind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return npy(ArrayView{
      .name = "array",
      .dtype = {kKind, sizeof(T)},
      .shape = shape,
      .bytes = {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}});
}

template std::string npy(const std::vector<std::int64_t>&, std::span<const std::int8_t>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const std::int16_t>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const std::int32_t>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const std::int64_t>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const std::uint8_t>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const std::uint16_t>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const std::uint32_t>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const std::uint64_t>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const float>);
template std::string npy(const std::vector<std::int64_t>&, std::span<const double>);

std::string npz(const std::map<std::string, std::string>& arrays, Compression compression) {
  std::vector<ArchiveMember> members;
  members.reserve(arrays.size());
  for (const auto& [name, bytes] : arrays) members.push_back({name + ".npy", File(name, bytes)});
  return zip(members, compression);
}

}  // namespace pdegcn::data
