#include "pdegcn/data/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace pdegcn::data {
namespace {

using Reader = std::unique_ptr<::archive, decltype(&archive_read_free)>;
using Writer = std::unique_ptr<::archive, decltype(&archive_write_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

constexpr std::size_t kChunk = 1 << 12;

[[noreturn]] void fail(const std::string& name, ::archive* a) {
  const char* reason = archive_error_string(a);
  throw Error("{}: {}", name, reason == nullptr ? "not a zip or tar archive" : reason);
}

std::string member_path(archive_entry* entry, const std::string& archive) {
  // The first is in the character set of the locale and may not exist there.
  for (const char* path : {archive_entry_pathname(entry), archive_entry_pathname_utf8(entry)})
    if (path != nullptr) return path;
  throw Error("{}: a member has no readable name", archive);
}

// Zip files may use methods whose decoders allocate what the file tells them to.
void check_method(::archive* a, const std::string& name) {
  if ((archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) != ARCHIVE_FORMAT_ZIP) return;
  const std::string_view format = archive_format_name(a);
  if (!format.ends_with("(uncompressed)") && !format.ends_with("(deflation)"))
    throw Error("{}: packed as {}; only stored and deflated members can be read", name, format);
}

std::string member_content(::archive* a, const std::string& name, std::uint64_t limit,
                           std::size_t expected) {
  std::string content;
  for (;;) {
    // A read comes back short only at the end: so one byte more than expected.
    const std::size_t have = content.size();
    const std::size_t room = have == 0 ? expected + 1 : std::max(kChunk, have);
    content.resize(have + room);
    const la_ssize_t got = archive_read_data(a, content.data() + have, room);
    // Less than ARCHIVE_OK are errors and warnings alike: a wrong checksum is only a warning.
    if (got < 0) fail(name, a);
    content.resize(have + static_cast<std::size_t>(got));
    if (content.size() > limit) throw Error("{}: unpacks to more than {} bytes", name, limit);
    if (static_cast<std::size_t>(got) < room) break;
  }
  if (content.capacity() > content.size() + content.size() / 4) content.shrink_to_fit();
  return content;
}

}  // namespace

std::vector<ArchiveMember> read_archive(const File& archive, const ArchiveLimits& limits) {
  const std::string_view bytes = archive.content();
  const Reader reader(archive_read_new(), &archive_read_free);
  ::archive* a = reader.get();
  // Only the zip reader that starts from the directory at the end: one that streams would take a
  // truncated archive for a shorter one.
  if (a == nullptr || archive_read_support_format_zip_seekable(a) != ARCHIVE_OK ||
      archive_read_support_format_tar(a) != ARCHIVE_OK ||
      archive_read_support_filter_gzip(a) != ARCHIVE_OK)
    throw Error("{}: libarchive cannot read zip and tar files here", archive.name());
  if (archive_read_open_memory(a, bytes.data(), bytes.size()) != ARCHIVE_OK)
    fail(archive.name(), a);

  std::uint64_t left =
      std::min(limits.total, std::max(limits.ratio * bytes.size(), limits.allowance));
  std::vector<ArchiveMember> members;
  for (;;) {
    archive_entry* entry = nullptr;
    const int state = archive_read_next_header(a, &entry);
    if (state == ARCHIVE_EOF) break;
    // A warning is about a name that the locale cannot spell.
    if (state != ARCHIVE_OK && state != ARCHIVE_WARN) fail(archive.name(), a);
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    std::string path = member_path(entry, archive.name());
    const std::string name = archive.name() + "/" + path;
    check_method(a, name);
    // The header's size is a hint, and only as far as the archive could hold it unpacked.
    const std::uint64_t claimed = std::max<std::int64_t>(0, archive_entry_size(entry));
    const std::size_t expected = std::min<std::uint64_t>(claimed, bytes.size());
    File file(name, member_content(a, name, std::min(left, limits.member), expected));
    left -= file.content().size();
    members.push_back({std::move(path), std::move(file)});
  }
  return members;
}

std::vector<ArchiveMember> read_archive(const std::filesystem::path& path,
                                        const ArchiveLimits& limits) {
  return read_archive(File(path), limits);
}

std::string zip(std::span<const ArchiveMember> members, Compression compression) {
  const Writer writer(archive_write_new(), &archive_write_free);
  ::archive* a = writer.get();
  const auto check = [a](la_ssize_t state) {
    if (state < ARCHIVE_OK) fail("writing a zip archive", a);
  };
  check(archive_write_set_format_zip(a));
  check(compression == Compression::kStored ? archive_write_zip_set_compression_store(a)
                                            : archive_write_zip_set_compression_deflate(a));
  check(archive_write_set_bytes_in_last_block(a, 1));  // no padding
  std::string bytes;
  check(archive_write_open(
      a, &bytes, nullptr,
      [](::archive*, void* to, const void* data, std::size_t size) -> la_ssize_t {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
        return static_cast<la_ssize_t>(size);
      },
      nullptr));
  for (const ArchiveMember& member : members) {
    const std::string_view content = member.file.content();
    const Entry entry(archive_entry_new(), &archive_entry_free);
    archive_entry_set_pathname_utf8(entry.get(), member.path.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    check(archive_write_header(a, entry.get()));
    if (!content.empty()) check(archive_write_data(a, content.data(), content.size()));
  }
  check(archive_write_close(a));
  return bytes;
}

}  // namespace pdegcn::data
