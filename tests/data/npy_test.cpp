#include "pdegcn/data/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/data_folder.h"
#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

using namespace std::string_literals;

// An .npy file with any header and elements.
std::string raw_npy(const std::string& header, const std::string& elements, int version = 1) {
  std::string bytes = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k)
    bytes += static_cast<char>(header.size() >> 8 * k & 0xFF);
  return bytes + header + elements;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

NpyArray parse(const std::string& bytes) {
  return NpyArray(File("a.npy", bytes));
}

template <class T>
std::string bytes_of(std::vector<T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(Npy, ReadsEveryNumericType) {
  const auto doubles = [](const std::string& descr, const std::string& elements) {
    return parse(raw_npy(header(descr, "(2,)"), elements)).view().as<double>();
  };
  using V = std::vector<double>;
  EXPECT_EQ(doubles("|b1", bytes_of<std::uint8_t>({0, 1})), (V{0, 1}));
  EXPECT_EQ(doubles("|i1", bytes_of<std::int8_t>({-128, 127})), (V{-128, 127}));
  EXPECT_EQ(doubles("<i2", bytes_of<std::int16_t>({-300, 300})), (V{-300, 300}));
  EXPECT_EQ(doubles("<i4", bytes_of<std::int32_t>({-70000, 70000})), (V{-70000, 70000}));
  EXPECT_EQ(doubles("<i8", bytes_of<std::int64_t>({-1, 1LL << 40})), (V{-1, 1099511627776.0}));
  EXPECT_EQ(doubles("|u1", bytes_of<std::uint8_t>({0, 255})), (V{0, 255}));
  EXPECT_EQ(doubles("<u2", bytes_of<std::uint16_t>({0, 65535})), (V{0, 65535}));
  EXPECT_EQ(doubles("<u4", bytes_of<std::uint32_t>({0, 4294967295u})), (V{0, 4294967295.0}));
  EXPECT_EQ(doubles("<u8", bytes_of<std::uint64_t>({0, 1ull << 63})), (V{0, std::ldexp(1, 63)}));
  EXPECT_EQ(doubles("<f4", bytes_of<float>({-0.5f, 1e30f})), (V{-0.5, static_cast<double>(1e30f)}));
  EXPECT_EQ(doubles("<f8", bytes_of<double>({-0.1, 1e300})), (V{-0.1, 1e300}));
  EXPECT_EQ(doubles("=i4", bytes_of<std::int32_t>({1, 2})), (V{1, 2}));
  EXPECT_EQ(doubles("i4", bytes_of<std::int32_t>({1, 2})), (V{1, 2}));
}

TEST(Npy, ReadsHalfPrecision) {
  const std::vector<std::uint16_t> halves = {0x0000, 0x8000, 0x3C00, 0xC000, 0x7BFF,
                                             0x0001, 0x0400, 0x7C00, 0xFC00, 0x7E00};
  const auto values = parse(raw_npy(header("<f2", "(10,)"), bytes_of(halves))).view().as<float>();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> wanted = {0,        -0.0f,    1,        -2,       65504,
                                     0x1p-24f, 0x1p-14f, infinity, -infinity};
  for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_EQ(values[k], wanted[k]) << k;
  EXPECT_TRUE(std::signbit(values[1]));
  EXPECT_TRUE(std::isnan(values[9]));
}

TEST(Npy, ReadsEveryVersionAndSpellingOfTheHeader) {
  const std::string elements = bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6});
  const std::vector<std::int64_t> shape = {2, 3};
  for (int version : {1, 2, 3})
    EXPECT_EQ(parse(raw_npy(header("<i4", "(2, 3)"), elements, version)).view().shape, shape);
  for (const std::string spelling :
       {"{'descr':'<i4','fortran_order':False,'shape':(2,3)}",
        "{\"shape\": (2L, 3L,), \"fortran_order\": False , \"descr\": \"<i4\"}   ",
        "{'shape': (2, 3), 'descr': '<i4', 'fortran_order': False, }      \n"})
    EXPECT_EQ(parse(raw_npy(spelling, elements)).view().shape, shape) << spelling;
  EXPECT_EQ(parse(raw_npy(header("<i4", "()"), elements.substr(0, 4))).view().count(), 1);
  EXPECT_EQ(parse(raw_npy(header("<i4", "(0, 7)"), "")).view().as<float>().size(), 0u);
}

