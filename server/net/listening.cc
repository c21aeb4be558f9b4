#include "server/net/listening.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"

namespace muster::net {
namespace {

constexpr char kUnix[] = "unix:";

absl::Status NoAddress(const std::string& address, absl::string_view problem) {
  return FieldError("", absl::StrCat("\"", address.substr(0, 64), "\" ", problem), "write it as 127.0.0.1:7070");
}

absl::Status CheckPath(const std::string& address, const std::string& path) {
  constexpr size_t kLongest = sizeof(sockaddr_un::sun_path) - 1;
  if (!path.empty() && path.size() <= kLongest) return absl::OkStatus();
  return NoAddress(address, absl::StrCat("has a path of ", path.size(), " bytes, a socket can have 1 to ", kLongest));
}

absl::Status Failed(const std::string& address, int error) {
  const char* why = error == EADDRINUSE      ? "address already in use by another process"
                    : error == EADDRNOTAVAIL ? "not an address of this machine"
                    : error == EACCES        ? "permission denied"
                                             : std::strerror(error);
  return absl::UnavailableError(absl::StrCat("can't listen on ", address, ": ", why));
}

// Whether somebody answers at the socket's file: what is left of a process that was killed is only in the way.
bool Answers(const sockaddr_un& address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return true;
  const bool answers = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return answers;
}

void SetPort(sockaddr_storage& address, int port) {
  if (address.ss_family == AF_INET) reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
  if (address.ss_family == AF_INET6) reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(port);
}

int PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(address).sin6_port);
  return 0;
}

// "[::1]:7070" -> "::1" and 7070.
absl::Status Split(const std::string& address, std::string& host, int& port) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return NoAddress(address, "has no port");
  host = address.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (absl::StrContains(host, ':')) {
    return NoAddress(address, "has several colons; an IPv6 host goes in brackets");
  }
  const std::string text = address.substr(colon + 1);
  if (absl::SimpleAtoi(text, &port) && port >= 0 && port <= 65535) return absl::OkStatus();
  return NoAddress(address, absl::StrCat("has port \"", text.substr(0, 16), "\", which is none of 0..65535"));
}

std::string PathOf(const std::string& address) { return address.substr(sizeof(kUnix) - 1); }

}  // namespace

absl::Status CheckAddress(const std::string& address) {
  if (absl::StartsWith(address, kUnix)) return CheckPath(address, PathOf(address));
  std::string host;
  int port = 0;
  return Split(address, host, port);
}

Listening::Listening(Listening&& other) noexcept
    : descriptors_(std::exchange(other.descriptors_, {})), port_(other.port_), file_(std::exchange(other.file_, {})) {}

Listening::~Listening() {
  for (int fd : descriptors_) close(fd);
  if (!file_.empty()) unlink(file_.c_str());
}

int Listening::Add(const sockaddr* address, unsigned length, bool only_v6) {
  const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  const int on = 1, v6 = only_v6 ? 1 : 0;
  // A port whose last connections linger may be had again, one that is listened on may not.
  if (address->sa_family != AF_UNIX) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address->sa_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6, sizeof(v6));
  if (bind(fd, address, length) != 0 || listen(fd, SOMAXCONN) != 0) {
    const int error = errno;
    close(fd);
    return error;
  }
  descriptors_.push_back(fd);
  if (port_ == 0) port_ = PortOf(fd);
  return 0;
}

absl::StatusOr<Listening> Listening::AtFile(const std::string& address, const std::string& path) {
  if (absl::Status checked = CheckPath(address, path); !checked.ok()) return checked;
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, path.data(), path.size());
  Listening listening;
  const auto* bound = reinterpret_cast<const sockaddr*>(&un);
  int error = listening.Add(bound, sizeof(un), false);
  if (error == EADDRINUSE && !Answers(un) && unlink(path.c_str()) == 0) error = listening.Add(bound, sizeof(un), false);
  if (error != 0) return Failed(address, error);
  listening.file_ = path;
  return listening;
}

absl::StatusOr<Listening> Listening::At(const std::string& address) {
  if (absl::StartsWith(address, kUnix)) return AtFile(address, PathOf(address));
  std::string host;
  int port = 0;
  if (absl::Status split = Split(address, host, port); !split.ok()) return split;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(), "0", &hints, &found); error != 0)
    return NoAddress(address, absl::StrCat("names a host without an address (", gai_strerror(error), ")"));
  Listening listening;
  int failed = 0;
  // "[::]" alone stands for addresses of both kinds; else each is listened on for itself.
  const bool several = found->ai_next != nullptr;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    sockaddr_storage to{};
    std::memcpy(&to, one->ai_addr, one->ai_addrlen);
    SetPort(to, port != 0 ? port : listening.port_);
    failed = listening.Add(reinterpret_cast<const sockaddr*>(&to), one->ai_addrlen, several);
    // A machine may lack one kind of address; one that another process has is never passed over.
    if (failed == EADDRINUSE) break;
  }
  freeaddrinfo(found);
  if (failed == EADDRINUSE || listening.descriptors_.empty()) return Failed(address, failed);
  return listening;
}

}  // namespace muster::net
