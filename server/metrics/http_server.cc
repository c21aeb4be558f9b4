#include "server/metrics/http_server.h"

#include <poll.h>
#include <prometheus/text_serializer.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/net/listening.h"

namespace muster::metrics {
namespace {

using Clock = std::chrono::steady_clock;

// A request may take this long to come, and its answer to be taken.
constexpr std::chrono::seconds kToAsk{1}, kToTake{10};
constexpr size_t kLongestRequest = 8192;
// Past it the caller that has kept us waiting longest goes.
constexpr size_t kMostConnections = 256;

struct Connection {
  int fd;
  Clock::time_point until;
  std::string request;
  std::string answer;  // empty: still being asked
  size_t sent = 0;
};

std::string Answer(const char* status, const char* type, const std::string& body, bool with_body = true) {
  return absl::StrCat("HTTP/1.1 ", status, "\r\nContent-Type: ", type, "\r\nContent-Length: ", body.size(),
                      "\r\nConnection: close\r\n\r\n", with_body ? body : "");
}

// One thread that waits for all callers at once, so that one who sends nothing, or half a request, costs nobody else
// anything.
class Impl final : public HttpServer {
 public:
  Impl(std::shared_ptr<prometheus::Registry> registry, net::Listening listening)
      : registry_(std::move(registry)),
        listening_(std::move(listening)),
        stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { Run(); }) {}
  ~Impl() override {
    const uint64_t one = 1;
    (void)!write(stop_, &one, sizeof(one));
    thread_.join();
    close(stop_);
    for (const Connection& connection : connections_) close(connection.fd);
  }
  int port() const override { return listening_.port(); }

 private:
  void Run() {
    for (;;) {
      std::vector<pollfd> all = {{stop_, POLLIN, 0}};
      for (int fd : listening_.descriptors()) all.push_back({fd, POLLIN, 0});
      const size_t first = all.size();
      for (const Connection& c : connections_)
        all.push_back({c.fd, static_cast<short>(c.answer.empty() ? POLLIN : POLLOUT), 0});
      if (poll(all.data(), all.size(), WaitMs()) < 0 && errno != EINTR) return;
      if (all[0].revents != 0) return;
      size_t i = first;
      for (auto c = connections_.begin(); c != connections_.end(); ++i)
        c = Goes(*c, all[i].revents) ? std::next(c) : Close(c);
      for (size_t l = 1; l < first; ++l)
        if (all[l].revents != 0) Accept(all[l].fd);
    }
  }

  // Until the first caller's time is over; -1: nobody is there.
  int WaitMs() const {
    if (connections_.empty()) return -1;
    auto first = connections_.front().until;
    for (const Connection& c : connections_) first = std::min(first, c.until);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
    return static_cast<int>(std::max<int64_t>(left, 0));
  }

  std::list<Connection>::iterator Close(std::list<Connection>::iterator connection) {
    close(connection->fd);
    return connections_.erase(connection);
  }

  void Accept(int listener) {
    for (;;) {
      const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd < 0) return Starved(errno);
      if (connections_.size() >= kMostConnections) Close(connections_.begin());
      connections_.push_back({fd, Clock::now() + kToAsk, "", "", 0});
    }
  }

  // Descriptors or memory that others have to give back first: the caller waits, and this thread doesn't spin.
  void Starved(int error) {
    if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM) return;
    pollfd stop = {stop_, POLLIN, 0};
    poll(&stop, 1, 100);
  }

  // False: the connection is over.
  bool Goes(Connection& c, short events) {
    if (Clock::now() >= c.until) return false;
    if (events == 0) return true;
    return c.answer.empty() ? Reads(c) : Writes(c);
  }

  bool Reads(Connection& c) {
    char buffer[4096];
    const ssize_t n = recv(c.fd, buffer, sizeof(buffer), 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    c.request.append(buffer, n);
    if (c.request.find("\r\n\r\n") == std::string::npos) return c.request.size() < kLongestRequest;
    c.answer = AnswerTo(c.request);
    c.until = Clock::now() + kToTake;
    return Writes(c);
  }

  bool Writes(Connection& c) {
    const ssize_t n = send(c.fd, c.answer.data() + c.sent, c.answer.size() - c.sent, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    c.sent += n;
    return c.sent < c.answer.size();
  }

  std::string AnswerTo(const std::string& request) const {
    const size_t method_end = request.find(' ');
    const std::string method = request.substr(0, method_end);
    if (method_end == std::string::npos || (method != "GET" && method != "HEAD"))
      return Answer("405 Method Not Allowed", "text/plain; charset=utf-8", "only GET and HEAD\n");
    const size_t path_end = request.find_first_of(" ?\r", method_end + 1);
    const std::string path = request.substr(method_end + 1, path_end - method_end - 1);
    const bool body = method == "GET";
    if (path == "/healthz") return Answer("200 OK", "text/plain; charset=utf-8", "ok\n", body);
    if (path != "/metrics") return Answer("404 Not Found", "text/plain; charset=utf-8", "no such page\n", body);
    return Answer("200 OK", "text/plain; version=0.0.4; charset=utf-8",
                  prometheus::TextSerializer().Serialize(registry_->Collect()), body);
  }

  const std::shared_ptr<prometheus::Registry> registry_;
  const net::Listening listening_;
  const int stop_;
  std::list<Connection> connections_;  // of the thread; by arrival
  std::thread thread_;                 // last: starts when all else is there
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(std::shared_ptr<prometheus::Registry> registry,
                                                              const std::string& address) {
  absl::StatusOr<net::Listening> listening = net::Listening::At(address);
  if (!listening.ok()) return listening.status();
  return std::make_unique<Impl>(std::move(registry), *std::move(listening));
}

}  // namespace muster::metrics
