#include "client/worker/incarnation_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace muster::worker {
namespace {

absl::Status CantKeep(const std::string& path, const std::string& why) {
  return absl::PermissionDeniedError(
      absl::StrCat("can't keep the count of starts in ", path, ": ", why, "; give a writable folder with --state-dir"));
}

}  // namespace

absl::StatusOr<v1::Incarnation> NextIncarnation(const IncarnationSource& source, absl::Time now) {
  std::error_code error;
  std::filesystem::create_directories(source.folder, error);
  if (error) return CantKeep(source.folder, error.message());
  // The member's name may hold anything: hex keeps it one plain file name.
  const std::string path =
      absl::StrCat(source.folder, "/", absl::BytesToHexString(source.member).substr(0, 200), ".starts");
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return CantKeep(path, std::strerror(errno));
  const auto close_fd = absl::MakeCleanup([fd] { close(fd); });
  if (flock(fd, LOCK_EX) != 0) return CantKeep(path, std::strerror(errno));

  char text[64] = {};
  if (pread(fd, text, sizeof(text) - 1, 0) < 0) return CantKeep(path, std::strerror(errno));
  int64_t ordinal = 0;
  if (!absl::SimpleAtoi(text, &ordinal)) ordinal = 0;  // an empty file, or one that a crash cut short
  ordinal += 1;
  if (source.pod_uid.empty()) ordinal = std::max(ordinal, absl::ToUnixMicros(now));
  const std::string next = absl::StrCat(ordinal, "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, next.data(), next.size(), 0) != static_cast<ssize_t>(next.size()) ||
      fsync(fd) != 0) {
    return CantKeep(path, std::strerror(errno));
  }

  v1::Incarnation incarnation;
  incarnation.set_restart_attempt(source.restart_attempt);
  incarnation.set_ordinal(ordinal);
  incarnation.set_uid(source.pod_uid);
  return incarnation;
}

}  // namespace muster::worker
