// What a stream that follows a job is sent.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/core/coordinator.h"
#include "server/core/harness.h"

namespace muster::core {
namespace {

class Sink : public JobSink {
 public:
  void Send(std::shared_ptr<const v1::Job> job) override { seen.push_back(*job); }
  void Done(const absl::Status&) override { done = true; }
  std::vector<v1::Job> seen;
  bool done = false;
};

class JobWatch : public testing::Test {
 protected:
  void Agent(const std::string& name) {
    agents_.push_back(std::make_unique<FakeAgent>(h_, name, "r0"));
    ASSERT_TRUE(agents_.back()->Register().ok());
    h_.Run();
  }
  std::shared_ptr<Sink> Watch(const std::string& name) {
    auto sink = std::make_shared<Sink>();
    v1::WatchJobRequest request;
    request.mutable_job()->set_name(name);
    h_.coordinator->WatchJob(h_.coordinator->NewCall(), request, sink);
    h_.Run();
    return sink;
  }

  Harness h_;
  std::vector<std::unique_ptr<FakeAgent>> agents_;
};

TEST_F(JobWatch, PlaceInTheQueue_IsTold) {
  Agent("n0");
  for (const char* name : {"first", "second", "third"}) ASSERT_TRUE(h_.Submit(name, Spec(1)).ok());
  const auto sink = Watch("third");
  ASSERT_EQ(sink->seen.size(), 1u);
  EXPECT_EQ(sink->seen.back().queue_position(), 2);
  ASSERT_TRUE(h_.Cancel("second").ok());
  h_.Run();
  ASSERT_EQ(sink->seen.size(), 2u);
  EXPECT_EQ(sink->seen.back().queue_position(), 1);
  EXPECT_EQ(sink->seen.back().phase(), v1::QUEUED);
}

TEST_F(JobWatch, AnotherReasonToWait_IsToldOnce) {
  ASSERT_TRUE(h_.Submit("job", Spec(3)).ok());
  const auto sink = Watch("job");
  ASSERT_EQ(sink->seen.size(), 1u);
  const std::string before = sink->seen.back().why();
  Agent("n0");
  ASSERT_EQ(sink->seen.size(), 2u);
  EXPECT_NE(sink->seen.back().why(), before);
  ASSERT_TRUE(h_.Submit("behind", Spec(5)).ok());
  h_.Run();
  EXPECT_EQ(sink->seen.size(), 2u) << "nothing of it has changed: " << sink->seen.back().ShortDebugString();
  ASSERT_TRUE(h_.Cancel("job").ok());
  EXPECT_TRUE(sink->done);
}

}  // namespace
}  // namespace muster::core
