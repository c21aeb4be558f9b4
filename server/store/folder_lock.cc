#include "server/store/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace muster::store {
namespace {

absl::Status CantUse(const std::string& folder, const std::string& why) {
  return absl::PermissionDeniedError(
      absl::StrCat("can't use the data folder ", folder, ": ", why, "; give another one with --data"));
}

}  // namespace

absl::StatusOr<FolderLock> FolderLock::Take(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    std::filesystem::create_directories(folder, error);
    if (error) return CantUse(folder, error.message());
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  const std::string path = absl::StrCat(folder, "/lock");
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == ENOSPC || errno == EDQUOT))
    return absl::UnavailableError(absl::StrCat("can't make ", path, ": ", std::strerror(errno)));
  if (fd < 0) return CantUse(folder, std::strerror(errno));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    char pid[32] = {};
    const ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);
    close(fd);
    return absl::FailedPreconditionError(
        absl::StrCat("the data folder ", folder, " belongs to another musterd",
                     n > 0 ? absl::StrCat(" (pid ", absl::string_view(absl::StripAsciiWhitespace(pid)), ")") : "",
                     "; end that one first, or give this one another folder with --data"));
  }
  const std::string pid = absl::StrCat(getpid(), "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    const int error = errno;
    close(fd);
    // It may have room again.
    if (error == ENOSPC || error == EDQUOT)
      return absl::UnavailableError(absl::StrCat("can't write ", path, ": ", std::strerror(error)));
    return CantUse(folder, std::strerror(error));
  }
  return FolderLock(fd);
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace muster::store
