#include "pdegcn/report/metrics_log.h"

#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const std::vector<std::string> kColumns{"train_loss", "val_score"};

void add(MetricsLog& log, std::int64_t epoch) {
  const std::vector<double> row{1.0 / static_cast<double>(epoch), epoch % 2 == 0 ? kNan : 0.5};
  log.add(epoch, row);
}

TEST(MetricsLog, WritesPlainRowsAtOnce) {
  const Scratch scratch;
  MetricsLog log = MetricsLog::create(scratch / "m.csv", kColumns);
  EXPECT_EQ(content(scratch / "m.csv"), "epoch,train_loss,val_score\n");
  log.add(1, std::vector<double>{0.1, 1});
  log.add(2, std::vector<double>{1e-300, kNan});
  log.add(7, std::vector<double>{-kInf, 1.0 / 3});
  EXPECT_EQ(content(scratch / "m.csv"),
            "epoch,train_loss,val_score\n1,0.1,1\n2,1e-300,\n7,-inf,0.3333333333333333\n");

  const Metrics read = read_metrics(scratch / "m.csv");
  EXPECT_EQ(read.epochs, (std::vector<std::int64_t>{1, 2, 7}));
  EXPECT_EQ(read.columns, kColumns);
  ASSERT_NE(read.find("val_score"), nullptr);
  EXPECT_EQ(read.find("val_score")->at(2), 1.0 / 3);
  EXPECT_TRUE(std::isnan(read.find("val_score")->at(1)));
  EXPECT_EQ(read.find("train_loss")->at(2), -kInf);
  EXPECT_EQ(read.find("test_score"), nullptr);
}

TEST(MetricsLog, NumbersReadBackAsTheSame) {
  const Scratch scratch;
  EXPECT_TRUE(rc::check([&](const std::vector<std::uint64_t>& bits) {
    MetricsLog log = MetricsLog::create(scratch / "m.csv", {"x"});
    std::vector<double> values;
    for (const std::uint64_t b : bits) values.push_back(std::bit_cast<double>(b));
    for (std::size_t k = 0; k < values.size(); ++k) log.add(1 + k, std::span(&values[k], 1));
    const Metrics read = read_metrics(scratch / "m.csv");
    RC_ASSERT(read.epochs.size() == values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
      RC_ASSERT((read.values[0][k] == values[k] ||
                 (std::isnan(read.values[0][k]) && std::isnan(values[k]))));
  }));
}

// Cut anywhere after the kept epoch, even within a row, the resumed file ends with the same bits.
TEST(MetricsLog, ResumesToTheSameBits) {
  const Scratch scratch;
  std::vector<std::size_t> ends;
  {
    MetricsLog log = MetricsLog::create(scratch / "whole", kColumns);
    ends.push_back(content(scratch / "whole").size());
    for (int epoch = 1; epoch <= 5; ++epoch) {
      add(log, epoch);
      ends.push_back(content(scratch / "whole").size());
    }
  }
  const std::string whole = content(scratch / "whole");
  for (int last = 0; last <= 5; ++last)
    for (std::size_t size = ends[last]; size <= whole.size(); ++size) {
      put(scratch / "cut", whole.substr(0, size));
      MetricsLog log = MetricsLog::resume(scratch / "cut", kColumns, last);
      for (int epoch = last + 1; epoch <= 5; ++epoch) add(log, epoch);
      ASSERT_EQ(content(scratch / "cut"), whole) << last << " " << size;
    }
}

TEST(MetricsLog, RefusesToResumeWhatDoesNotFit) {
  const Scratch scratch;
  const auto message = [&](const std::string& bytes) {
    put(scratch / "m.csv", bytes);
    const std::string out = error_of([&] { MetricsLog::resume(scratch / "m.csv", kColumns, 2); });
    EXPECT_EQ(content(scratch / "m.csv"), bytes);
    return out;
  };
  const std::string head = "epoch,train_loss,val_score\n";
  EXPECT_TRUE(mentions(message(""), "head"));
  EXPECT_TRUE(mentions(message("a,b\n"), "head"));
  EXPECT_TRUE(mentions(message("epoch,loss\n1,2\n2,3\n"), "columns are loss"));
  EXPECT_TRUE(mentions(message(head + "1,2,3\n"), "epoch 2"));
  EXPECT_TRUE(mentions(message(head + "1,2,3\n2,3,"), "epoch 2"));
  EXPECT_TRUE(mentions(message(head + "1,2,3\n3,2,3\n"), "epoch 2"));
  EXPECT_TRUE(mentions(message(head + "1,2,x\n2,2,3\n"), ":2: val_score 'x'"));
}

TEST(MetricsLog, ResumesAFileWithOtherLineEnds) {
  const Scratch scratch;
  put(scratch / "m.csv", "epoch,a\r\n1,2\r\n2,3\r\n");
  MetricsLog log = MetricsLog::resume(scratch / "m.csv", {"a"}, 1);
  log.add(2, std::vector<double>{4});
  EXPECT_EQ(content(scratch / "m.csv"), "epoch,a\r\n1,2\r\n2,4\n");
}

TEST(MetricsLog, RefusesBadColumnsAndRows) {
  const Scratch scratch;
  EXPECT_TRUE(mentions(error_of([&] { MetricsLog::create(scratch / "m.csv", {"a,b"}); }), "'a,b'"));
  EXPECT_TRUE(mentions(error_of([&] {
                         MetricsLog::create(scratch / "m.csv", {"a", "a"});
                       }),
                       "two columns"));
  EXPECT_TRUE(
      mentions(error_of([&] { MetricsLog::create(scratch / "m.csv", {"epoch"}); }), "two columns"));
  MetricsLog log = MetricsLog::create(scratch / "m.csv", {"a"});
  EXPECT_THROW(log.add(1, std::vector<double>{}), std::logic_error);
  log.add(1, std::vector<double>{1});
  EXPECT_THROW(log.add(1, std::vector<double>{1}), std::logic_error);
}

TEST(ReadMetrics, LeavesOutARowThatIsBeingWritten) {
  const Scratch scratch;
  put(scratch / "m.csv", "epoch,a\n1,0.5\n2,0.2");
  EXPECT_EQ(read_metrics(scratch / "m.csv").epochs, std::vector<std::int64_t>{1});
}

TEST(ReadMetrics, NamesTheLineOfAnError) {
  const Scratch scratch;
  const auto message = [&](const std::string& bytes) {
    put(scratch / "m.csv", bytes);
    return error_of([&] { read_metrics(scratch / "m.csv"); });
  };
  EXPECT_TRUE(mentions(message("epoch,a\n1\n"), ":2: 'a' is missing"));
  EXPECT_TRUE(mentions(message("epoch,a\n1,2,3\n"), ":2: unexpected '3'"));
  EXPECT_TRUE(mentions(message("epoch,a\n2,2\n1,2\n"), ":3: epoch 1"));
  EXPECT_TRUE(mentions(message("epoch,a\none,2\n"), ":2: the epoch 'one'"));
}

}  // namespace
}  // namespace pdegcn::report
