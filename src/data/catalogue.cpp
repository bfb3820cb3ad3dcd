#include "pdegcn/data/catalogue.h"

#include <fmt/ranges.h>

#include <sstream>
#include <unordered_map>

#include "pdegcn/data/nearest.h"
#include "pdegcn/graph/error.h"

namespace pdegcn::data {
namespace {

// As `sha256sum` prints and checks it.
constexpr const char* kChecksums = R"(
45ac593de9207470090230c8fd76beeb2f60b5371a9be088e8bf31e7f0619a4b  chameleon/out1_graph_edges.txt
5fd29736ff31b43a1bfcf305bc8b4cffc3103fb0957667976b2ea0f78aedcf5b  chameleon/out1_node_feature_label.txt
2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668  citeseer/ind.citeseer.allx
f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95  citeseer/ind.citeseer.ally
d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7  citeseer/ind.citeseer.graph
2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4  citeseer/ind.citeseer.test.index
539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21  citeseer/ind.citeseer.tx
55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce  citeseer/ind.citeseer.ty
d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6  citeseer/ind.citeseer.x
8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924  citeseer/ind.citeseer.y
9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543  cora/ind.cora.allx
2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71  cora/ind.cora.ally
58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d  cora/ind.cora.graph
297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875  cora/ind.cora.test.index
b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a  cora/ind.cora.tx
41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad  cora/ind.cora.ty
23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab  cora/ind.cora.x
94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1  cora/ind.cora.y
12dc60defc4f8a1f18499e3695bfd62ef0421f9b722297276e7f02dec7ae3dca  cornell/out1_graph_edges.txt
38561ad44e29199a826ccef7f94f469b94a912076f83fbc453a69b8ac2b4b858  cornell/out1_node_feature_label.txt
c4522a00cc40873c8a04a3a07c49e24a48a507eb284ac9c9f2d3e0590351bbb7  cornell_gcnii/out1_graph_edges.txt
cf5a3ca346cdd1210b8342e22517fcbbdae658065b7a3145f59350e50e6236a3  cornell_gcnii/out1_node_feature_label.txt
508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e  pubmed/ind.pubmed.allx
0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e  pubmed/ind.pubmed.ally
5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9  pubmed/ind.pubmed.graph
b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5  pubmed/ind.pubmed.test.index
4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d  pubmed/ind.pubmed.tx
ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd  pubmed/ind.pubmed.ty
fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33  pubmed/ind.pubmed.x
e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3  pubmed/ind.pubmed.y
36605525b69be4e7df5b31fe6a1d044288c6ebf9f9f0514ca151f6a36afc5e8b  splits/chameleon_split_0.6_0.2_0.npz
d0779d5a1bedf1967d394468a52c0175fb00595d361fba897faf73322386c952  splits/chameleon_split_0.6_0.2_1.npz
86ad0d827bf4301dff830598fc0b70d0dd8689c5b4d72dab1d87a6c1970c4c6e  splits/chameleon_split_0.6_0.2_2.npz
37b3e994adf3afc55e16b617ed05af4e3ce308800755839084d77eced0528e9d  splits/chameleon_split_0.6_0.2_3.npz
f6b1d067b2b330132839d8b6120077bdc6cf759f7ce421f881a02e2953ec4596  splits/chameleon_split_0.6_0.2_4.npz
e7661834275c826692510cea0457b18b2c1ee38771f178d06e701b97541a1f6d  splits/chameleon_split_0.6_0.2_5.npz
16648d1197c1d3a2dec385346212c382030b0d5a8c997f4255aa2afa68a6b174  splits/chameleon_split_0.6_0.2_6.npz
61adcc53846becefecd466a5364dda23b983d387d1ac5d58c6e24d080c0fcba7  splits/chameleon_split_0.6_0.2_7.npz
7076ad5341a8218b1f5b6eccf9cfd15d28286ea11ef5c06eeee77af24ff2bf63  splits/chameleon_split_0.6_0.2_8.npz
743c4f813bf6130398a6511eb9ff07d2366c73bd6c7fddaf226a3f9e2917e0e7  splits/chameleon_split_0.6_0.2_9.npz
31d483e4c9cbdd031c35e284fbda3935bfda6901b8618e4ef0381af5b9143582  splits/citeseer_split_0.6_0.2_0.npz
1e02e3220676a90715b5a868b207dc19f49e5bc13ef1e8a8c8305fb46e028659  splits/citeseer_split_0.6_0.2_1.npz
910ce9d1a9c12f2ce84486fa7d1953d560c2cf57f9e0c213a4ae362ca56bff77  splits/citeseer_split_0.6_0.2_2.npz
e8c84d2e0099b3c0d692a68126c03370579f0cd83c0dab42b25a0fb3b94cb2c6  splits/citeseer_split_0.6_0.2_3.npz
a45c9e6b4abe527499a1a1bf545063cdc910c82ef4676f1ef4e483bb77712c8e  splits/citeseer_split_0.6_0.2_4.npz
fc0f6091daab2b0f37a3522dbc60052d9bce4209e7c06482f6beb61a4ed442b9  splits/citeseer_split_0.6_0.2_5.npz
c99f610ff84bf5f5c3fe71b548c3cdf9c9bf02185d0152432b290877df1c4a3b  splits/citeseer_split_0.6_0.2_6.npz
26bb7e5ea3aed014df5765af845fae70db9cdbb8875c46fc89cc4d6d042fb182  splits/citeseer_split_0.6_0.2_7.npz
f8efadce7a3732ac39ec6625f591c9ed0b4222d95257f25f2a05ad5518e4a7eb  splits/citeseer_split_0.6_0.2_8.npz
d9e586dad1886b3e1fdf3999140a192bb0cacea67c7849262ec862b8e7286cdf  splits/citeseer_split_0.6_0.2_9.npz
619931e6c3f0248bf9c7b6be24680a0a617bcfaba661cb0d7afaee8e18a74a51  splits/cora_split_0.6_0.2_0.npz
d24be667034cb15a55bbf512dbae07b39c758eed66a9ba27106fa795422fe11c  splits/cora_split_0.6_0.2_1.npz
811fb695c4c9ab0a53ab3a665bf4232652a08a6e38faac5b43a7da43a8454b74  splits/cora_split_0.6_0.2_2.npz
9d9c19d88a689b76a4b97e8694ef8d20cb0f1b192bbd05a0d5649c91f0cb6ef4  splits/cora_split_0.6_0.2_3.npz
3040b6bc0ddfff3757d55f514becf0b1b6b2e382114bfb0bc900dbcbb58fca17  splits/cora_split_0.6_0.2_4.npz
52373862971060e366829930332acabaa90cc6f41019c52bf6c92e4c22f8f093  splits/cora_split_0.6_0.2_5.npz
07847ea94e8b19970cf86731f19869aac0c56310d27f687d0feb9553d7525dd6  splits/cora_split_0.6_0.2_6.npz
262573079c8b1f4bc043d32edd3d23a6c36f1d7258efe60c11a6197ba0eee560  splits/cora_split_0.6_0.2_7.npz
d6c6a2163aeadd103ae386e800e473d2388da866f3f464199180d9b0e2f7d6cc  splits/cora_split_0.6_0.2_8.npz
9d236d0cf723871d88dea567afe92d50c11d0ffba280349a5cc7f5f2ea42202f  splits/cora_split_0.6_0.2_9.npz
14022a1e19ec7fc0a07a2c06a785a2f9dc52809dbcd1c14fc318f7800675d73f  splits/cornell_split_0.6_0.2_0.npz
5568fa27e968a724c92211bf97026a36a08893cf94b218043e49b4c973c35cfb  splits/cornell_split_0.6_0.2_1.npz
763fc1f423395e4172617fa5b6bc0d7adad2241e5fedd1a4f0a098a67f9dc8e9  splits/cornell_split_0.6_0.2_2.npz
4334321cd9ec42de9d51107fb9a6dc310512e0921bc1cff0f390301ee37315fa  splits/cornell_split_0.6_0.2_3.npz
2b6b3ef396f4dc7fcdc276fb16b88bb87409b25879dd672b3a506eca844dd8d7  splits/cornell_split_0.6_0.2_4.npz
1a40ef8b20aa9e1aa850e1abdaba3efac1f66c98ef2c6a59eadefa21136ece6b  splits/cornell_split_0.6_0.2_5.npz
bcddf4ab59eae4c7d47b8a6cec9025a54ec0e6d3f3bdcd7678e201f25ace4642  splits/cornell_split_0.6_0.2_6.npz
2b497e12dfc123d7e7c9bb4fc4a82b5bee18409e109a3e3a04da439cacec964d  splits/cornell_split_0.6_0.2_7.npz
5c4e110d252d7ad156b2e4cd34b6dbd1cecbcc1755f8d72e932cc2a54f2b643c  splits/cornell_split_0.6_0.2_8.npz
80f1531807194d301affbf6f879a4ab4f56a19bdccb62d192e3ecd1b5275f052  splits/cornell_split_0.6_0.2_9.npz
a15825b5bf77ffd2e9179e354f455bb9a6f8c4886cb28796688a38d45d75bdc9  splits/pubmed_split_0.6_0.2_0.npz
51f2349156410d851859ff4858ecd401d05d024f1a3936250dd8e844a6fd527b  splits/pubmed_split_0.6_0.2_1.npz
d94a2a3d607f23d7dc88dabb966db7c7da187e0a2af3c848d88ab0c5452c4a2b  splits/pubmed_split_0.6_0.2_2.npz
62c389ddac567fcd25654db846fc693973c69cddf083f5495d33b592a768515e  splits/pubmed_split_0.6_0.2_3.npz
3b2bbeb2f4bbee257bb4c626c15c3e3dd0e9da6ed23bf16f6ac520b95e18f84d  splits/pubmed_split_0.6_0.2_4.npz
23aea01576f71aa165cd70564fb53b3f158d1ff71c1227e062797870fe130551  splits/pubmed_split_0.6_0.2_5.npz
9122bd4e8e42cab8d33e952693d18d0f49c5f11327b922baefb81228ee903c44  splits/pubmed_split_0.6_0.2_6.npz
958706e960939c716a5204671c08399864600ce82094755b2e61975137ccfae9  splits/pubmed_split_0.6_0.2_7.npz
764dd33802022d7ab2595f08f21b424e83007aceeb5f85c9403c74bf791f56f6  splits/pubmed_split_0.6_0.2_8.npz
b9d4b4362fc02751c168f68f4120ab2fb516f4c84d447571653f1cd692946a66  splits/pubmed_split_0.6_0.2_9.npz
7ba77bf7a8856fcc0ab15623a611b8cdce994e820f577da914123fb4f45272b0  splits/texas_split_0.6_0.2_0.npz
21cc244a96e3c51ad7993afb4dd227f90e467d82b964bb42d7d9fc500a6ef87f  splits/texas_split_0.6_0.2_1.npz
b9e96a699ccf3a4c31ffbd03e52b25570889833425d20fa44e06c37b327cf61e  splits/texas_split_0.6_0.2_2.npz
1a7deeb1285009789d5e6045d7e39f7d019c9223d9a75a2b7ce5e26d33b51f63  splits/texas_split_0.6_0.2_3.npz
b5419ff3fe31adcae66fdb085d4f47d0b188e9436ab59f438632af969aafc674  splits/texas_split_0.6_0.2_4.npz
68405fd1b9ff6105d99717220ecbd198785e338bf4a73abee722bbc9703d2667  splits/texas_split_0.6_0.2_5.npz
8ad78b973164e70e5ac0d282e79adcbc6006e373909fbdfd72a13131e09040b8  splits/texas_split_0.6_0.2_6.npz
a84bcbf997365bddf5fdf72ed49dc7e435e475f8c6210f8cdee7c8581a2bd6df  splits/texas_split_0.6_0.2_7.npz
65ba65f296f91d40d2d7d3c9369b67415094a7e254c6eee48cd6d6531c586fdf  splits/texas_split_0.6_0.2_8.npz
4306981d654ad8835c000c1f73fb6c1e60dfe99e26c13a6073f3b0f4cc3ce6ee  splits/texas_split_0.6_0.2_9.npz
f66f641e191d35d491cd3b63d6c2cd93c4b436da398984b44c19a8d4d7e7b1a5  splits/wisconsin_split_0.6_0.2_0.npz
534aeb97266bd5a85a8587adf8eebad3f2e001c1240610f24b62c0ad0c2466ee  splits/wisconsin_split_0.6_0.2_1.npz
047a5b641778ec3a4c76055fd7f18ecb2424c0952f20dfff7e1b17749d8acbdd  splits/wisconsin_split_0.6_0.2_2.npz
706c27b4c51d046c0316f1e915f093e4a1fff48b3436b3e7c421eab596a99e77  splits/wisconsin_split_0.6_0.2_3.npz
7ee813605eec086457aaff022cf3837f2f893fcf8bd37e3a8d2ff0c80e4c4f87  splits/wisconsin_split_0.6_0.2_4.npz
8094ac2bdaf2cbea8f7a48df66a0800c809b2fd5942740e6b0441b660d3a0dd5  splits/wisconsin_split_0.6_0.2_5.npz
c423a8deea9b18f9ecb6cfd703578e2159df167de01fe7e6195b88995010252d  splits/wisconsin_split_0.6_0.2_6.npz
57ad808c8d4dd94dc4404124370bbcebb3dcc597c2bea6457bf05f220adf1527  splits/wisconsin_split_0.6_0.2_7.npz
27d4d62a2a6aea2cdc399302237512ab0d64fb0c84e648112f97c5896274e42f  splits/wisconsin_split_0.6_0.2_8.npz
3c149cd124a19021031609e0d7743a7be59aae4f88c8d38410138e8f06f5daaf  splits/wisconsin_split_0.6_0.2_9.npz
0fe85183243a78cbee9b85a684f8240963d04d1020d10e9cd2b8cfb25e33b476  texas/out1_graph_edges.txt
cf5a3ca346cdd1210b8342e22517fcbbdae658065b7a3145f59350e50e6236a3  texas/out1_node_feature_label.txt
ebd213511c88fce1eda450c2f920600c4b8cbb38f02384856bcc47c6ec1807ae  wisconsin/out1_graph_edges.txt
a32b0aa38d42f0d36841e8a8cb646d197f0ff33a182ac75a2b4476aeed3c7e4b  wisconsin/out1_node_feature_label.txt
)";

std::unordered_map<std::string, std::string> checksums() {
  std::unordered_map<std::string, std::string> of_path;
  std::istringstream lines(kChecksums);
  for (std::string digest, path; lines >> digest >> path;) of_path[path] = digest;
  return of_path;
}

// Repositories that hold the same bytes. What lies at a commit cannot change.
constexpr const char* kPlanetoid = "https://github.com/kimiyoung/planetoid/raw/master/data/";
constexpr const char* kPlanetoidCommit =
    "https://raw.githubusercontent.com/kimiyoung/planetoid/"
    "af6abf468a772cc055bec88c52e4d6f51b7c37e3/data/";
constexpr const char* kGcn = "https://raw.githubusercontent.com/tkipf/gcn/master/gcn/data/";
constexpr const char* kGcniiData = "https://raw.githubusercontent.com/chennnM/GCNII/master/data/";
constexpr const char* kGeomGcn =
    "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/master/";
constexpr const char* kGeomGcnCommit =
    "https://raw.githubusercontent.com/bingzhewei/geom-gcn/"
    "1124af17444d7fd09686504ec46caa3f39f4f632/";
constexpr const char* kGcnii = "https://raw.githubusercontent.com/chennnM/GCNII/master/";
constexpr const char* kGcniiCommit =
    "https://raw.githubusercontent.com/chennnM/GCNII/ca91f5686c4cd09cc1c6f98431a5d5b7e36acc92/";

std::vector<std::string> at(const std::vector<std::string>& places, const std::string& path) {
  std::vector<std::string> urls = places;
  for (std::string& url : urls) url += path;
  return urls;
}

void add_splits(RemoteSet& set, const std::string& name) {
  for (int k = 0; k < 10; ++k) {
    const std::string path = "splits/" + name + "_split_0.6_0.2_" + std::to_string(k) + ".npz";
    set.files.push_back({path, at({kGeomGcn, kGeomGcnCommit, kGcnii, kGcniiCommit}, path), ""});
  }
}

RemoteSet planetoid(const std::string& name, const std::string& about) {
  RemoteSet set{.name = name, .about = about};
  for (const char* part : {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}) {
    const std::string file = fmt::format("ind.{}.{}", name, part);
    set.files.push_back({fmt::format("{}/{}", name, file),
                         at({kPlanetoid, kPlanetoidCommit, kGcn, kGcniiData}, file), ""});
  }
  add_splits(set, name);
  return set;
}

RemoteSet geom_gcn(const std::string& name, const std::string& about,
                   const std::vector<std::string>& places, const std::string& name_there) {
  RemoteSet set{.name = name, .about = about};
  for (const char* part : {"out1_graph_edges.txt", "out1_node_feature_label.txt"})
    set.files.push_back({name + "/" + part, at(places, "new_data/" + name_there + "/" + part), ""});
  add_splits(set, name_there);
  return set;
}

}  // namespace

