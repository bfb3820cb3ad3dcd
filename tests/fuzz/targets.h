#pragma once

#include "pdegcn/data/file.h"

namespace pdegcn::tests {

// One function per format that anyone may be sent a file in: it reads the bytes as a reader would.
// Nothing but pdegcn::Error may leave it, whatever the bytes.
//
// Each is the entry of a libFuzzer program (tests/fuzz) and, with the seeds in corpus/<name>, of
// the tests of the data floor, which replay and mutate them.
void fuzz_csv(const data::File& file);
void fuzz_geom_gcn(const data::File& file);
void fuzz_gnn_benchmark(const data::File& file);
void fuzz_json(const data::File& file);
void fuzz_npy(const data::File& file);
void fuzz_obj(const data::File& file);
void fuzz_off(const data::File& file);
void fuzz_pcd(const data::File& file);
void fuzz_pickle(const data::File& file);
void fuzz_ply(const data::File& file);
void fuzz_svmlight(const data::File& file);
void fuzz_xyz(const data::File& file);

struct FuzzTarget {
  const char* name;
  void (*run)(const data::File& file);
};

inline constexpr FuzzTarget kFuzzTargets[] = {
    {"csv", fuzz_csv},   {"geom_gcn", fuzz_geom_gcn}, {"gnn_benchmark", fuzz_gnn_benchmark},
    {"json", fuzz_json}, {"npy", fuzz_npy},           {"obj", fuzz_obj},
    {"off", fuzz_off},   {"pcd", fuzz_pcd},           {"pickle", fuzz_pickle},
    {"ply", fuzz_ply},   {"svmlight", fuzz_svmlight}, {"xyz", fuzz_xyz},
};

}  // namespace pdegcn::tests
