#include "server/net/acceptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace muster::net {
namespace {

// How long it waits where accept() fails for want of what others may give back: descriptors, memory.
constexpr int kPauseMs = 100;

// Where the limit is small, half of it is for the rest.
int64_t LimitOf(const int64_t descriptors, int64_t reserve) { return descriptors - std::min(reserve, descriptors / 2); }

}  // namespace

int64_t Acceptor::OpenFilesLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return INT32_MAX;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT32_MAX));
}

Acceptor::Acceptor(Listening listening, Options options)
    : listening_(std::move(listening)),
      options_(std::move(options)),
      limit_(LimitOf(options_.descriptors, options_.reserve)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Acceptor::~Acceptor() {
  Stop();
  if (stop_ >= 0) close(stop_);
}

void Acceptor::Start(Take take) {
  take_ = std::move(take);
  thread_ = std::thread([this] { Run(); });
}

void Acceptor::Stop() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  // An eventfd takes 8 bytes as long as its count has room, which it has for 2^64 - 2 stops.
  (void)!write(stop_, &one, sizeof(one));
  thread_.join();
}

void Acceptor::Run() {
  std::vector<pollfd> all = {{stop_, POLLIN, 0}};
  for (int fd : listening_.descriptors()) all.push_back({fd, POLLIN, 0});
  bool pause = false;
  for (;;) {
    // While it pauses only the end is waited for.
    const int ready = poll(all.data(), pause ? 1 : all.size(), pause ? kPauseMs : -1);
    if (ready > 0 && all[0].revents != 0) break;
    pause = false;
    for (size_t i = 1; i < all.size() && !pause; ++i)
      if (all[i].revents != 0) pause = !AcceptAll(all[i].fd);
  }
  const Listening closed = std::move(listening_);
}

bool Acceptor::AcceptAll(int listener_fd) {
  // Not for ever: the end, and other sockets, have their turn.
  for (int i = 0; i < 64; ++i) {
    const int fd = accept4(listener_fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return true;
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        if (options_.on_starved) options_.on_starved(errno);
        return false;
      }
      continue;  // of that one connection: it has gone already, or its network has
    }
    // The system gives the lowest number that is free: so many are in use.
    if (fd >= limit_) {
      close(fd);
      ++refused_;
      if (options_.on_refused) options_.on_refused(refused_);
      continue;
    }
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    take_(listener_fd, fd);
  }
  return true;
}

}  // namespace muster::net
