#include "pdegcn/data/text.h"

#include <gtest/gtest.h>

#include "pdegcn/data/table.h"
#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

std::vector<std::string> fields(const std::string& line, char separator) {
  const File file("a.txt", line);
  TextReader reader(file);
  EXPECT_TRUE(reader.next_line());
  std::vector<std::string> result;
  for (std::string_view field; reader.next_field(separator, field);) result.emplace_back(field);
  return result;
}

TEST(TextReader, LinesEndInAnyWay) {
  const File file("a.txt", "\xEF\xBB\xBFone\r\n\n  \t\ntwo\nthree");
  TextReader reader(file);
  std::vector<std::string> lines;
  while (reader.next_line()) lines.emplace_back(reader.line());
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "  \t", "two", "three"}));
  EXPECT_EQ(reader.line_number(), 5u);
  TextReader filled(file);
  ASSERT_TRUE(filled.next_filled_line());
  ASSERT_TRUE(filled.next_filled_line());
  EXPECT_EQ(filled.line(), "two");
  EXPECT_EQ(filled.line_number(), 4u);
  const File empty("b.txt", "");
  EXPECT_FALSE(TextReader(empty).next_line());
}

TEST(TextReader, FieldsAreSeparated) {
  using V = std::vector<std::string>;
  EXPECT_EQ(fields("a, b ,c", ','), (V{"a", "b", "c"}));
  EXPECT_EQ(fields("a,b,", ','), (V{"a", "b", ""}));
  EXPECT_EQ(fields(",", ','), (V{"", ""}));
  EXPECT_EQ(fields("  a \t b  ", ' '), (V{"a", "b"}));
}

TEST(TextReader, NumbersAreChecked) {
  const File file("a.txt", "\n7 +8 -9 1.5 300 x 1e-60 -1e-60 1e60 1e-9999");
  TextReader reader(file);
  reader.next_line();
  reader.next_line();
  EXPECT_EQ(reader.number<int>(' ', "n"), 7);
  EXPECT_EQ(reader.number<int>(' ', "n"), 8);
  EXPECT_EQ(reader.number<int>(' ', "n"), -9);
  PDEGCN_EXPECT_ERROR(reader.number<int>(' ', "the age"),
                      "a.txt:2: the age '1.5' is not a whole number");
  PDEGCN_EXPECT_ERROR(reader.number<signed char>(' ', "the age"),
                      "a.txt:2: the age '300' is out of range");
  PDEGCN_EXPECT_ERROR(reader.number<float>(' ', "the age"), "a.txt:2: the age 'x' is not a number");
  EXPECT_EQ(reader.number<float>(' ', "n"), 0);
  EXPECT_EQ(reader.number<float>(' ', "n"), 0);
  PDEGCN_EXPECT_ERROR(reader.number<float>(' ', "n"), "'1e60' is out of range");
  PDEGCN_EXPECT_ERROR(reader.number<float>(' ', "n"), "'1e-9999' is out of range");
  PDEGCN_EXPECT_ERROR(reader.number<float>(' ', "the age"), "a.txt:2: the age is missing");
}

TEST(TextReader, TheEndOfALineIsExpected) {
  const File file("a.txt", "1 2 3");
  TextReader reader(file);
  reader.next_line();
  reader.number<int>(' ', "n");
  PDEGCN_EXPECT_ERROR(reader.expect_end_of_line(' '), "a.txt:1: unexpected '2' at the end");
}

TEST(TableReader, HeadingsAreTold) {
  const auto heading = [](const std::string& text) {
    const File file("t.csv", text);
    return !TableReader(file).heading().empty();
  };
  EXPECT_TRUE(heading("id,x\n"));
  EXPECT_TRUE(heading("Source,Target\na,b\n"));
  EXPECT_TRUE(heading("width,height\n1,2\n"));
  EXPECT_TRUE(heading("who,height\nann,2\n"));
  EXPECT_FALSE(heading("1,2\n3,4\n"));
  EXPECT_FALSE(heading("ann,2\nbob,3\n"));
  EXPECT_FALSE(heading("ann,bob\nbob,cy\n"));
  EXPECT_FALSE(heading("ann,2\n"));
  EXPECT_FALSE(heading(""));
}

TEST(TableReader, RowsAreRead) {
  const File file("t.csv", "# remark\nid;name\n\n1;\"x\"\n2;\n");
  TableReader table(file);
  EXPECT_EQ(table.columns(), 2u);
  ASSERT_TRUE(table.next_row());
  EXPECT_EQ(table.row()[1], "x");
  ASSERT_TRUE(table.next_row());
  EXPECT_EQ(table.row()[1], "");
  EXPECT_FALSE(table.next_row());
}

TEST(Text, KnowsUtf8) {
  for (const char* text : {"", "abc", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "a\x7f"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* bytes : {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\x80",
                            "\xf4\x90\x80\x80", "\xe2\x82", "\xc3z"})
    EXPECT_FALSE(is_utf8(bytes));
  EXPECT_FALSE(is_utf8(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace pdegcn::data
