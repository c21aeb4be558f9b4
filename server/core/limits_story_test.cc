// What no client can take from the others: memory, answers that can be read, receipts, another node's say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "server/core/receipts.h"
#include "server/core/story.h"

namespace muster::core {
namespace {

using ::testing::HasSubstr;

using LimitsStory = Story;

// A spec of so many bytes, and a few more.
v1::JobSpec SpecOf(size_t bytes) {
  v1::JobSpec spec = Spec(2);
  for (size_t named = 0; named < bytes; named += 102) spec.mutable_placement()->add_nodes(std::string(100, 'n'));
  return spec;
}

TEST(JobLimits, FinishedJobs_ArePruned) {
  Options options;
  options.keep_finished = 5;
  Harness h(options);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(h.Submit(absl::StrCat("job-", i), Spec(2)).ok());
    ASSERT_TRUE(h.Cancel(absl::StrCat("job-", i)).ok());
  }
  // Two rows a job.
  EXPECT_LE(h.store->Load(store::Kind::kJob)->size(), 14u);
  EXPECT_EQ(h.Job("job-0").uid(), "");
  EXPECT_FALSE(h.Job("job-49").uid().empty());
}

TEST(JobLimits, FinishedJobs_ArePrunedByWhatTheyTake) {
  Options options;
  options.keep_finished_bytes = 300'000;
  Harness h(options);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(h.Submit(absl::StrCat("job-", i), SpecOf(100'000)).ok());
    ASSERT_TRUE(h.Cancel(absl::StrCat("job-", i)).ok());
  }
  EXPECT_EQ(h.Job("job-0").uid(), "");
  EXPECT_FALSE(h.Job("job-19").uid().empty());
  EXPECT_LE(h.store->Load(store::Kind::kJob)->size(), 8u);
}

TEST(JobLimits, LiveJobs_PastTheBudgetAreRefusedUntilOthersEnd) {
  Options options;
  options.max_job_bytes = 2'000'000;
  Harness h(options);
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(h.Submit(absl::StrCat("job-", i), SpecOf(100'000)).ok());
  const absl::Status refused = h.Submit("late", SpecOf(100'000)).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("limit of 977 KiB"));
  EXPECT_EQ(h.Job("late").uid(), "");
  // What is kept over a restart counts, too.
  h.Start();
  EXPECT_FALSE(h.Submit("late", SpecOf(100'000)).ok());
  ASSERT_TRUE(h.Cancel("job-3").ok());
  EXPECT_TRUE(h.Submit("late", SpecOf(100'000)).ok());
}

TEST_F(LimitsStory, ListOfJobs_FitsIntoEveryClientsMessages) {
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(h_.Submit(absl::StrCat("job-", i), SpecOf(60'000)).ok());
  ASSERT_TRUE(h_.Submit("long", SpecOf(500'000)).ok());
  v1::ListJobsRequest request;
  request.set_page_size(1000);
  int jobs = 0, pages = 0;
  do {
    const auto page = h_.Ask<v1::ListJobsResponse>(
        [&](Coordinator& c, Reply<v1::ListJobsResponse> r) { c.ListJobs(request, std::move(r)); });
    ASSERT_TRUE(page.ok()) << page.status();
    EXPECT_LT(page->ByteSizeLong(), size_t{4} << 20);
    jobs += page->jobs_size();
    ++pages;
    request.set_page_token(page->next_page_token());
    const v1::Job& last = page->jobs(page->jobs_size() - 1);
    if (last.name() != "long") continue;
    EXPECT_EQ(last.spec().members(), 2);
    EXPECT_TRUE(last.spec().placement().nodes().empty());
  } while (!request.page_token().empty());
  EXPECT_EQ(jobs, 61);
  EXPECT_GT(pages, 1);
  EXPECT_GT(h_.Job("long").spec().placement().nodes_size(), 4'000);
}

TEST_F(LimitsStory, ListOfNodes_FitsIntoEveryClientsMessages) {
  for (int i = 0; i < 20; ++i) {
    FakeAgent agent(h_, absl::StrCat("n", i), "r0");
    for (int label = 0; label < 3'000; ++label)
      (*agent.info.mutable_labels())[absl::StrCat("label-", label)] = std::string(100, 'x');
    ASSERT_TRUE(agent.Register().ok());
  }
  v1::ListNodesRequest request;
  int nodes = 0;
  do {
    const auto page = h_.Ask<v1::ListNodesResponse>(
        [&](Coordinator& c, Reply<v1::ListNodesResponse> r) { c.ListNodes(request, std::move(r)); });
    ASSERT_TRUE(page.ok()) << page.status();
    EXPECT_LT(page->ByteSizeLong(), size_t{4} << 20);
    nodes += page->nodes_size();
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(nodes, 20);
}

TEST(ReceiptLimits, OldReceipts_ArePrunedButForTheLatestOfAKnownJob) {
  Options options;
  options.keep_receipts = 3;
  options.keep_finished = 5;
  Harness h(options);
  std::vector<std::unique_ptr<FakeAgent>> agents;
  for (int i = 0; i < 2; ++i) {
    agents.push_back(std::make_unique<FakeAgent>(h, absl::StrCat("n", i), "r0"));
    ASSERT_TRUE(agents.back()->Register().ok());
  }
  v1::StartSelfTestRequest request;
  request.add_nodes("n0");
  request.add_nodes("n1");
  std::vector<std::string> receipts;
  for (int i = 0; i < 12; ++i) {
    const auto started = h.Ask<v1::StartSelfTestResponse>(
        [&](Coordinator& c, Reply<v1::StartSelfTestResponse> r) { c.StartSelfTest(request, std::move(r)); });
    ASSERT_TRUE(started.ok()) << started.status();
    Settle(h, agents);
    receipts.push_back(h.Job(started->job().name()).receipt_id());
    ASSERT_FALSE(receipts.back().empty());
    if (i == 8) h.Start();
    for (auto& agent : agents) ASSERT_TRUE(agent->Register().ok());
  }
  EXPECT_LE(h.store->Keys(store::Kind::kReceipt)->size(), 6u);
  EXPECT_EQ(ReadReceipt(*h.store, receipts.front()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(ReadReceipt(*h.store, receipts.back()).ok());
  // Of the oldest job that is known still.
  EXPECT_TRUE(ReadReceipt(*h.store, receipts[8]).ok());
}

absl::Status Report(Harness& h, const FakeAgent& agent, v1::ReportTaskRequest request) {
  request.set_node_uid(agent.info.uid());
  request.mutable_session()->set_ordinal(agent.ordinal);
  return h
      .Ask<v1::ReportTaskResponse>(
          [&](Coordinator& c, Reply<v1::ReportTaskResponse> r) { c.ReportTask(request, std::move(r)); })
      .status();
}

TEST_F(LimitsStory, ResultThatThePlanDoesNotAskFor_IsRefusedAndChangesNothing) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2)).ok());
  agents_[0]->reports = false;
  const std::vector<v1::Task> tasks = agents_[0]->Turn();
  ASSERT_EQ(tasks.size(), 1u);
  const v1::TestPlan& plan = tasks[0].run_test().plan();
  const v1::TestStep& step = plan.steps(0);
  v1::ReportTaskRequest good;
  *good.mutable_mark() = tasks[0].mark();
  good.mutable_test()->set_test_id(plan.test_id());
  good.mutable_test()->set_round(plan.round());
  v1::StepResult& result = *good.mutable_test()->add_results();
  result.set_step(step.index());
  result.set_global_rank(tasks[0].run_test().workers(0).global_rank());

  const auto rows = [&] { return h_.store->Keys(store::Kind::kTest)->size(); };
  const size_t before = rows();
  struct Row {
    const char* says;
    void (*spoil)(v1::StepResult&);
  };
  for (const Row& row :
       {Row{"step: 999 is not one of", [](v1::StepResult& r) { r.set_step(999); }},
        Row{"worker 3 is not on this node", [](v1::StepResult& r) { r.set_global_rank(3); }},
        Row{"worker -7 is not", [](v1::StepResult& r) { r.set_global_rank(-7); }},
        Row{"iterations of a step that has",
            [](v1::StepResult& r) {
              for (int i = 0; i < 5'000; ++i) r.add_iteration_us(1);
            }},
        Row{"error: has 2000 characters", [](v1::StepResult& r) { r.set_error(std::string(2000, 'e')); }}}) {
    v1::ReportTaskRequest bad = good;
    row.spoil(*bad.mutable_test()->mutable_results(0));
    const absl::Status refused = Report(h_, *agents_[0], bad);
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << row.says;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(row.says));
  }
  EXPECT_EQ(rows(), before);

  // The same again and again is kept once.
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Report(h_, *agents_[0], good).ok());
  EXPECT_EQ(rows(), before + 1);
}

TEST_F(LimitsStory, MemberEnded_OfAnotherNodesMember_IsRefused) {
  Agents(2);
  ASSERT_TRUE(h_.Submit("job", Spec(2, v1::LaunchSpec::AGENT)).ok());
  Settled();
  std::vector<FakeMember> members = MembersOf("job");
  for (int i = 0; i < 2; ++i) {
    FakeAgent& agent = agents_[0]->info.name() == members[i].node ? *agents_[0] : *agents_[1];
    members[i].incarnation = agent.members.at(i);
  }
  CallAll(members);
  ASSERT_EQ(h_.Phase("job"), v1::RUNNING) << h_.Job("job").why();

  FakeAgent& liar = agents_[0]->members.count(0) > 0 ? *agents_[0] : *agents_[1];
  v1::ReportTaskRequest request;
  *request.mutable_mark() = liar.seen.begin()->second;
  request.mutable_member_ended()->set_pod_index(1);
  *request.mutable_member_ended()->mutable_incarnation() = members[1].incarnation;
  request.mutable_member_ended()->set_exit_code(1);
  const absl::Status refused = Report(h_, liar, request);
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("member 1 of default/job is not on node"));
  EXPECT_EQ(h_.Phase("job"), v1::RUNNING);
}

}  // namespace
}  // namespace muster::core
