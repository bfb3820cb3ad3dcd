#include "pdegcn/report/run_folder.h"

#include <sys/file.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "pdegcn/data/file.h"
#include "pdegcn/report/atomic_file.h"
#include "posix.h"

namespace pdegcn::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "# A run of pdegcn.";
constexpr std::string_view kLockName = ".lock";

bool holds_run(const RunFiles& files) {
  return fs::is_regular_file(files.config()) &&
         data::File(files.config()).content().starts_with(kMark);
}

// Texts by their letters, but numbers within them by their values: "d-2" before "d-10".
bool in_number_order(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) {
    return std::min(text.find_first_not_of("0123456789"), text.size());
  };
  while (!a.empty() && !b.empty()) {
    const std::size_t m = digits(a), n = digits(b);
    if (m > 0 && n > 0 && m != n) return m < n;  // of equal length, their digits compare
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

bool is_temporary(const fs::path& path) {
  return path.filename().string().ends_with(kTemporarySuffix);
}

// Calls a function of the file system and turns its failure into an Error.
template <class Call>
auto guarded(const fs::path& folder, const Call& call) {
  try {
    return call();
  } catch (const fs::filesystem_error& error) {
    throw Error("{}: {}", folder.string(), error.code().message());
  }
}

// What a killed process left behind in a folder that this one has the lock of.
void remove_temporaries(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (is_temporary(entry.path())) fs::remove(entry.path());
}

// Throws unless a new run may move in.
void check_free(const RunFiles& files) {
  if (holds_run(files))
    throw Error(
        "{}: there is a run already: resume it (--resume), or choose another folder (--out)",
        files.folder.string());
  if (const std::string other = occupant(files.folder); !other.empty())
    throw Error("{}: the folder holds something that is no run ('{}'): choose another (--out)",
                files.folder.string(), other);
}

// The runs that lie in a folder which is none itself.
std::vector<RunFiles> runs_in(const fs::path& folder) {
  std::vector<RunFiles> runs;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && holds_run({entry.path()})) runs.push_back({entry.path()});
  std::ranges::sort(runs, in_number_order,
                    [](const RunFiles& run) { return run.folder.filename().string(); });
  return runs;
}

}  // namespace

std::string occupant(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename() != kLockName && !is_temporary(entry.path()))
      return entry.path().filename().string();
  return {};
}

RunFiles find_run(const fs::path& folder) {
  return guarded(folder, [&] {
    RunFiles files{folder};
    if (!fs::exists(folder)) throw Error("{}: there is no such folder", folder.string());
    if (!fs::is_directory(folder)) throw Error("{}: this is not a folder", folder.string());
    if (holds_run(files)) return files;
    if (const auto runs = runs_in(folder); !runs.empty())
      throw Error("{}: this folder holds several runs: choose one, such as {}", folder.string(),
                  runs.front().folder.string());
    throw Error(
        "{}: this folder holds no run of pdegcn: there is no config.toml that begins with "
        "'{}'",
        folder.string(), kMark);
  });
}

std::vector<RunFiles> find_runs(const fs::path& folder) {
  std::vector<RunFiles> runs;
  guarded(folder, [&] {
    if (fs::is_directory(folder) && !holds_run({folder})) runs = runs_in(folder);
  });
  if (runs.empty()) return {find_run(folder)};
  return runs;
}

// The system frees the lock when the process ends, however it ends, so the file may stay.
struct FolderLock::State {
  explicit State(const fs::path& path) : file(path.string(), O_RDWR | O_CREAT | O_CLOEXEC) {
    const std::string folder = path.parent_path().string();
    if (!file) fail_with_errno(folder, "write to the folder");
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail_with_errno(folder, "lock the folder");
      throw InUse("{}: the folder is in use by {}", folder, holder());
    }
    // The number only serves the message of others: failing to write it does no harm.
    const std::string id = fmt::format("{}\n", ::getpid());
    if (::ftruncate(file.get(), 0) == 0) file.write(id);
  }

  std::string holder() const {
    std::array<char, 32> text{};
    const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
    long id = 0;
    std::from_chars(text.data(), text.data() + std::max<ssize_t>(got, 0), id);
    return id > 0 ? fmt::format("process {}", id) : "another process";
  }

  Descriptor file;
};

FolderLock::FolderLock(const fs::path& folder)
    : state_(std::make_shared<State>(folder / kLockName)) {}

RunFolder RunFolder::create(const fs::path& folder, std::string_view config) {
  return guarded(folder, [&] {
    fs::create_directories(folder);
    check_free({folder});  // before the lock, which must not appear in a folder of something else
    RunFolder run(folder);
    check_free(run.files_);  // and under it, as another process may have been quicker
    remove_temporaries(folder);
    const std::string mark =
        fmt::format("{} 'pdegcn train --config' with this file repeats it.\n", kMark);
    write_atomically(run.files_.config(), std::array<std::string_view, 2>{mark, config});
    return run;
  });
}

RunFolder RunFolder::resume(const fs::path& folder) {
  return guarded(folder, [&] {
    RunFolder run(find_run(folder).folder);
    remove_temporaries(folder);
    return run;
  });
}

}  // namespace pdegcn::report
