#include "case.h"

#include <fmt/format.h>

#include <algorithm>

#include "pdegcn/data/open.h"

namespace pdegcn::bench {

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const std::string& data, const char* model, std::int64_t channels,
                       std::int64_t layers, bool usual) {
    all.push_back({fmt::format("{}-{}-{}-{}", data, model, channels, layers), data, model, channels,
                   layers, usual});
  };
  for (const char* prefix : {"like-", ""}) {
    for (const char* name : {"texas", "cora", "citeseer", "pubmed"}) {
      const std::string data = prefix + std::string(name);
      const auto sets = data::named_sets();
      const auto set = std::ranges::find(sets, data, &data::NamedSet::name);
      if (!set->markers.empty() && !data::find_set(*set, data::default_data_dir())) continue;
      for (const char* model : {"d", "h"})
        for (const std::int64_t channels : {64, 256})
          for (const std::int64_t layers : {2, 16, 64})
            add(data, model, channels, layers,
                *model == 'd' && ((data == "like-cora" && channels == 64) ||
                                  (data == "like-pubmed" && channels == 256 && layers == 16)));
    }
  }
  add(kMesh, "h", 256, 8, true);
  add(kRmat, "d", 64, 8, false);
  return all;
}

Case made_quick(Case what) {
  if (what.data != kMesh && what.data != kRmat) what.data = "like-texas";
  what.channels = std::min<std::int64_t>(what.channels, 16);
  what.layers = std::min<std::int64_t>(what.layers, 3);
  return what;
}

}  // namespace pdegcn::bench