TEST(Npy, FortranOrderBecomesCOrder) {
  // a[i][j] = 10 i + j lies column by column.
  const std::string elements = bytes_of<std::int16_t>({0, 10, 1, 11, 2, 12});
  EXPECT_EQ(parse(raw_npy(header("<i2", "(2, 3)", true), elements)).view().as<std::int32_t>(),
            (std::vector<std::int32_t>{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(parse(raw_npy(header("<i2", "(6,)", true), elements)).view().as<std::int32_t>(),
            (std::vector<std::int32_t>{0, 10, 1, 11, 2, 12}));
}

RC_GTEST_PROP(Npy, FortranOrderOfAnyShape, ()) {
  const auto shape =
      *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(0, 5));
  std::vector<std::int32_t> in_c, in_fortran(shape[0] * shape[1] * shape[2]);
  for (std::int64_t i = 0; i < shape[0]; ++i)
    for (std::int64_t j = 0; j < shape[1]; ++j)
      for (std::int64_t k = 0; k < shape[2]; ++k) {
        in_c.push_back(static_cast<std::int32_t>(100 * i + 10 * j + k));
        in_fortran[i + shape[0] * (j + shape[1] * k)] = in_c.back();
      }
  const std::string elements = bytes_of(in_fortran);
  const ArrayView array = {"", {'i', 4}, shape, true, elements};
  const NpyArray read = parse(npy(array));
  RC_ASSERT(read.view().fortran_order);
  RC_ASSERT(read.view().as<std::int32_t>() == in_c);
}

TEST(Npy, ConversionRefusesWhatDoesNotFit) {
  const auto with = [](const std::string& descr, const std::string& elements) {
    return parse(raw_npy(header(descr, "(2,)"), elements));
  };
  const NpyArray wide = with("<i4", bytes_of<std::int32_t>({3, 256}));
  PDEGCN_EXPECT_ERROR(wide.view().as<std::uint8_t>(),
                      "a.npy: element 1 is 256, which is no whole number in 0..255");
  const NpyArray negative = with("|i1", bytes_of<std::int8_t>({-1, 0}));
  PDEGCN_EXPECT_ERROR(negative.view().as<std::uint8_t>(), "element 0 is -1");
  const NpyArray unsigned_wide = with("<u8", bytes_of<std::uint64_t>({0, 1ull << 63}));
  PDEGCN_EXPECT_ERROR(unsigned_wide.view().as<std::int64_t>(), "element 1");
  const NpyArray broken = with("<f8", bytes_of<double>({2, 0.5}));
  PDEGCN_EXPECT_ERROR(broken.view().as<std::int32_t>(), "element 1 is 0.5");
  const NpyArray huge = with("<f8", bytes_of<double>({1e39, 0x1p63}));
  PDEGCN_EXPECT_ERROR(huge.view().as<float>(), "element 0");
  PDEGCN_EXPECT_ERROR(huge.view().as<std::int64_t>(), "element 0");
  const NpyArray edge = with("<f8", bytes_of<double>({-0x1p63, 0x1p63}));
  PDEGCN_EXPECT_ERROR(edge.view().as<std::int64_t>(), "element 1");
  const NpyArray nan = with("<f4", bytes_of<float>({std::nanf(""), 0}));
  PDEGCN_EXPECT_ERROR(nan.view().as<std::int32_t>(), "element 0 is nan");
  EXPECT_TRUE(std::isnan(nan.view().as<double>()[0]));
  const NpyArray no_bool = with("|b1", bytes_of<std::uint8_t>({1, 2}));
  PDEGCN_EXPECT_ERROR(no_bool.view().as<std::uint8_t>(), "element 1 is 2");
  const NpyArray complex = with("<c8", bytes_of<float>({1, 0, 2, 0}));
  PDEGCN_EXPECT_ERROR(complex.view().as<float>(), "<c8 where real numbers are needed");
}

TEST(Npy, ReadsText) {
  const NpyArray text = parse(
      raw_npy(header("<U3", "(2,)"), bytes_of<std::uint32_t>({'a', 0xE9, 0, 0x20AC, 0x1F600, 0})));
  EXPECT_EQ(text.view().strings(), (std::vector<std::string>{"a\u00e9", "\u20ac\U0001F600"}));
  PDEGCN_EXPECT_ERROR(text.view().as<float>(), "<U3 where real numbers are needed");
  const NpyArray bytes = parse(raw_npy(header("|S2", "(3,)"), "abc\0\0\0"s));
  EXPECT_EQ(bytes.view().strings(), (std::vector<std::string>{"ab", "c", ""}));
  const NpyArray bad = parse(raw_npy(header("<U1", "(1,)"), "\xFF\xFF\xFF\xFF"));
  PDEGCN_EXPECT_ERROR(bad.view().strings(), "element 0 is not text");
  PDEGCN_EXPECT_ERROR(parse(npy<float>({1}, std::vector<float>{1})).view().strings(), "<f4");
}

TEST(Npy, BadFilesAreErrors) {
  const std::string elements(24, '\0');
  const auto expect = [](const std::string& bytes, const char* message) {
    PDEGCN_EXPECT_ERROR(parse(bytes), message);
  };
  expect("", "a.npy: byte 0: this is not an .npy file");
  expect("\x93NUMPY", "the file ends inside its header");
  expect("\x93NUMPY\x01"s + '\0' + "\xFF\xFF", "the header is to have 65535 bytes");
  expect(raw_npy("", "", 4), "version 4");
  expect(raw_npy(header("<i4", "(2, 3)"), elements.substr(1)), "23 bytes of elements");
  expect(raw_npy(header("<i4", "(2, 3)"), elements + "x"), "25 bytes of elements");
  expect(raw_npy(header("<i4", "(4611686018427387904, 4)"), elements), "is not possible");
  expect(raw_npy(header("<i4", "(2305843009213693953, 4)"), elements), "is not possible");
  expect(raw_npy(header("<i4", "(99999999999999999999,)"), elements), "no whole number in range");
  expect(raw_npy(header("<i4", "(-6,)"), elements), "no whole number in range");
  expect(raw_npy(header(">i4", "(6,)"), elements), "big-endian");
  expect(raw_npy(header("|O", "(6,)"), elements), "Python objects");
  expect(raw_npy(header("<f16", "(6,)"), elements), "dtype '<f16' is not supported");
  expect(raw_npy(header("<U0", "(6,)"), ""), "dtype '<U0' is not supported");
  expect(raw_npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (6,)}", elements),
         "records");
  expect(raw_npy("{'descr': '<i4', 'shape': (6,)}", elements), "lacks");
  expect(raw_npy("{'descr': '<i4', 'descr': '<i4'}", elements), "there twice");
  expect(raw_npy("{'descr': '<i4', 'fortran_order': No, 'shape': (6,)}", elements), "neither");
  expect(raw_npy("{'descr': '<i4", elements), "does not end");
  expect(raw_npy(header("<i4", "(6,)") + "x", elements), "something follows");
}

TEST(Npy, ShapesAreChecked) {
  const NpyArray array = parse(npy<float>({2, 3}, std::vector<float>(6)));
  EXPECT_NO_THROW(array.view().expect_shape({2, -1}));
  PDEGCN_EXPECT_ERROR(array.view().expect_shape({-1, 4}),
                      "a.npy: the shape is (2, 3) where (any, 4) is needed");
  PDEGCN_EXPECT_ERROR(array.view().expect_shape({6}), "where (6) is needed");
}

TEST(Npy, WritesWhatNumpyWrites) {
  const std::vector<std::int16_t> values = {1, -2};
  EXPECT_EQ(npy<std::int16_t>({2}, values),
            "\x93NUMPY\x01\x00\x76\x00"s +
                "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }" + std::string(60, ' ') +
                "\n\x01\x00\xFE\xFF"s);
}

TEST(Npz, ReturnsWhatWentIn) {
  const std::map<std::string, std::string> arrays = {
      {"mask", npy<std::uint8_t>({3}, std::vector<std::uint8_t>{1, 0, 1})},
      {"values", npy<double>({1, 2}, std::vector<double>{0.25, -3})}};
  for (const Compression compression : {Compression::kStored, Compression::kDeflated}) {
    const Npz read(File("a.npz", npz(arrays, compression)));
    EXPECT_EQ(read.names(), (std::vector<std::string>{"mask", "values"}));
    EXPECT_TRUE(read.has("mask"));
    EXPECT_FALSE(read.has("mask.npy"));
    EXPECT_EQ(read.at("mask").view().as<std::int32_t>(), (std::vector<std::int32_t>{1, 0, 1}));
    EXPECT_EQ(read.at("values").view().as<double>(), (std::vector<double>{0.25, -3}));
    PDEGCN_EXPECT_ERROR(read.at("x"), "a.npz: there is no array 'x', only mask, values");
  }
}

TEST(Npz, OneArrayThatCannotBeReadIsNoHindrance) {
  const Npz read(File("a.npz", npz({{"bad", "junk"}, {"good", npy<float>({0}, {})}})));
  EXPECT_EQ(read.at("good").view().count(), 0);
  PDEGCN_EXPECT_ERROR(read.at("bad"), "a.npz/bad.npy: byte 0");
}

TEST(Npz, ForeignMembersAreErrors) {
  std::vector<ArchiveMember> members;
  members.push_back({"readme.txt", File("", "hello")});
  PDEGCN_EXPECT_ERROR(Npz(File("a.npz", zip(members))), "a.npz/readme.txt: not an array");
  members[0].path = "x.npy";
  members.push_back(members[0]);
  PDEGCN_EXPECT_ERROR(Npz(File("a.npz", zip(members))), "'x' is there twice");
}

TEST(Npz, ReadsARealSplit) {
  PDEGCN_NEEDS_DATA("splits");
  const Npz split(tests::data_folder() / "splits" / "texas_split_0.6_0.2_0.npz");
  EXPECT_EQ(split.names(), (std::vector<std::string>{"test_mask", "train_mask", "val_mask"}));
  EXPECT_EQ(split.at("train_mask").view().shape, (std::vector<std::int64_t>{183}));
}

}  // namespace
}  // namespace pdegcn::data
