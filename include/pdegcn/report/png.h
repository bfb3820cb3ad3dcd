#pragma once

#include <filesystem>
#include <string>

#include "pdegcn/report/image.h"

namespace pdegcn::report {

// The bytes of a PNG file, 8 bits per channel.
std::string png(const Image& image);

// Writes them as write_atomically does.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace pdegcn::report