std::vector<RemoteSet> catalogue() {
  const std::vector<std::string> everywhere = {kGeomGcn, kGeomGcnCommit, kGcnii, kGcniiCommit};
  const std::vector<std::string> corrected = {kGeomGcn, kGeomGcnCommit};
  const std::vector<std::string> older = {kGcnii, kGcniiCommit};
  std::vector<RemoteSet> sets = {
      planetoid("cora", "citations, 2,708 papers, 7 classes"),
      planetoid("citeseer", "citations, 3,327 papers, 6 classes"),
      planetoid("pubmed", "citations, 19,717 papers, 3 classes"),
      geom_gcn("chameleon", "links, 2,277 pages of Wikipedia, 5 classes", everywhere, "chameleon"),
      geom_gcn("cornell", "links, 183 web pages, 5 classes", corrected, "cornell"),
      geom_gcn("cornell_gcnii", "Cornell as used before mid 2022, with features of Texas", older,
               "cornell"),
      geom_gcn("texas", "links, 183 web pages, 5 classes", everywhere, "texas"),
      geom_gcn("wisconsin", "links, 251 web pages, 5 classes", everywhere, "wisconsin"),
      {.name = "ppi",
       .about = "24 graphs of interacting proteins, 121 labels",
       .files = {{"ppi.zip",
                  {"https://data.dgl.ai/dataset/ppi.zip",
                   "https://snap.stanford.edu/graphsage/ppi.zip"},
                  "",
                  std::uint64_t{256} << 20}},
       .archive = true,
       .max_unpacked = std::uint64_t{2} << 30},
      {.name = "modelnet10",
       .about = "4,899 shapes, 10 classes, as meshes",
       .files = {{"ModelNet10.zip",
                  {"http://3dvision.princeton.edu/projects/2014/3DShapeNets/ModelNet10.zip",
                   "http://vision.princeton.edu/projects/2014/3DShapeNets/ModelNet10.zip"},
                  "",
                  std::uint64_t{1} << 30}},
       .archive = true,
       .max_unpacked = std::uint64_t{8} << 30},
      {.name = "faust",
       .about = "100 scanned people, registered to one mesh",
       .archive = true,
       .only = "training/registrations/",
       .max_unpacked = std::uint64_t{1} << 30,
       .steps = "FAUST may not be passed on; its owner gives it to those who accept the licence:\n"
                "  1. Register at https://faust.is.tue.mpg.de and read the licence "
                "(research, not commercial).\n"
                "  2. Download MPI-FAUST.zip there.\n"
                "  3. pdegcn fetch faust --from MPI-FAUST.zip"}};
  const auto known = checksums();
  for (RemoteSet& set : sets)
    for (RemoteFile& file : set.files)
      if (const auto found = known.find(file.path); found != known.end())
        file.sha256 = found->second;
  return sets;
}

RemoteSet remote_set(const std::string& name) {
  std::vector<RemoteSet> sets = catalogue();
  std::vector<std::string_view> names;
  for (RemoteSet& set : sets) {
    if (set.name == name) return std::move(set);
    names.push_back(set.name);
  }
  const std::string_view nearest = nearest_name(name, names);
  throw Error("there is no public data set '{}'{}; there are {}", name,
              nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest),
              fmt::join(names, ", "));
}

}  // namespace pdegcn::data
