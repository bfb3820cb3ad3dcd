#include "pdegcn/report/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "pdegcn/report/atomic_file.h"
#include "pdegcn/report/crc32c.h"

namespace pdegcn::report {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the layout is little-endian");

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::string_view kChecksum = "crc32c";
// As it stands in the header. Nothing else can look like this: quotes within a JSON string are
// escaped, and a tensor of this name is followed by a brace.
constexpr std::string_view kChecksumMark = "\"crc32c\":\"";
constexpr std::string_view kChecksumZero = "00000000";
// Room for a hundred thousand tensors, and little enough to parse whatever it holds.
constexpr std::uint64_t kMaxHeader = std::uint64_t{16} << 20;

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DTypeInfo, 6> kDTypes{{{DType::kU8, "U8", 1},
                                            {DType::kI32, "I32", 4},
                                            {DType::kI64, "I64", 8},
                                            {DType::kU64, "U64", 8},
                                            {DType::kF32, "F32", 4},
                                            {DType::kF64, "F64", 8}}};

const DTypeInfo& info(DType dtype) {
  return kDTypes[static_cast<std::size_t>(dtype)];
}

// The bytes of a tensor of that shape; false when they are too many to count.
bool byte_count(std::span<const std::int64_t> shape, DType dtype, std::uint64_t& bytes) {
  bytes = size_of(dtype);
  // A zero anywhere makes it empty, however large the other sides are.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) bytes = 0;
  for (const std::int64_t side : shape)
    if (side < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(side), &bytes))
      return false;
  return true;
}

std::string_view view(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
}

void check(const std::string& name, const Tensor& tensor) {
  std::uint64_t bytes = 0;
  if (name == kMetadata) throw Error("'{}' cannot be the name of a tensor", kMetadata);
  if (!byte_count(tensor.shape, tensor.dtype, bytes) || bytes != tensor.bytes.size())
    throw Error("tensor '{}' of type {} and shape [{}] cannot have {} bytes", name,
                name_of(tensor.dtype), fmt::join(tensor.shape, ", "), tensor.bytes.size());
}

// Calls `use` with the pieces of the file: its length and header, then the data of each tensor.
template <class Use>
auto with_pieces(const Safetensors& content, const Use& use) {
  if (content.metadata.contains(std::string(kChecksum)))
    throw Error("'{}' is the checksum's own name in the metadata", kChecksum);
  // Large elements first: then each tensor starts at a multiple of its element size.
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& entry : content.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return size_of(a->second.dtype) > size_of(b->second.dtype);
  });

  std::vector<std::string_view> pieces(1);
  Json header = Json::object();
  header[kMetadata] = content.metadata;
  header[kMetadata][kChecksum] = kChecksumZero;
  std::uint64_t offset = 0;
  for (const auto* entry : order) {
    const auto& [name, tensor] = *entry;
    check(name, tensor);
    const std::uint64_t end = offset + tensor.bytes.size();
    header[name] = {
        {"dtype", name_of(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    pieces.push_back(view(tensor));
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception&) {
    throw Error("a name or an entry of the metadata is not valid UTF-8 text");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxHeader) throw Error("too many tensors or too much metadata for one file");

  const std::uint64_t length = text.size();
  std::string head(reinterpret_cast<const char*>(&length), sizeof length);
  head += text;
  pieces.front() = head;
  std::uint32_t crc = 0;
  for (const std::string_view piece : pieces) crc = crc32c(piece, crc);
  head.replace(head.find(kChecksumMark) + kChecksumMark.size(), kChecksumZero.size(),
               fmt::format("{:08x}", crc));
  return use(pieces);
}

// Parses the header. JSON libraries let a name stand twice and keep one of the two; here that would
// be a way to show different readers different weights.
Json parse_header(const data::File& file, std::string_view text) {
  std::vector<std::set<std::string>> names;  // of the objects that are open
  int arrays = 0;
  const auto watch = [&](int, Json::parse_event_t event, const Json& value) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end) names.pop_back();
    if (event == Event::array_start) ++arrays;
    if (event == Event::array_end) --arrays;
    if (names.size() + arrays > 3) throw Error("{}: the header is nested too deeply", file.name());
    if (event == Event::key && !names.back().insert(value.get<std::string>()).second)
      throw Error("{}: '{:.80}' stands twice in the header", file.name(), value.get<std::string>());
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::parse_error& error) {
    file.fail_at_byte(8 + error.byte, "the header is not valid JSON");
  } catch (const Json::exception&) {
    file.fail_at_byte(8, "the header holds a number that is out of range");
  }
}

struct Entry {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string name;
  Tensor tensor;  // its bytes not yet filled in
};

