#include "client/worker/incarnation_file.h"

#include <fcntl.h>
#include <google/protobuf/util/time_util.h>
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
#include "absl/strings/str_split.h"

namespace muster::worker {
namespace {

absl::Status CantKeep(const std::string& path, const std::string& why) {
  return absl::PermissionDeniedError(
      absl::StrCat("can't keep the count of starts in ", path, ": ", why, "; give a writable folder with --state-dir"));
}

// Two decimal numbers: ordinal and creation time (ns since 1970).
struct Kept {
  int64_t ordinal = 0;
  int64_t created_ns = 0;
};

Kept Parse(absl::string_view text) {
  const std::vector<absl::string_view> fields = absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  Kept kept;
  if (fields.size() != 2 || !absl::SimpleAtoi(fields[0], &kept.ordinal) ||
      !absl::SimpleAtoi(fields[1], &kept.created_ns))
    return {};
  return kept;
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
  Kept kept = Parse(text);
  kept.ordinal += 1;
  kept.created_ns = std::max(absl::ToUnixNanos(now), kept.created_ns + 1);
  const std::string next = absl::StrCat(kept.ordinal, " ", kept.created_ns, "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, next.data(), next.size(), 0) != static_cast<ssize_t>(next.size()) ||
      fsync(fd) != 0) {
    return CantKeep(path, std::strerror(errno));
  }

  v1::Incarnation incarnation;
  incarnation.set_restart_attempt(source.restart_attempt);
  incarnation.set_ordinal(kept.ordinal);
  if (source.pod_uid.empty()) {
    incarnation.set_uid(source.host);
    *incarnation.mutable_created() = google::protobuf::util::TimeUtil::NanosecondsToTimestamp(kept.created_ns);
  } else {
    incarnation.set_uid(source.pod_uid);
  }
  return incarnation;
}

}  // namespace muster::worker
