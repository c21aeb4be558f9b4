#include "server/net/acceptor.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/mutex.h"
#include "server/net/loopback_client.h"

namespace muster::net {
namespace {

// What the acceptor has done so far, and waiting for it.
class Seen {
 public:
  void Taken(int fd) {
    MutexLock lock(&mu_);
    taken_.push_back(fd);
    changed_.NotifyAll();
  }
  void Starved(int error) {
    MutexLock lock(&mu_);
    starved_ = error;
    changed_.NotifyAll();
  }
  void AwaitTaken(size_t count) {
    MutexLock lock(&mu_);
    while (taken_.size() < count) changed_.Wait(&mu_);
  }
  int AwaitStarved() {
    MutexLock lock(&mu_);
    while (starved_ == 0) changed_.Wait(&mu_);
    return starved_;
  }
  size_t taken() {
    MutexLock lock(&mu_);
    return taken_.size();
  }
  void CloseAll() {
    MutexLock lock(&mu_);
    for (int fd : taken_) close(fd);
    taken_.clear();
  }

 private:
  Mutex mu_;
  CondVar changed_;
  std::vector<int> taken_ ABSL_GUARDED_BY(mu_);
  int starved_ ABSL_GUARDED_BY(mu_) = 0;
};

// Whether the other side has closed it.
bool Closed(int fd) {
  char byte;
  return recv(fd, &byte, 1, 0) <= 0;
}

class AcceptorTest : public ::testing::Test {
 protected:
  void TearDown() override { seen_.CloseAll(); }
  Listening Any() { return *Listening::At("127.0.0.1:0"); }
  Acceptor::Take Take() {
    return [this](int, int fd) { seen_.Taken(fd); };
  }
  Seen seen_;
};

TEST_F(AcceptorTest, Crowd_IsRefusedAtTheLimitAndServedAfterIt) {
  const int lowest = dup(0);  // the first number that is free
  close(lowest);
  Acceptor acceptor(Any(), {.descriptors = lowest + 40, .reserve = 20});
  ASSERT_EQ(acceptor.limit(), lowest + 20);
  acceptor.Start(Take());
  std::vector<int> crowd = {ConnectToLoopback(acceptor.port())};
  seen_.AwaitTaken(1);
  // Each has two descriptors, as both ends are here: fewer than ten fit.
  while (crowd.size() < 30) crowd.push_back(ConnectToLoopback(acceptor.port()));
  EXPECT_TRUE(Closed(crowd.back()));
  EXPECT_LT(seen_.taken(), 20u);

  for (int fd : crowd) close(fd);
  seen_.CloseAll();
  const int next = ConnectToLoopback(acceptor.port());
  seen_.AwaitTaken(1);
  close(next);
}

TEST_F(AcceptorTest, WithoutDescriptors_WaitsAndGoesOn) {
  Acceptor acceptor(Any(), {.on_starved = [this](int error) { seen_.Starved(error); }});
  // The system completes the connection before anybody accepts it.
  const int early = ConnectToLoopback(acceptor.port());
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlimit none = limit;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  acceptor.Start(Take());
  EXPECT_EQ(seen_.AwaitStarved(), EMFILE);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  seen_.AwaitTaken(1);
  close(early);
}

TEST_F(AcceptorTest, Stop_ClosesTheDoor) {
  Acceptor acceptor(Any(), {});
  acceptor.Start(Take());
  const int port = acceptor.port();
  acceptor.Stop();
  acceptor.Stop();
  EXPECT_TRUE(Listening::At(absl::StrCat("127.0.0.1:", port)).ok());
}

TEST_F(AcceptorTest, SmallLimit_LeavesHalfOfIt) {
  EXPECT_EQ(Acceptor(Any(), {.descriptors = 50, .reserve = 64}).limit(), 25);
  EXPECT_EQ(Acceptor(Any(), {.descriptors = 256, .reserve = 64}).limit(), 192);
}

}  // namespace
}  // namespace muster::net
