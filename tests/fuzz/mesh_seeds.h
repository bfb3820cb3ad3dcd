#pragma once

#include <filesystem>

namespace pdegcn::tests {

// Writes the binary seeds of the mesh formats: corpus/ply and corpus/pcd.
void write_mesh_seeds(const std::filesystem::path& corpus);

}  // namespace pdegcn::tests
