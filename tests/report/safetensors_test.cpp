#include "pdegcn/report/safetensors.h"

#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;

// A file as the layout's description has it, put together by hand.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string out;
  for (int k = 0; k < 8; ++k) out += static_cast<char>((header.size() >> (8 * k)) & 0xFF);
  return out + header + data;
}

Safetensors parse(const std::string& bytes) {
  return from_safetensors(data::File("w.safetensors", bytes));
}

std::string parse_error(const std::string& bytes) {
  const std::string message = error_of([&] { parse(bytes); });
  EXPECT_TRUE(message.starts_with("w.safetensors: ")) << message;
  return message;
}

bool same(const Safetensors& a, const Safetensors& b) {
  return a.tensors == b.tensors && a.metadata == b.metadata;
}

Safetensors sample() {
  Safetensors out;
  const std::vector<float> weight{1.5f,
                                  -0.0f,
                                  std::numeric_limits<float>::quiet_NaN(),
                                  std::numeric_limits<float>::infinity(),
                                  1e-45f,
                                  3.25f};
  const std::vector<double> rate{0.1};
  const std::vector<std::int64_t> epoch{-7, 1LL << 60};
  const std::vector<std::int32_t> small{5};
  const std::vector<std::uint64_t> seed{~0ULL};
  const std::vector<std::uint8_t> mask{1, 0, 255};
  out.tensors["opening.weight"] = Tensor::of<float>({2, 3}, weight);
  out.tensors["rate"] = Tensor::of<double>({}, rate);
  out.tensors["epoch"] = Tensor::of<std::int64_t>({2}, epoch);
  out.tensors["small"] = Tensor::of<std::int32_t>({1, 1}, small);
  out.tensors["seed"] = Tensor::of<std::uint64_t>({1}, seed);
  out.tensors["mask"] = Tensor::of<std::uint8_t>({3}, mask);
  out.tensors["empty"] = Tensor::of<float>({0, 4}, {});
  out.metadata["config"] = R"({"lr": 0.01, "name": "café ∂"})";
  return out;
}

TEST(Safetensors, RoundTripsThroughAFile) {
  const Scratch scratch;
  const Safetensors before = sample();
  write_safetensors(scratch / "w.safetensors", before);
  const Safetensors after = read_safetensors(scratch / "w.safetensors");
  EXPECT_TRUE(same(before, after));
  EXPECT_TRUE(after.checked);
  EXPECT_EQ(content(scratch / "w.safetensors"), to_safetensors(before));
  EXPECT_EQ(after.tensors.at("epoch").values<std::int64_t>()[1], 1LL << 60);
  EXPECT_TRUE(std::isnan(after.tensors.at("opening.weight").values<float>()[2]));
}

TEST(Safetensors, WritesTheDocumentedBytes) {
  Safetensors small;
  const std::vector<float> one{1.0f};
  const std::vector<std::int64_t> two{2};
  small.tensors["a"] = Tensor::of<float>({1}, one);
  small.tensors["b"] = Tensor::of<std::int64_t>({}, two);
  small.metadata["k"] = "v";
  std::string bytes = to_safetensors(small);
  const std::size_t at = bytes.find("\"crc32c\":\"") + 10;
  bytes.replace(at, 8, "00000000");
  std::string header = R"({"__metadata__":{"crc32c":"00000000","k":"v"},)"
                       R"("a":{"data_offsets":[8,12],"dtype":"F32","shape":[1]},)"
                       R"("b":{"data_offsets":[0,8],"dtype":"I64","shape":[]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(bytes,
            file_of(header, std::string("\2\0\0\0\0\0\0\0", 8) + std::string("\0\0\x80\x3f", 4)));
}

TEST(Safetensors, RoundTripsAnyNamesAndBytes) {
  EXPECT_TRUE(rc::check([](const std::map<std::string, std::vector<std::uint8_t>>& parts) {
    Safetensors before;
    for (const auto& [name, bytes] : parts) {
      // Names that are valid UTF-8, with all that JSON must escape.
      std::string text;
      for (const char c : name) text += static_cast<char>(c & 0x7F);
      before.tensors[text + "\"\\\n"] =
          Tensor::of<std::uint8_t>({static_cast<std::int64_t>(bytes.size())}, bytes);
      before.metadata[text] = text + "\"crc32c\":\"12345678\"";
    }
    const Safetensors after = parse(to_safetensors(before));
    RC_ASSERT(same(before, after));
    RC_ASSERT(after.checked);
  }));
}

TEST(Safetensors, ReadsFilesOfOtherPrograms) {
  const Safetensors read =
      parse(file_of(R"( {"w" : {"shape":[2,1], "dtype":"F32","data_offsets":[0,8]}}  )",
                    std::string("\0\0\x80\x3f\0\0\0\x40", 8)));
  EXPECT_FALSE(read.checked);
  EXPECT_EQ(read.tensors.at("w").values<float>()[1], 2.0f);
  EXPECT_TRUE(parse(file_of("{}")).tensors.empty());
}

TEST(Safetensors, RefusesTheWrongType) {
  const Safetensors read = sample();
  const std::string message = error_of([&] { read.tensors.at("rate").values<float>(); });
  EXPECT_TRUE(mentions(message, "F64") && mentions(message, "F32")) << message;
}

