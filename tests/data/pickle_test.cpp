#include "pdegcn/data/pickle.h"

#include <gtest/gtest.h>

#include "pdegcn/data/sparse.h"
#include "tests/support/expect_error.h"
#include "tests/support/pickle_writer.h"

namespace pdegcn::data {
namespace {

using namespace std::string_literals;
using Writer = tests::PickleWriter;

void expect_refused(const std::string& operations, const char* message) {
  const File file("a.pickle", Writer::file(operations));
  PDEGCN_EXPECT_ERROR(Pickle{file}, message);
}

TEST(Pickle, ReadsAnArray) {
  const std::vector<std::int32_t> values = {1, -2, 3, 4, 5, 70000};
  const File file("a.pickle", Writer::file(Writer::array<std::int32_t>({2, 3}, values, "i4")));
  const Pickle pickle(file);
  EXPECT_EQ(pickle.array().shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(pickle.array().as<std::int32_t>(), values);
  PDEGCN_EXPECT_ERROR(pickle.matrix(), "a.pickle: holds no CSR matrix");
  PDEGCN_EXPECT_ERROR(pickle.lists(), "a.pickle: holds no dictionary");
}

TEST(Pickle, ReadsAnArrayInFortranOrder) {
  const std::vector<double> values = {1, 3, 2, 4};
  const File file("a.pickle", Writer::file(Writer::array<double>({2, 2}, values, "f8", true)));
  EXPECT_EQ(Pickle(file).array().as<double>(), (std::vector<double>{1, 2, 3, 4}));
}

TEST(Pickle, ReadsAMatrix) {
  const File file("a.pickle", Writer::file(Writer::matrix(5, {{{0, 1.5f}, {4, 2}}, {}, {{1, 3}}})));
  const PickledMatrix m = Pickle(file).matrix();
  EXPECT_EQ(m.rows, 3);
  EXPECT_EQ(m.cols, 5);
  EXPECT_EQ(m.offsets.as<std::int64_t>(), (std::vector<std::int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(m.columns.as<std::int32_t>(), (std::vector<std::int32_t>{0, 4, 1}));
  EXPECT_EQ(m.values.as<float>(), (std::vector<float>{1.5f, 2, 3}));
}

TEST(Pickle, ReadsListsInABigDictionary) {
  const File file("a.pickle", Writer::file(Writer::lists({{0, {300, 1}}, {70000, {}}, {2, {0}}})));
  const PickledLists lists = Pickle(file).lists();
  EXPECT_EQ(lists.keys, (std::vector<std::int64_t>{0, 70000, 2}));
  EXPECT_EQ(lists.offsets, (std::vector<std::int64_t>{0, 2, 2, 3}));
  EXPECT_EQ(lists.values, (std::vector<std::int64_t>{300, 1, 0}));
}

TEST(Pickle, TheMemoReturnsWhatWasPut) {
  // {1: L, 2: L} with L = [7], once by the short and once by the long operations.
  for (const std::string& put_get : {"q\x05|h\x05"s, "r\x05\0\0\0|j\x05\0\0\0"s}) {
    const std::string put = put_get.substr(0, put_get.find('|'));
    const std::string get = put_get.substr(put.size() + 1);
    const File file("a.pickle", Writer::file("}(K\x01]" + put +
                                             "K\x07"
                                             "aK\x02" +
                                             get + "u"));
    EXPECT_EQ(Pickle(file).lists().values, (std::vector<std::int64_t>{7, 7}));
  }
}

TEST(Pickle, NothingIsExecuted) {
  expect_refused(
      "cos\nsystem\nU\x04"
      "exit\x85R",
      "a.pickle: byte 2: the name");
  expect_refused("cposix\nsystem\n", "not allowed");
  expect_refused("c__builtin__\neval\n", "not allowed");
  expect_refused("cnumpy\nndarray2\n", "not allowed");
  expect_refused("c__builtin__\nlist\n)R", "a call that is not allowed");
  expect_refused("cnumpy\nndarray\n)\x81", "only a CSR matrix");
  for (const char operation : "iIFSVXLGod0123lps\x82\x83\x84\x8a\x8b\x8c\x8e\x93\x94\x95PQB"s)
    expect_refused(std::string(1, operation) + "\n\n", "is not allowed here");
}

TEST(Pickle, BadProgramsAreErrors) {
  expect_refused("", "byte 2: the stack is empty");
  expect_refused("(", "a mark where a value is needed");
  expect_refused("NN", "the stack is not empty at the end");
  expect_refused("N.", "the file goes on after its end mark");
  expect_refused("u", "there is no mark");
  expect_refused("}(Nu", "a key has no value");
  expect_refused("](NNu", "a dictionary is needed here");
  expect_refused("}(Ne", "a list is needed here");
  expect_refused("Na", "the stack is empty");
  expect_refused("NNa", "a list is needed here");
  expect_refused("h\x01", "memo number 1 was never set");
  expect_refused("Nr\xFF\xFF\xFF\x7F", "memo number 2147483647 is too large");
  expect_refused("(q\x01", "a mark cannot be kept");
  expect_refused("Nb", "the stack is empty");
  expect_refused("NNb", "a state for what has none");
  expect_refused("T\xFF\xFF\xFF\xFF", "the file ends inside a value");
  expect_refused("T\xFF\xFF\xFF\x7F", "the file ends inside a value");
  expect_refused(std::string(70000, '('), "left open");
  PDEGCN_EXPECT_ERROR(Pickle(File("a", "")), "a: byte 0: the file ends");
  PDEGCN_EXPECT_ERROR(Pickle(File("a", "\x80\x03N.")), "protocol 2");
  PDEGCN_EXPECT_ERROR(Pickle(File("a", "\x80\x02N")), "the file ends");
}

TEST(Pickle, ArraysMustFitTheirBytes) {
  const std::vector<std::int32_t> three = {1, 2, 3};
  expect_refused(Writer::array<std::int32_t>({4}, three, "i4"), "12 bytes of elements");
  expect_refused(Writer::array<std::int32_t>({-3}, three, "i4"), "is not possible");
  expect_refused(Writer::array<std::int32_t>({1 << 30, 1 << 30, 16}, three, "i4"), "not possible");
  expect_refused(Writer::array<std::int32_t>({3}, three, "O4"), "Python objects");
  std::string big_endian = Writer::array<std::int32_t>({3}, three, "i4");
  big_endian[big_endian.find('<')] = '>';
  expect_refused(big_endian, "only little-endian");
}

TEST(Pickle, AnUnfinishedObjectIsNotUsed) {
  const File array("a",
                   Writer::file("cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nNN\x87R"));
  PDEGCN_EXPECT_ERROR(Pickle(array).array(), "holds no numpy array");
  const File matrix("a", Writer::file("cscipy.sparse.csr\ncsr_matrix\n)\x81"));
  PDEGCN_EXPECT_ERROR(Pickle(matrix).matrix(), "holds no CSR matrix");
  const File members("a", Writer::file("cscipy.sparse.csr\ncsr_matrix\n)\x81}b"));
  PDEGCN_EXPECT_ERROR(Pickle(members).matrix(), "the CSR matrix has no _shape");
}

TEST(Pickle, SharedListsDoNotMultiply) {
  std::string numbers = "}(K\x01]q\x01(";
  for (int k = 0; k < 500; ++k) numbers += "K\x01";
  numbers += "e";
  for (int k = 0; k < 500; ++k) numbers += "K\x02h\x01";
  const File file("a", Writer::file(numbers + "u"));
  PDEGCN_EXPECT_ERROR(Pickle(file).lists(), "longer than the file");
}

TEST(Pickle, ListsHoldIntegersOnly) {
  PDEGCN_EXPECT_ERROR(Pickle(File("a", Writer::file("}(K\x01Nu"))).lists(), "entry 0");
  const File words("a", Writer::file("}(K\x01]U\x01xau"));
  PDEGCN_EXPECT_ERROR(Pickle(words).lists(), "the list of 1 holds something else");
}

class Csr : public testing::Test {
 protected:
  static ArrayView view(const std::string& name, char kind, const auto& values) {
    return {name,
            {kind, sizeof(values[0])},
            {static_cast<std::int64_t>(values.size())},
            false,
            {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])}};
  }
  SparseMatrix matrix(std::int64_t rows, std::int64_t cols) const {
    return sparse_matrix(rows, cols, view("offsets", 'i', offsets), view("columns", 'i', columns),
                         view("values", 'f', values));
  }
  std::vector<std::int32_t> offsets = {0, 2, 3};
  std::vector<std::int32_t> columns = {4, 1, 0};
  std::vector<float> values = {40, 10, 5};
};

TEST_F(Csr, RowsAreSorted) {
  const SparseMatrix m = matrix(2, 5);
  EXPECT_EQ(m.columns, (std::vector<std::int32_t>{1, 4, 0}));
  EXPECT_EQ(m.values, (std::vector<float>{10, 40, 5}));
}

TEST_F(Csr, MisfitsAreErrors) {
  PDEGCN_EXPECT_ERROR(matrix(3, 5), "offsets: the shape is (3) where (4) is needed");
  PDEGCN_EXPECT_ERROR(matrix(-1, 5), "is not possible");
  PDEGCN_EXPECT_ERROR(matrix(2, std::int64_t{1} << 40), "is not possible");
  PDEGCN_EXPECT_ERROR(matrix(2, 4), "columns: column 4 is outside 0..3");
  columns[0] = -1;
  PDEGCN_EXPECT_ERROR(matrix(2, 5), "columns: column -1 is outside");
  columns[0] = 1;
  PDEGCN_EXPECT_ERROR(matrix(2, 5), "columns: column 1 is twice in row 0");
  columns[0] = 4;
  offsets = {0, 4, 3};
  PDEGCN_EXPECT_ERROR(matrix(2, 5), "offsets: the row offsets fall at row 1");
  offsets = {0, 2, 2};
  PDEGCN_EXPECT_ERROR(matrix(2, 5), "from 0 to 2, not from 0 to 3");
  values.pop_back();
  PDEGCN_EXPECT_ERROR(matrix(2, 5), "values: the shape is (2) where (3) is needed");
}

}  // namespace
}  // namespace pdegcn::data
