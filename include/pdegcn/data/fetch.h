#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pdegcn/data/catalogue.h"
#include "pdegcn/data/download.h"

namespace pdegcn::data {

struct FetchOptions {
  std::filesystem::path data_folder;

  // Addresses that hold the same tree as the data folder, archives beside the folders: tried before
  // those of the catalogue.
  std::vector<std::string> mirrors;

  // A local copy of the archive of a data set, to be unpacked instead of a download.
  std::filesystem::path archive;

  DownloadOptions download;
  std::function<void(const std::string& path)> unpacking;  // called before each file
};

struct FetchReport {
  int present = 0;     // files that were there, with the right checksum where one is known
  int fetched = 0;     // files that came, or were unpacked
  int unverified = 0;  // downloads among them without a known checksum
};

// Brings a data set into the data folder, each file in one step, so that a kill at any moment
// leaves nothing half done in its place; what is already there stays. Throws Error when a file can
// be had nowhere, or with the steps to take when no one may pass the data set on.
FetchReport fetch(const RemoteSet& set, const FetchOptions& options);

// Whether all files of a data set are in the folder; checksums are not looked at.
bool is_fetched(const RemoteSet& set, const std::filesystem::path& data_folder);

}  // namespace pdegcn::data
