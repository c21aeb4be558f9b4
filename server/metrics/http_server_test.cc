#include "server/metrics/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/net/loopback_client.h"

namespace muster::metrics {
namespace {

using ::testing::HasSubstr;

void Send(int fd, const std::string& text) {
  EXPECT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

// Until the other side closes.
std::string Read(int fd) {
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) answer.append(buffer, n);
  close(fd);
  return answer;
}

std::string Get(int port, const std::string& path) {
  const int fd = net::ConnectToLoopback(port);
  Send(fd, absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: muster\r\n\r\n"));
  return Read(fd);
}

class HttpServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    prometheus::BuildCounter().Name("muster_things_total").Help("Things.").Register(*registry_).Add({}).Increment(3);
    auto server = HttpServer::Start(registry_, "127.0.0.1:0");
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, Pages) {
  EXPECT_THAT(Get(server_->port(), "/metrics"), HasSubstr("\nmuster_things_total 3"));
  EXPECT_THAT(Get(server_->port(), "/healthz"), HasSubstr("\r\n\r\nok\n"));
  EXPECT_THAT(Get(server_->port(), "/nothing"), HasSubstr(" 404 "));
}

// Two hundred callers that began a request and never end it, some with nothing at all: a scrape between them is
// answered at once, and they are sent away.
TEST_F(HttpServerTest, HalfOpenRequests_DontKeepAScrapeWaiting) {
  std::vector<int> half;
  for (int i = 0; i < 200; ++i) {
    half.push_back(net::ConnectToLoopback(server_->port()));
    if (i % 2 == 0) Send(half.back(), "GET /metrics HTTP/1.1\r\nHost: mus");
  }
  const absl::Time began = absl::Now();
  EXPECT_THAT(Get(server_->port(), "/metrics"), HasSubstr("muster_things_total 3"));
  EXPECT_LT(absl::Now() - began, absl::Seconds(1));
  char byte;
  for (int fd : half) {
    while (recv(fd, &byte, 1, 0) > 0) {
    }
    close(fd);
  }
}

// More than there is room for: who has waited longest goes, and the next is served all the same.
TEST_F(HttpServerTest, CrowdOfSilentCallers_MakesRoom) {
  std::vector<int> silent;
  for (int i = 0; i < 400; ++i) silent.push_back(net::ConnectToLoopback(server_->port()));
  EXPECT_THAT(Get(server_->port(), "/healthz"), HasSubstr("\r\n\r\nok\n"));
  for (int fd : silent) close(fd);
}

TEST_F(HttpServerTest, RequestInPiecesAndOtherMethods) {
  const int fd = net::ConnectToLoopback(server_->port());
  for (const char* piece : {"HEAD /heal", "thz?full=1 HTTP/1.1\r", "\nHost: muster\r\n", "\r\n"}) Send(fd, piece);
  EXPECT_EQ(Read(fd),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n"
            "Connection: close\r\n\r\n");
  const int post = net::ConnectToLoopback(server_->port());
  Send(post, "POST /metrics HTTP/1.1\r\n\r\n");
  EXPECT_THAT(Read(post), HasSubstr(" 405 "));
  const int endless = net::ConnectToLoopback(server_->port());
  Send(endless, "GET /" + std::string(10000, 'x'));
  EXPECT_EQ(Read(endless), "");
}

TEST_F(HttpServerTest, TakenPort_SaysSo) {
  const auto second = HttpServer::Start(registry_, absl::StrCat("127.0.0.1:", server_->port()));
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("address already in use"));
}

}  // namespace
}  // namespace muster::metrics