TEST(Safetensors, RefusesToWriteWhatCannotBeRead) {
  const auto with = [](const std::string& name, Tensor tensor) {
    Safetensors out;
    out.tensors[name] = std::move(tensor);
    return out;
  };
  EXPECT_TRUE(mentions(error_of([&] {
                         to_safetensors(with("w", {DType::kF32, {3}, std::vector<std::byte>(8)}));
                       }),
                       "shape [3] cannot have 8 bytes"));
  EXPECT_TRUE(
      mentions(error_of([&] {
                 to_safetensors(with("w", {DType::kF32, {-1, -2}, std::vector<std::byte>(8)}));
               }),
               "cannot have"));
  EXPECT_TRUE(mentions(error_of([&] {
                         to_safetensors(with("__metadata__", {DType::kU8, {0}, {}}));
                       }),
                       "__metadata__"));
  EXPECT_TRUE(mentions(error_of([&] {
                         to_safetensors(with("\xFF", {DType::kU8, {0}, {}}));
                       }),
                       "UTF-8"));
  Safetensors taken;
  taken.metadata["crc32c"] = "x";
  EXPECT_TRUE(mentions(error_of([&] { to_safetensors(taken); }), "crc32c"));
}

TEST(Safetensors, ExplainsWhatIsWrong) {
  const std::string eight(8, 'x');
  const auto tensor = [](const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
    return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
           "}";
  };
  const auto message = [&](const std::string& header) {
    return parse_error(file_of(header, eight));
  };
  const std::string good = tensor("F32", "[2]", "[0,8]");
  EXPECT_NO_THROW(parse(file_of("{\"w\":" + good + "}", eight)));

  EXPECT_TRUE(mentions(parse_error(""), "too short"));
  EXPECT_TRUE(mentions(parse_error("1234567"), "too short"));
  EXPECT_TRUE(mentions(parse_error(std::string(100, '\xFF')), "more than 16 MiB"));
  EXPECT_TRUE(mentions(parse_error(std::string("\x09\0\0\0\0\0\0\0{}", 10)), "cut off"));
  EXPECT_TRUE(mentions(message("{\"w\":" + good), "byte"));
  EXPECT_TRUE(mentions(message("[]"), "not a JSON object"));
  EXPECT_TRUE(mentions(message(""), "JSON"));
  EXPECT_TRUE(mentions(message("{\"w\":1e999}"), "out of range"));
  EXPECT_TRUE(mentions(message("{\"w\":" + good + ",\"w\":" + good + "}"), "'w' stands twice"));
  EXPECT_TRUE(mentions(message("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}"), "'a' stands twice"));
  EXPECT_TRUE(mentions(message(std::string(100000, '[')), "deep"));
  EXPECT_TRUE(mentions(message("{\"w\":7}"), "not an object"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("BF16", "[4]", "[0,8]") + "}"), "'BF16'"));
  EXPECT_TRUE(mentions(message("{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}"), "data_offsets"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "2", "[0,8]") + "}"), "'shape'"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "[-2]", "[0,8]") + "}"), "'shape'"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "[2.0]", "[0,8]") + "}"), "'shape'"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "[2]", "[0,8,8]") + "}"), "begin"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "[2]", "[8,0]") + "}"), "begin"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "[3]", "[0,8]") + "}"), "do not fit"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "[4611686018427387904,2]", "[0,8]") + "}"),
                       "do not fit"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "[4]", "[0,16]") + "}"), "cut off"));
  EXPECT_TRUE(mentions(message("{\"w\":" + tensor("F32", "[1]", "[0,4]") + "}"), "added"));
  EXPECT_TRUE(mentions(message("{\"v\":" + tensor("F32", "[1]", "[4,8]") + "}"), "hole"));
  EXPECT_TRUE(mentions(message("{\"v\":" + good + ",\"w\":" + good + "}"), "overlaps"));
  EXPECT_TRUE(mentions(message("{\"__metadata__\":{\"a\":1}}"), "texts"));
  EXPECT_TRUE(mentions(message("{\"__metadata__\":[\"a\"]}"), "texts"));
  EXPECT_TRUE(mentions(parse_error(file_of(R"({"__metadata__":{"crc32c":"0"}})")), "damaged"));
  EXPECT_TRUE(mentions(parse_error(file_of(R"({"__metadata__":{"crc\u00332c":"0"}})")), "damaged"));
}

// Whatever happens to a file, reading it gives an Error or, seldom, the same content; content that
// differs never counts as checked.
TEST(Safetensors, SurvivesTenThousandMutations) {
  const Safetensors original = sample();
  const std::string good = to_safetensors(original);
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return random() % n; };
  int refused = 0;
  for (int k = 0; k < 10000; ++k) {
    std::string bytes = good;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      // Half of the changes hit the header, where most can go wrong.
      const std::size_t at =
          below(below(2) == 0 ? bytes.size() : std::min(bytes.size(), size_t{600}));
      switch (below(6)) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 2:
          bytes.resize(at + 1);
          break;
        case 3:
          bytes.insert(at, 1 + below(20), static_cast<char>(random()));
          break;
        case 4:
          bytes.erase(at, 1 + below(20));
          if (bytes.empty()) bytes = "x";
          break;
        default:
          bytes[at] = "{}[]\",:0123456789- "[below(19)];
      }
    }
    try {
      const Safetensors read = parse(bytes);
      EXPECT_TRUE(!read.checked || same(read, original)) << "mutation " << k;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 9000);
}

TEST(Safetensors, FindsEverySingleFlippedBit) {
  const std::string good = to_safetensors(sample());
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bytes = good;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    bool accepted = false;
    try {
      accepted = parse(bytes).checked;
    } catch (const Error&) {
    }
    ASSERT_FALSE(accepted) << "bit " << bit;
  }
}

}  // namespace
}  // namespace pdegcn::report
