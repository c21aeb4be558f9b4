#include "server/net/listening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace muster::net {
namespace {

using ::testing::HasSubstr;

std::string Said(const absl::Status& status) { return std::string(status.message()); }

TEST(ListeningTest, PortZero_PicksOneForEveryAddressOfTheHost) {
  absl::StatusOr<Listening> listening = Listening::At("localhost:0");
  ASSERT_TRUE(listening.ok()) << listening.status();
  EXPECT_GT(listening->port(), 0);
  for (int fd : listening->descriptors()) {
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length), 0);
    const in_port_t port = address.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(address).sin_port
                                                        : reinterpret_cast<sockaddr_in6&>(address).sin6_port;
    EXPECT_EQ(ntohs(port), listening->port());
  }
}

TEST(ListeningTest, TakenPort_SaysSo) {
  const absl::StatusOr<Listening> first = Listening::At("127.0.0.1:0");
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string address = absl::StrCat("127.0.0.1:", first->port());
  const absl::Status second = Listening::At(address).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Said(second), absl::StrCat("can't listen on ", address, ": address already in use by another process"));
}

TEST(ListeningTest, PortIsFreeAgain_WhenItGoes) {
  std::string address;
  {
    const absl::StatusOr<Listening> first = Listening::At("127.0.0.1:0");
    ASSERT_TRUE(first.ok()) << first.status();
    address = absl::StrCat("127.0.0.1:", first->port());
  }
  EXPECT_TRUE(Listening::At(address).ok());
}

TEST(ListeningTest, AnotherMachinesAddress_IsRefused) {
  const absl::Status status = Listening::At("192.0.2.1:7070").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Said(status), HasSubstr("not an address of this machine"));
}

TEST(ListeningTest, BadForms_AreRefusedWithTheWayOut) {
  struct Row {
    std::string address, problem;
  };
  for (const Row& row :
       {Row{"", "has no port"}, Row{"7070", "has no port"}, Row{"127.0.0.1:", "has port \"\""},
        Row{"127.0.0.1:99999", "has port \"99999\", which is none of 0..65535"}, Row{"127.0.0.1:-1", "has port \"-1\""},
        Row{"127.0.0.1:http", "has port \"http\""}, Row{"::1:7070", "has several colons"},
        Row{"unix:", "has a path of 0 bytes"}, Row{"unix:" + std::string(200, 'x'), "has a path of 200 bytes"}}) {
    const absl::Status status = Listening::At(row.address).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.address;
    EXPECT_THAT(Said(status), HasSubstr(row.problem));
    EXPECT_THAT(Said(status), HasSubstr("write it as 127.0.0.1:7070"));
    EXPECT_EQ(CheckAddress(row.address), status);
  }
  EXPECT_TRUE(CheckAddress("[::1]:0").ok());
  EXPECT_TRUE(CheckAddress(":7070").ok());
}

TEST(ListeningTest, SocketFileOfADeadProcess_IsReplacedThatOfALivingOneIsNot) {
  const std::string path = absl::StrCat("/tmp/listening-test-", getpid());
  const std::string address = absl::StrCat("unix:", path);
  // What a killed process leaves: a file that nobody listens at.
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, path.data(), path.size());
  const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(dead, reinterpret_cast<sockaddr*>(&un), sizeof(un)), 0);
  close(dead);
  {
    const absl::StatusOr<Listening> first = Listening::At(address);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ(first->port(), 0);
    EXPECT_THAT(Said(Listening::At(address).status()), HasSubstr("address already in use"));
  }
  struct stat gone {};
  EXPECT_NE(stat(path.c_str(), &gone), 0);
}

}  // namespace
}  // namespace muster::net
