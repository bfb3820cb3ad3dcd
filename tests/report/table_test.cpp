#include "pdegcn/report/table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pdegcn::report {
namespace {

Table sample() {
  Table table({"model", "layers", "accuracy, %", "note"});
  table.add({"PDE-GCN_D", "8", "82.2 ± 0.6", "α < β"});
  table.add({"é", "16", "100.0 ± 10.0", "a|b"});
  table.add({"GCNII", "—", "−1.5e-3"});
  return table;
}

TEST(Table, AlignsTextByWhatOneSees) {
  EXPECT_EQ(sample().text(),
            "model      layers   accuracy, %  note\n"
            "─────────  ──────  ────────────  ─────\n"
            "PDE-GCN_D       8    82.2 ± 0.6  α < β\n"
            "é              16  100.0 ± 10.0  a|b\n"
            "GCNII           —       −1.5e-3\n");
}

TEST(Table, ShowsNoColumnThatIsEmpty) {
  Table table({"", "alpha", "epoch"});
  table.add({"", "", "5"});
  EXPECT_EQ(table.text(), "epoch\n─────\n    5\n");
  EXPECT_EQ(table.csv(), ",alpha,epoch\n,,5\n");
}

TEST(Table, GroupsDigits) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-4188160), "-4,188,160");
}

TEST(Table, WritesMarkdown) {
  EXPECT_EQ(sample().markdown(),
            "| model | layers | accuracy, % | note |\n"
            "|---|---:|---:|---|\n"
            "| PDE-GCN_D | 8 | 82.2 ± 0.6 | α < β |\n"
            "| é | 16 | 100.0 ± 10.0 | a\\|b |\n"
            "| GCNII | — | −1.5e-3 |  |\n");
}

TEST(Table, QuotesCsv) {
  Table table({"a", "b"});
  table.add({"1,5", "say \"hi\"\nthere"});
  table.add({"x"});
  EXPECT_EQ(table.csv(), "a,b\n\"1,5\",\"say \"\"hi\"\"\nthere\"\nx,\n");
}

TEST(Table, KnowsNumbersFromWords) {
  const auto right = [](const std::string& cell) {
    Table table({"a wide head"});
    table.add({cell});
    return table.text().ends_with(" " + cell + "\n");
  };
  for (const char* number : {"1", "-1", "+1", "−1", ".5", "1,234", "1e-5", "3 × 4", "81.2 %"})
    EXPECT_TRUE(right(number)) << number;
  for (const char* word : {"2 min 05 s", "e5", "v1", "1st", "-"}) EXPECT_FALSE(right(word)) << word;
}

TEST(Table, StandsWithoutRows) {
  EXPECT_EQ(Table({"a", "b"}).text(), "a  b\n─  ─\n");
}

TEST(Table, RefusesARowThatIsTooLong) {
  Table table({"a"});
  EXPECT_THROW(table.add({"1", "2"}), std::logic_error);
}

}  // namespace
}  // namespace pdegcn::report