Entry parse_entry(const data::File& file, const std::string& name, const Json& value) {
  const auto fail = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    throw Error("{}: tensor '{:.80}': {}", file.name(), name,
                fmt::format(format, std::forward<Args>(args)...));
  };
  const auto numbers = [&](const char* key) {
    std::vector<std::int64_t> out;
    const auto found = value.find(key);
    if (found == value.end() || !found->is_array()) fail("'{}' is not a list", key);
    for (const Json& number : *found) {
      if (!number.is_number_unsigned() || number.get<std::uint64_t>() > INT64_MAX)
        fail("'{}' holds something other than whole numbers from 0 up", key);
      out.push_back(number.get<std::int64_t>());
    }
    return out;
  };
  if (!value.is_object()) fail("its description is not an object");
  Entry entry;
  entry.name = name;
  const auto dtype = value.find("dtype");
  if (dtype == value.end() || !dtype->is_string()) fail("'dtype' is not a text");
  const auto known = std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeInfo& candidate) {
    return candidate.name == dtype->get_ref<const std::string&>();
  });
  if (known == kDTypes.end())
    fail("type '{:.20}' is not one of U8, I32, I64, U64, F32, F64", dtype->get<std::string>());
  entry.tensor.dtype = known->dtype;
  entry.tensor.shape = numbers("shape");
  const std::vector<std::int64_t> offsets = numbers("data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    fail("'data_offsets' are not a begin and an end");
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  std::uint64_t bytes = 0;
  if (!byte_count(entry.tensor.shape, entry.tensor.dtype, bytes) ||
      bytes != entry.end - entry.begin)
    fail("{} bytes of data do not fit type {} and shape [{}]", entry.end - entry.begin,
         name_of(entry.tensor.dtype), fmt::join(entry.tensor.shape, ", "));
  return entry;
}

// Verifies the checksum in the metadata and takes it out; false when there is none.
bool take_checksum(const data::File& file, std::map<std::string, std::string>& metadata) {
  const auto found = metadata.find(std::string(kChecksum));
  if (found == metadata.end()) return false;
  const std::string_view bytes = file.content();
  const std::size_t mark = bytes.find(kChecksumMark);
  std::uint32_t crc = 0;
  if (mark != std::string_view::npos) {
    const std::size_t digits = mark + kChecksumMark.size();
    crc = crc32c(bytes.substr(0, digits));
    crc = crc32c(kChecksumZero, crc);
    crc = crc32c(bytes.substr(std::min(digits + kChecksumZero.size(), bytes.size())), crc);
  }
  if (found->second != fmt::format("{:08x}", crc))
    throw Error(
        "{}: the file is damaged: its checksum is {:08x}, not {:.8}. (A program that changes the "
        "file must leave '{}' out of the metadata.)",
        file.name(), crc, found->second, kChecksum);
  metadata.erase(found);
  return true;
}

}  // namespace

std::string_view name_of(DType dtype) {
  return info(dtype).name;
}

std::size_t size_of(DType dtype) {
  return info(dtype).size;
}

void write_safetensors(const std::filesystem::path& path, const Safetensors& content) {
  with_pieces(content, [&](const auto& pieces) { write_atomically(path, pieces); });
}

std::string to_safetensors(const Safetensors& content) {
  return with_pieces(content, [](const auto& pieces) {
    std::string out;
    for (const std::string_view piece : pieces) out += piece;
    return out;
  });
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  return from_safetensors(data::File(path));
}

Safetensors from_safetensors(const data::File& file) {
  const std::string_view bytes = file.content();
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length)
    throw Error("{}: too short for a safetensors file", file.name());
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kMaxHeader)
    throw Error("{}: not a safetensors file, or one with a header of more than {} MiB", file.name(),
                kMaxHeader >> 20);
  if (length > bytes.size() - sizeof length)
    throw Error("{}: the header of {} bytes does not fit into the file: it was cut off",
                file.name(), length);
  const std::string_view data = bytes.substr(sizeof length + length);
  const Json header = parse_header(file, bytes.substr(sizeof length, length));
  if (!header.is_object()) throw Error("{}: the header is not a JSON object", file.name());

  Safetensors content;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != kMetadata) {
      entries.push_back(parse_entry(file, name, value));
      continue;
    }
    const bool texts =
        value.is_object() &&
        std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_string(); });
    if (!texts) throw Error("{}: '{}' does not map texts to texts", file.name(), kMetadata);
    content.metadata = value.get<std::map<std::string, std::string>>();
  }

  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t filled = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != filled)
      throw Error("{}: tensor '{:.80}' {} the data before it", file.name(), entry.name,
                  entry.begin < filled ? "overlaps" : "leaves a hole after");
    filled = entry.end;
  }
  if (filled != data.size())
    throw Error("{}: the tensors take {} bytes, the file holds {}: {}", file.name(), filled,
                data.size(), filled > data.size() ? "it was cut off" : "something was added");
  content.checked = take_checksum(file, content.metadata);

  for (Entry& entry : entries) {
    const auto part = std::as_bytes(std::span(data.substr(entry.begin, entry.end - entry.begin)));
    entry.tensor.bytes.assign(part.begin(), part.end());
    content.tensors.emplace(std::move(entry.name), std::move(entry.tensor));
  }
  return content;
}

}  // namespace pdegcn::report
