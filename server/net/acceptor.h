#pragma once
// Takes connections and hands them on, and goes on doing so whatever comes.
//
// gRPC 1.51's own listener ends for good at the first accept() that fails for want of descriptors
// (tcp_server_posix.cc), so a crowd that passes the limit once would end the service. Here a connection that would
// leave fewer than `reserve` descriptors to the rest of the process is refused (closed at once: its client tries
// again), and whatever accept() says is no reason to stop.
//
// Threads: one of its own. Start and Stop from one thread; refused from any.

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "server/net/listening.h"

namespace muster::net {

class Acceptor {
 public:
  struct Options {
    // Descriptors that the process may have; by default its soft limit at construction.
    int64_t descriptors = OpenFilesLimit();
    // Kept back from connections, for the store, the pages and the log.
    int64_t reserve = 64;
    // After each refusal, with all refusals so far; after each accept() that failed for want of what others may give
    // back, with its errno (it is tried again soon). On the acceptor's thread.
    std::function<void(int64_t refused)> on_refused = {};
    std::function<void(int error)> on_starved = {};
  };
  // Owns `fd` from the call on. It doesn't block, and has no delay where it is TCP. On the acceptor's thread.
  using Take = std::function<void(int listener_fd, int fd)>;

  Acceptor(Listening listening, Options options);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void Start(Take take);
  // Nothing is handed on after it; the sockets are closed. Idempotent.
  void Stop();

  int port() const { return listening_.port(); }
  // Descriptors that connections may have, those of the rest of the process counted in.
  int64_t limit() const { return limit_; }

  static int64_t OpenFilesLimit();

 private:
  void Run();
  // Takes what waits. False: accept() lacks descriptors or memory, which come back.
  bool AcceptAll(int listener_fd);

  Listening listening_;
  const Options options_;
  const int64_t limit_;
  Take take_;
  int64_t refused_ = 0;  // of its thread
  int stop_ = -1;        // an eventfd
  std::thread thread_;
};

}  // namespace muster::net
