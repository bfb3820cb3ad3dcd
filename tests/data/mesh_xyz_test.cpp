#include <gtest/gtest.h>

#include "pdegcn/data/mesh.h"
#include "tests/support/expect_error.h"

namespace pdegcn::data {
namespace {

Mesh xyz(const std::string& content) {
  return read_xyz(File("x.xyz", content));
}

const std::vector<float> kPoints{1, 2, 3, -4, 5, 6};

TEST(Xyz, ReadsEverySeparator) {
  for (const std::string content :
       {"1 2 3\n-4 5 6\n", "1\t2\t3\n-4\t5\t6", "1,2,3\n-4,5,6\n", " 1 , 2 , 3\r\n-4 , 5 , 6\r\n",
        "1;2;3\n-4;5;6\n", "# points\n\n1 2 3\n# more\n-4 5 6\n\n",
        "\xEF\xBB\xBF"
        "1 2 3\n-4 5 6\n",
        "1 2 3 0.1 0.2\n-4 5 6 abc 0.2\n", "1.0e0 +2 3.\n-4 5 6\n"}) {
    EXPECT_EQ(xyz(content).positions, kPoints) << content;
    EXPECT_TRUE(xyz(content).triangles.empty());
  }
}

TEST(Xyz, ALineOfNamesSaysWhichColumns) {
  EXPECT_EQ(xyz("x,y,z\n1,2,3\n-4,5,6\n").positions, kPoints);
  EXPECT_EQ(xyz("id,Z,name,X,Y\n7,3,a,1,2\n8,6,b,-4,5\n").positions, kPoints);
  EXPECT_EQ(xyz("//X Y Z R G B\n1 2 3 9 9 9\n-4 5 6 9 9 9\n").positions, kPoints);
}

TEST(Xyz, RefusesWithFileAndLine) {
  PDEGCN_EXPECT_ERROR(xyz("a,b,c\n1,2,3\n"), "x.xyz:1: this line holds neither numbers nor");
  PDEGCN_EXPECT_ERROR(xyz("1 2\n"), "x.xyz:1: a point needs three coordinates");
  PDEGCN_EXPECT_ERROR(xyz("1 2 3\n1 2 3 4\n"), "x.xyz:2: 4 columns where the lines before have 3");
  PDEGCN_EXPECT_ERROR(xyz("1 2 3 4\n1 2 3\n"), "x.xyz:2: 3 columns where the lines before have 4");
  PDEGCN_EXPECT_ERROR(xyz("1 2 3\n1 x 3\n"), "x.xyz:2: the coordinate 'x' is not a number");
  PDEGCN_EXPECT_ERROR(xyz("1 2 3\n1 nan 3\n"), "x.xyz:2: the coordinate 'nan' is not a finite");
  PDEGCN_EXPECT_ERROR(xyz("1 2 3\n1 1e99 3\n"), "x.xyz:2: the coordinate '1e99' is not a finite");
  PDEGCN_EXPECT_ERROR(xyz("1,2,3\n1,,3\n"), "x.xyz:2: the coordinate '' is not a number");
}

}  // namespace
}  // namespace pdegcn::data
