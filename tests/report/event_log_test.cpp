#include "pdegcn/report/event_log.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;

// A decoder of its own, from the public descriptions of the record framing and of the protobuf
// messages; it shares nothing with the writer.
class Decoder {
 public:
  struct Value {
    std::string tag;
    float value = NAN;
  };
  struct Event {
    double wall_time = NAN;
    std::uint64_t step = 0;
    std::string version;
    std::vector<Value> values;
  };

  static std::vector<Event> decode(const std::string& bytes) {
    std::vector<Event> events;
    std::size_t at = 0;
    while (at < bytes.size()) {
      const std::uint64_t length = little(bytes, at, 8);
      EXPECT_EQ(little(bytes, at + 8, 4), masked(bytes.substr(at, 8)));
      const std::string record = bytes.substr(at + 12, length);
      EXPECT_EQ(record.size(), length);
      EXPECT_EQ(little(bytes, at + 12 + length, 4), masked(record));
      events.push_back(event(record));
      at += 12 + length + 4;
    }
    EXPECT_EQ(at, bytes.size());
    return events;
  }

 private:
  static std::uint64_t little(const std::string& bytes, std::size_t at, int n) {
    std::uint64_t out = 0;
    for (int k = 0; k < n; ++k)
      out |= std::uint64_t{static_cast<unsigned char>(bytes.at(at + k))} << (8 * k);
    return out;
  }

  static std::uint32_t masked(const std::string& bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const char c : bytes) {
      crc ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78 : crc >> 1;
    }
    crc = ~crc;
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
  }

  // One field of a message, of whatever wire type.
  struct Field {
    std::uint64_t number = 0;
    std::uint64_t bits = 0;
    std::string bytes;
  };

  static std::vector<Field> fields(const std::string& message) {
    std::size_t at = 0;
    const auto varint = [&] {
      std::uint64_t out = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(message.at(at++));
        out |= std::uint64_t{byte & 0x7Fu} << shift;
        if (byte < 0x80) return out;
      }
    };
    std::vector<Field> out;
    while (at < message.size()) {
      const std::uint64_t key = varint();
      Field field{key >> 3, 0, ""};
      switch (key & 7) {
        case 0:
          field.bits = varint();
          break;
        case 1:
          field.bits = little(message, at, 8);
          at += 8;
          break;
        case 2: {
          const std::uint64_t length = varint();
          field.bytes = message.substr(at, length);
          EXPECT_EQ(field.bytes.size(), length);
          at += length;
          break;
        }
        case 5:
          field.bits = little(message, at, 4);
          at += 4;
          break;
        default:
          ADD_FAILURE() << "wire type " << (key & 7);
          return out;
      }
      out.push_back(field);
    }
    return out;
  }

  static Event event(const std::string& record) {
    Event out;
    for (const Field& field : fields(record)) {
      if (field.number == 1) std::memcpy(&out.wall_time, &field.bits, 8);
      if (field.number == 2) out.step = field.bits;
      if (field.number == 3) out.version = field.bytes;
      if (field.number != 5) continue;
      for (const Field& entry : fields(field.bytes)) {
        EXPECT_EQ(entry.number, 1u);
        Value value;
        for (const Field& part : fields(entry.bytes)) {
          const auto bits = static_cast<std::uint32_t>(part.bits);
          if (part.number == 1) value.tag = part.bytes;
          if (part.number == 2) std::memcpy(&value.value, &bits, 4);
        }
        out.values.push_back(value);
      }
    }
    return out;
  }
};

void add(EventLog& log, std::int64_t step) {
  const std::vector<Scalar> scalars{{"loss/train", 1.0 / static_cast<double>(step)},
                                    {"α", 0.5 + static_cast<double>(step)}};
  log.add(step, scalars);
}

TEST(EventLog, IsReadByAnIndependentDecoder) {
  const Scratch scratch;
  EventLog log = EventLog::create(scratch / "events");
  add(log, 1);
  add(log, 300);  // more than one byte of varint
  log.add(301, {});
  log.sync();
  const auto events = Decoder::decode(content(scratch / "events"));
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[0].wall_time, 0.0);
  EXPECT_EQ(events[1].step, 1u);
  EXPECT_EQ(events[2].step, 300u);
  EXPECT_EQ(events[2].wall_time, 300.0);
  ASSERT_EQ(events[2].values.size(), 2u);
  EXPECT_EQ(events[2].values[0].tag, "loss/train");
  EXPECT_EQ(events[2].values[0].value, static_cast<float>(1.0 / 300));
  EXPECT_EQ(events[2].values[1].tag, "α");
  EXPECT_EQ(events[2].values[1].value, 300.5f);
  EXPECT_TRUE(events[3].values.empty());
}

// Cut anywhere after the kept step, even within a record, the resumed log ends with the same bits.
TEST(EventLog, ResumesToTheSameBits) {
  const Scratch scratch;
  std::vector<std::size_t> ends;
  {
    EventLog log = EventLog::create(scratch / "whole");
    ends.push_back(content(scratch / "whole").size());
    for (int step = 1; step <= 5; ++step) {
      add(log, step);
      ends.push_back(content(scratch / "whole").size());
    }
  }
  const std::string whole = content(scratch / "whole");
  for (int last = 0; last <= 5; ++last)
    for (std::size_t size = ends[last]; size <= whole.size(); ++size) {
      put(scratch / "cut", whole.substr(0, size));
      EventLog log = EventLog::resume(scratch / "cut", last);
      for (int step = last + 1; step <= 5; ++step) add(log, step);
      ASSERT_EQ(content(scratch / "cut"), whole) << last << " " << size;
    }
}

TEST(EventLog, RefusesToResumeWhatDoesNotFit) {
  const Scratch scratch;
  const auto message = [&] { return error_of([&] { EventLog::resume(scratch / "events", 2); }); };
  EXPECT_TRUE(mentions(message(), "No such file"));
  put(scratch / "events", "something else");
  EXPECT_TRUE(mentions(message(), "not an event log"));
  EventLog log = EventLog::create(scratch / "events");
  add(log, 1);
  EXPECT_TRUE(mentions(message(), "ends with step 1"));
  add(log, 2);
  std::string bytes = content(scratch / "events");
  bytes[bytes.size() - 8] ^= 1;  // damage within the second event
  put(scratch / "events", bytes);
  EXPECT_TRUE(mentions(message(), "ends with step 1"));
  EXPECT_EQ(content(scratch / "events"), bytes);
}

}  // namespace
}  // namespace pdegcn::report
