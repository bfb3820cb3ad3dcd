#include "pdegcn/report/vtk.h"

#include <cstring>
#include <map>

#include "tests/report/scratch.h"

namespace pdegcn::report {
namespace {

using namespace pdegcn::tests;

// Reads back what was written, from the description of the format and nothing else.
struct Vtp {
  explicit Vtp(const std::string& file) {
    const std::string mark = "<AppendedData encoding=\"raw\">\n_";
    const std::size_t begin = file.find(mark);
    EXPECT_NE(begin, std::string::npos);
    EXPECT_TRUE(file.ends_with("\n</AppendedData>\n</VTKFile>\n"));
    const std::string xml = file.substr(0, begin);
    const std::string data = file.substr(begin + mark.size());
    EXPECT_TRUE(mentions(xml, "byte_order=\"LittleEndian\" header_type=\"UInt64\""));
    std::size_t expected = 0;
    std::string section;
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
      const std::string tag = xml.substr(at + 1, xml.find('>', at) - at - 1);
      const std::string name = tag.substr(0, tag.find(' '));
      if (name == "Piece") piece = tag;
      if (name != "DataArray") {
        section = name;
        continue;
      }
      const std::size_t offset = std::stoul(attribute(tag, "offset"));
      EXPECT_EQ(offset, expected);  // blocks follow each other without a gap
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, data.data() + offset, 8);
      expected = offset + 8 + bytes;
      EXPECT_LE(expected, data.size());
      blocks[section + "/" + attribute(tag, "Name")] = {attribute(tag, "type"),
                                                        data.substr(offset + 8, bytes)};
    }
    EXPECT_EQ(data.substr(expected), "\n</AppendedData>\n</VTKFile>\n");
  }

  static std::string attribute(const std::string& tag, const std::string& name) {
    const std::size_t begin = tag.find(" " + name + "=\"") + name.size() + 3;
    return tag.substr(begin, tag.find('"', begin) - begin);
  }

  template <class T>
  std::vector<T> array(const std::string& name) const {
    const auto& [type, bytes] = blocks.at(name);
    EXPECT_EQ(type, (std::is_same_v<T, float> ? "Float32" : "Int64"));
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }

  std::string piece;
  std::map<std::string, std::pair<std::string, std::string>> blocks;
};

const std::vector<float> kSquare{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5f};
using Ids = std::vector<std::int64_t>;

TEST(WriteVtp, WritesAMeshWithScalars) {
  const Scratch scratch;
  const std::vector<Triangle> triangles{{0, 1, 2}, {0, 2, 3}};
  const std::vector<float> heat{1, 2, 3, 4}, label{0, 0, 1, 1};
  write_vtp(scratch / "a.vtp",
            {kSquare, triangles, {}, {{"f<0> & \"α\"", heat}, {"label", label}}});
  const Vtp vtp(content(scratch / "a.vtp"));
  EXPECT_TRUE(mentions(vtp.piece, "NumberOfPoints=\"4\""));
  EXPECT_TRUE(mentions(vtp.piece, "NumberOfPolys=\"2\""));
  EXPECT_TRUE(mentions(vtp.piece, "NumberOfVerts=\"0\""));
  EXPECT_EQ(vtp.array<float>("Points/Points"), kSquare);
  EXPECT_EQ(vtp.array<std::int64_t>("Polys/connectivity"), (Ids{0, 1, 2, 0, 2, 3}));
  EXPECT_EQ(vtp.array<std::int64_t>("Polys/offsets"), (Ids{3, 6}));
  EXPECT_EQ(vtp.array<float>("PointData/f&lt;0&gt; &amp; &quot;α&quot;"), heat);
  EXPECT_EQ(vtp.array<float>("PointData/label"), label);
}

TEST(WriteVtp, WritesAGraph) {
  const Scratch scratch;
  const std::vector<Edge> edges{{0, 1}, {1, 3}};
  write_vtp(scratch / "a.vtp", {kSquare, {}, edges, {}});
  const Vtp vtp(content(scratch / "a.vtp"));
  EXPECT_TRUE(mentions(vtp.piece, "NumberOfLines=\"2\""));
  EXPECT_EQ(vtp.array<std::int64_t>("Lines/connectivity"), (Ids{0, 1, 1, 3}));
  EXPECT_EQ(vtp.array<std::int64_t>("Lines/offsets"), (Ids{2, 4}));
  EXPECT_TRUE(vtp.array<std::int64_t>("Verts/connectivity").empty());
}

TEST(WriteVtp, WritesACloudAsVertices) {
  const Scratch scratch;
  write_vtp(scratch / "a.vtp", {kSquare, {}, {}, {}});
  const Vtp vtp(content(scratch / "a.vtp"));
  EXPECT_TRUE(mentions(vtp.piece, "NumberOfVerts=\"4\""));
  EXPECT_EQ(vtp.array<std::int64_t>("Verts/connectivity"), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(vtp.array<std::int64_t>("Verts/offsets"), (Ids{1, 2, 3, 4}));
}

TEST(WriteVtp, RefusesWhatDoesNotFit) {
  const Scratch scratch;
  const auto message = [&](const VtkMesh& mesh) {
    return error_of([&] { write_vtp(scratch / "a.vtp", mesh); });
  };
  const std::vector<Triangle> far{{0, 1, 4}};
  const std::vector<Edge> before{{-1, 0}};
  const std::vector<float> three(3), four(4);
  EXPECT_TRUE(mentions(message({std::span(kSquare).first(5), {}, {}, {}}), "rows of three"));
  EXPECT_TRUE(mentions(message({kSquare, far, {}, {}}), "point 4"));
  EXPECT_TRUE(mentions(message({kSquare, {}, before, {}}), "point -1"));
  EXPECT_TRUE(mentions(message({kSquare, {}, {}, {{"a", three}}}), "3 values for 4"));
  EXPECT_TRUE(mentions(message({kSquare, {}, {}, {{"", four}}}), "name"));
  EXPECT_TRUE(mentions(message({kSquare, {}, {}, {{"a", four}, {"a", four}}}), "name"));
  EXPECT_EQ(scratch.count(), 0u);
}

TEST(WriteVtpSeries, ListsTheFrames) {
  const Scratch scratch;
  const std::vector<VtkFrame> frames{{"f_0.vtp", 0}, {"f_\"1\".vtp", 0.25}};
  write_vtp_series(scratch / "f.vtp.series", frames);
  std::string text = content(scratch / "f.vtp.series");
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_EQ(text, R"({"file-series-version":"1.0","files":[{"name":"f_0.vtp","time":0.0},)"
                  R"({"name":"f_\"1\".vtp","time":0.25}]})");
}

}  // namespace
}  // namespace pdegcn::report
