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

std::string Get(int port, const std::string& path) {
  const int fd = net::ConnectToLoopback(port);
  Send(fd, absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: muster\r\n\r\n"));
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) answer.append(buffer, n);
  close(fd);
  return answer;
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

// Twenty callers that began a request and never end it: before, two of them were enough to keep everybody out.
TEST_F(HttpServerTest, HalfOpenRequests_DontKeepAScrapeWaiting) {
  std::vector<int> half;
  for (int i = 0; i < 20; ++i) {
    half.push_back(net::ConnectToLoopback(server_->port()));
    if (i % 2 == 0) Send(half.back(), "GET /metrics HTTP/1.1\r\nHost: mus");
  }
  const absl::Time began = absl::Now();
  EXPECT_THAT(Get(server_->port(), "/metrics"), HasSubstr("muster_things_total 3"));
  EXPECT_LT(absl::Now() - began, absl::Seconds(1));
  // They are sent away, not kept for ever.
  char byte;
  for (int fd : half) {
    while (recv(fd, &byte, 1, 0) > 0) {
    }
    close(fd);
  }
}

TEST_F(HttpServerTest, TakenPort_SaysSo) {
  const auto second = HttpServer::Start(registry_, absl::StrCat("127.0.0.1:", server_->port()));
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("address already in use"));
}

}  // namespace
}  // namespace muster::metrics
