#include "client/cli/file_text.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "client/cli/exit_code.h"

namespace muster::cli {
namespace {

absl::StatusOr<std::string> ReadStream(std::istream& in, const std::string& name, size_t limit) {
  std::string text;
  char piece[1 << 14];
  while (in.read(piece, sizeof(piece)) || in.gcount() > 0) {
    text.append(piece, static_cast<size_t>(in.gcount()));
    if (text.size() > limit) {
      return UsageError(absl::StrCat(name, ": longer than ", limit >> 20, " MiB"));
    }
  }
  return text;
}

}  // namespace

std::string FileName(const std::string& path) { return path == "-" ? "(standard input)" : path; }

absl::StatusOr<std::string> ReadText(const std::string& path, std::istream& in, size_t limit) {
  if (path.empty()) return UsageError("no file is named", "-f FILE, or -f - for standard input");
  if (path == "-") return ReadStream(in, FileName(path), limit);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return UsageError(absl::StrCat(path, ": is a folder"));
  std::ifstream file(path, std::ios::binary);
  if (!file) return UsageError(absl::StrCat(path, ": ", std::strerror(errno)));
  return ReadStream(file, path, limit);
}

}  // namespace muster::cli
