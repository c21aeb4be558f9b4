#include "client/agent/ledger_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace muster::agent {
namespace {

absl::Status Failed(const std::string& what, const std::string& path) {
  const int error = errno;
  const std::string message = absl::StrCat(what, " ", path, ": ", std::strerror(error));
  if (error == EACCES || error == EPERM || error == EROFS) {
    return absl::PermissionDeniedError(absl::StrCat(message, "; give --data a folder that this user may write"));
  }
  return absl::InternalError(message);
}

absl::Status MakeFolders(const std::string& folder) {
  for (size_t at = folder.find('/', 1);; at = folder.find('/', at + 1)) {
    const std::string part = folder.substr(0, at);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return Failed("cannot make", part);
    if (at == std::string::npos) return absl::OkStatus();
  }
}

absl::Status WriteAll(int fd, const std::string& bytes, const std::string& path) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("cannot write", path);
    done += static_cast<size_t>(n);
  }
  if (fsync(fd) != 0) return Failed("cannot sync", path);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LedgerFile> LedgerFile::Open(const std::string& folder) {
  if (absl::Status s = MakeFolders(folder); !s.ok()) return s;
  const std::string lock_path = folder + "/lock";
  const int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return Failed("cannot open", lock_path);
  LedgerFile file(folder, lock);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "--data: ", folder, " belongs to a running muster-agent; stop it or give this one another folder"));
  }
  const std::string path = folder + "/ledger";
  std::ifstream in(path, std::ios::binary);
  if (in && !file.found_.ParseFromIstream(&in)) {
    return absl::FailedPreconditionError(absl::StrCat("--data: ", path, " is no ledger of muster-agent; move it away"));
  }
  return file;
}

LedgerFile::LedgerFile(LedgerFile&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)), found_(std::move(other.found_)) {}

LedgerFile::~LedgerFile() {
  if (lock_ >= 0) close(lock_);
}

absl::Status LedgerFile::Save(const Ledger& ledger) const {
  const std::string path = folder_ + "/ledger", fresh = path + ".new";
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return Failed("cannot open", fresh);
  const absl::Status written = WriteAll(fd, ledger.SerializeAsString(), fresh);
  close(fd);
  if (!written.ok()) return written;
  if (rename(fresh.c_str(), path.c_str()) != 0) return Failed("cannot rename", fresh);
  // The rename itself is durable only with its folder.
  const int dir = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return Failed("cannot open", folder_);
  const bool synced = fsync(dir) == 0;
  close(dir);
  return synced ? absl::OkStatus() : Failed("cannot sync", folder_);
}

}  // namespace muster::agent
