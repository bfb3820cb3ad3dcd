#include "pdegcn/report/event_log.h"

#include <bit>
#include <cstring>
#include <optional>

#include "pdegcn/data/file.h"
#include "pdegcn/report/crc32c.h"

namespace pdegcn::report {
namespace {

// Fields of the messages tensorflow.Event, Summary and Summary.Value that are used.
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
constexpr int kValue = 1;
constexpr int kTag = 1, kSimpleValue = 2;

// Wire types of the protobuf encoding.
constexpr int kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

constexpr std::size_t kFrameHead = 12;  // length and its checksum
constexpr std::size_t kFrameTail = 4;   // checksum of the record

template <class T>
std::string raw(T value) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out += static_cast<char>(value);
}

std::string key(int field, int wire) {
  return varint(static_cast<std::uint64_t>(field << 3 | wire));
}

std::string bytes_field(int field, const std::string& bytes) {
  return key(field, kBytes) + varint(bytes.size()) + bytes;
}

// Checksums within a file are masked, as bytes that hold their own checksum would defeat it.
std::uint32_t masked_crc(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8u;
}

std::string framed(const std::string& record) {
  const std::string length = raw(std::uint64_t{record.size()});
  return length + raw(masked_crc(length)) + record + raw(masked_crc(record));
}

std::string version_record() {
  return framed(key(kWallTime, kFixed64) + raw(0.0) + bytes_field(kFileVersion, "brain.Event:2"));
}

std::string event_start(std::int64_t step) {
  return key(kWallTime, kFixed64) + raw(static_cast<double>(step)) + key(kStep, kVarint) +
         varint(static_cast<std::uint64_t>(step));
}

// The record at the beginning of `bytes`, or nothing when it is not whole.
std::optional<std::string_view> first_record(std::string_view bytes) {
  const auto number = [&]<class T>(std::size_t at, T value) {
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  if (bytes.size() < kFrameHead + kFrameTail) return {};
  if (number(8, std::uint32_t{}) != masked_crc(bytes.substr(0, 8))) return {};
  const auto length = number(0, std::uint64_t{});
  if (length > bytes.size() - kFrameHead - kFrameTail) return {};
  const std::string_view record = bytes.substr(kFrameHead, length);
  if (number(kFrameHead + length, std::uint32_t{}) != masked_crc(record)) return {};
  return record;
}

// The step of an event that was written here, or nothing.
std::optional<std::int64_t> step_of(std::string_view record) {
  constexpr std::size_t at = 1 + sizeof(double);  // after the wall time
  double wall_time = 0;
  if (record.size() < at) return {};
  std::memcpy(&wall_time, record.data() + 1, sizeof wall_time);
  const auto step =
      wall_time >= 0 && wall_time < 0x1p53 ? static_cast<std::int64_t>(wall_time) : -1;
  if (step < 0 || !record.starts_with(event_start(step))) return {};
  return step;
}

}  // namespace

EventLog EventLog::create(const std::filesystem::path& path) {
  AppendFile file(path, 0);
  file.append(version_record());
  return EventLog(std::move(file));
}

EventLog EventLog::resume(const std::filesystem::path& path, std::int64_t last_step) {
  const data::File file(path);
  const std::string version = version_record();
  if (!file.content().starts_with(version))
    throw Error("{}: this is not an event log of pdegcn", file.name());
  std::size_t keep = version.size();
  std::int64_t reached = 0;
  while (const auto record = first_record(file.content().substr(keep))) {
    const auto step = step_of(*record);
    if (!step) file.fail_at_byte(keep, "this event was not written by pdegcn");
    if (*step > last_step) break;
    reached = *step;
    keep += kFrameHead + record->size() + kFrameTail;
  }
  if (reached < last_step)
    file.fail_at_byte(keep, "the log ends with step {}, the checkpoint is of step {}", reached,
                      last_step);
  return EventLog(AppendFile(path, keep));
}

void EventLog::add(std::int64_t step, std::span<const Scalar> scalars) {
  std::string summary;
  for (const Scalar& scalar : scalars)
    summary += bytes_field(kValue, bytes_field(kTag, scalar.tag) + key(kSimpleValue, kFixed32) +
                                       raw(static_cast<float>(scalar.value)));
  file_.append(framed(event_start(step) + bytes_field(kSummary, summary)));
}

}  // namespace pdegcn::report
