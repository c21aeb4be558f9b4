// musterd where connections are more than descriptors: the crowd is refused, what is there goes on, and when the crowd
// has gone the next client is served. gRPC's own listener would have stopped accepting for good.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/muster/v1/node_service.grpc.pb.h"
#include "server/net/loopback_client.h"
#include "tests/harness/process.h"

namespace muster::harness {
namespace {

constexpr int kOpenFiles = 256;

// Whether musterd serves a client that connects now.
bool Served(int port) {
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto channel =
      grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials(), args);
  const auto nodes = v1::NodeService::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
  v1::ListNodesResponse response;
  return nodes->List(&context, v1::ListNodesRequest(), &response).ok();
}

std::string Scrape(int port) {
  const int fd = net::ConnectToLoopback(port);
  const std::string ask = "GET /metrics HTTP/1.0\r\n\r\n";
  EXPECT_EQ(send(fd, ask.data(), ask.size(), MSG_NOSIGNAL), static_cast<ssize_t>(ask.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) answer.append(buffer, n);
  close(fd);
  return answer;
}

TEST(Crowd, PastTheLimitOfOpenFiles_IsRefusedAndServedWhenItHasGone) {
  const std::string folder = NewFolder("crowd"), ports_file = folder + "/ports";
  Process server = Process::Start(
      {"/bin/sh", "-c",
       absl::StrCat("ulimit -n ", kOpenFiles, " && exec ", Binary("server/main/musterd"),
                    " --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --data ", folder, "/data --port-file ", ports_file)},
      folder + "/log");
  ASSERT_TRUE(Eventually([&] { return !ReadFile(ports_file).empty(); })) << ReadFile(folder + "/log");
  std::map<std::string, int> ports;
  for (absl::string_view line : absl::StrSplit(ReadFile(ports_file), '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(line, absl::MaxSplits('=', 1));
    ASSERT_TRUE(absl::SimpleAtoi(pair.second, &ports[pair.first]));
  }
  ASSERT_TRUE(Served(ports["grpc"]));

  std::vector<int> crowd;
  while (crowd.size() < 2 * kOpenFiles) crowd.push_back(net::ConnectToLoopback(ports["grpc"]));
  // The last is sent away, and so is a client that comes now; the pages have descriptors of their own.
  char byte;
  while (recv(crowd.back(), &byte, 1, 0) > 0) {
  }
  EXPECT_FALSE(Served(ports["grpc"]));
  const std::string page = Scrape(ports["metrics"]);
  EXPECT_TRUE(absl::StrContains(page, "\nmuster_connections_refused_total ")) << page;
  EXPECT_FALSE(absl::StrContains(page, "\nmuster_connections_refused_total 0\n")) << page;
  EXPECT_TRUE(absl::StrContains(ReadFile(folder + "/log"), "event=connections_refused")) << ReadFile(folder + "/log");

  for (int fd : crowd) close(fd);
  EXPECT_TRUE(Eventually([&] { return Served(ports["grpc"]); })) << ReadFile(folder + "/log");
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(absl::Seconds(5)), 0) << ReadFile(folder + "/log");
}

}  // namespace
}  // namespace muster::harness
