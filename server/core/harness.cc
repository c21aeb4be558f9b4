#include "server/core/harness.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace muster::core {
namespace {

std::vector<int64_t> MembersOf(const v1::StridedGroup& group) {
  if (group.members_size() > 0) return {group.members().begin(), group.members().end()};
  std::vector<int64_t> members = {group.base()};
  for (int i = 0; i < group.sizes_size(); ++i) {
    std::vector<int64_t> next;
    for (int64_t digit = 0; digit < group.sizes(i); ++digit)
      for (int64_t member : members) next.push_back(member + digit * group.strides(i));
    members = std::move(next);
  }
  return members;
}

Tiers TwoTiers() {
  return *Tiers::Create({{"block", "topology.muster.dev/block"}, {"rack", "topology.muster.dev/rack"}});
}

}  // namespace

Harness::Harness(Options given, store::MemoryStore::Mode mode) : options(std::move(given)), mode(mode) { Start(); }

void Harness::Start() {
  if (store != nullptr) store->Crash();
  coordinator = nullptr;
  store = store::MemoryStore::Open(disk, mode);
  coordinator = std::make_unique<LoopCoordinator>(clock, *store, metrics, TwoTiers(), options);
  const absl::Status recovered = coordinator->Recover();
  if (!recovered.ok()) {
    fprintf(stderr, "recovery failed: %s\n", std::string(recovered.message()).c_str());
    abort();
  }
  Run();
}

void Harness::Advance(absl::Duration by) {
  // In steps, as timers that follow from timers would ring.
  for (absl::Duration left = by; left > absl::ZeroDuration(); left -= absl::Seconds(1)) {
    clock.Advance(std::min(left, absl::Seconds(1)));
    Run();
  }
}

absl::StatusOr<v1::Job> Harness::Submit(const std::string& name, v1::JobSpec spec) {
  v1::SubmitRequest request;
  request.set_name(name);
  *request.mutable_spec() = std::move(spec);
  auto answer = Ask<v1::SubmitResponse>(
      [&](Coordinator& c, Reply<v1::SubmitResponse> reply) { c.Submit(request, std::move(reply)); });
  if (!answer.ok()) return answer.status();
  return answer->job();
}

v1::Job Harness::Job(const std::string& name) {
  v1::GetJobRequest request;
  request.mutable_job()->set_name(name);
  auto answer = Ask<v1::Job>([&](Coordinator& c, Reply<v1::Job> reply) { c.GetJob(request, std::move(reply)); });
  return answer.ok() ? *answer : v1::Job();
}

absl::StatusOr<v1::Job> Harness::Cancel(const std::string& name) {
  v1::CancelJobRequest request;
  request.mutable_job()->set_name(name);
  return Ask<v1::Job>([&](Coordinator& c, Reply<v1::Job> reply) { c.CancelJob(request, std::move(reply)); });
}

v1::Node Harness::Node(const std::string& name) {
  v1::GetNodeRequest request;
  request.set_name(name);
  auto answer = Ask<v1::Node>([&](Coordinator& c, Reply<v1::Node> reply) { c.GetNode(request, std::move(reply)); });
  return answer.ok() ? *answer : v1::Node();
}

FakeAgent::FakeAgent(Harness& harness, std::string name, std::string rack) : harness_(harness) {
  info.set_name(name);
  info.set_uid(absl::StrCat("uid-", name));
  info.set_boot_id("boot-1");
  info.set_address(absl::StrCat(name, ".example"));
  (*info.mutable_labels())["topology.muster.dev/block"] = "b0";
  (*info.mutable_labels())["topology.muster.dev/rack"] = rack;
  (*info.mutable_capacity())["gpu"] = 8;
  info.set_allow_launch(true);
  info.add_backends("gloo");
}

absl::Status FakeAgent::Register() {
  v1::RegisterRequest request;
  *request.mutable_node() = info;
  request.mutable_session()->set_ordinal(ordinal);
  for (const auto& [job, mark] : seen) {
    auto* known = request.add_known();
    *known->mutable_mark() = mark;
    known->set_running(!members.empty());
  }
  const absl::Status registered =
      harness_
          .Ask<v1::RegisterResponse>(
              [&](Coordinator& c, Reply<v1::RegisterResponse> reply) { c.RegisterAgent(request, std::move(reply)); })
          .status();
  if (!registered.ok() || !follows) return registered;
  const auto orders = Look();
  if (!orders.ok()) return orders.status();
  // Said once, so it is not for later.
  for (const v1::Task& task : orders->tasks())
    if (task.has_forget()) seen.erase(task.mark().job_uid());
  return absl::OkStatus();
}

absl::StatusOr<v1::NextTaskResponse> FakeAgent::Look() {
  v1::NextTaskRequest request;
  request.set_node_uid(info.uid());
  request.mutable_session()->set_ordinal(ordinal);
  for (const auto& [job, mark] : seen) *request.add_seen() = mark;
  return harness_.Ask<v1::NextTaskResponse>([&](Coordinator& c, Reply<v1::NextTaskResponse> reply) {
    c.NextTask(c.NewCall(), request, absl::ZeroDuration(), std::move(reply));
  });
}

std::vector<v1::Task> FakeAgent::Turn() {
  const auto answer = Look();
  if (!answer.ok()) return {};
  std::vector<v1::Task> tasks(answer->tasks().begin(), answer->tasks().end());
  for (const v1::Task& task : tasks) {
    if (task.has_forget()) {
      seen.erase(task.mark().job_uid());
      continue;
    }
    seen[task.mark().job_uid()] = task.mark();
    job_uid = task.mark().job_uid();
    if (task.has_run_test()) {
      ++tests;
      if (reports) RunTest(task);
    } else if (task.has_start_members()) {
      ++starts;
      for (const auto& member : task.start_members().members()) members[member.pod_index()] = member.incarnation();
    } else if (task.has_stop()) {
      ++stops;
      members.clear();
      if (confirms) ReportEnded(task.mark());
    }
  }
  return tasks;
}

void FakeAgent::RunTest(const v1::Task& task) {
  v1::ReportTaskRequest report;
  *report.mutable_mark() = task.mark();
  v1::TestReport& test = *report.mutable_test();
  test.set_test_id(task.run_test().plan().test_id());
  test.set_round(task.run_test().plan().round());
  test.set_final(true);
  for (const v1::TestStep& step : task.run_test().plan().steps()) {
    for (const v1::TestGroup& group : step.groups()) {
      const std::vector<int64_t> ranks = MembersOf(group.ranks());
      for (const auto& worker : task.run_test().workers()) {
        const auto place = std::find(ranks.begin(), ranks.end(), worker.global_rank());
        if (place == ranks.end()) continue;
        v1::StepResult& result = *test.add_results();
        result.set_step(step.index());
        result.set_global_rank(worker.global_rank());
        result.set_group_index(group.index());
        for (int i = 0; i < step.iterations(); ++i) result.add_iteration_us(1000);
      }
    }
  }
  if (corrupt) {
    for (v1::StepResult& result : *test.mutable_results()) {
      result.set_wrong_elements(1);
      result.mutable_first_wrong()->set_rank(result.global_rank());
    }
  }
  (void)Report(report);
}

absl::Status FakeAgent::Report(const v1::ReportTaskRequest& given) {
  v1::ReportTaskRequest request = given;
  request.set_node_uid(info.uid());
  request.mutable_session()->set_ordinal(ordinal);
  return harness_
      .Ask<v1::ReportTaskResponse>(
          [&](Coordinator& c, Reply<v1::ReportTaskResponse> reply) { c.ReportTask(request, std::move(reply)); })
      .status();
}

void FakeAgent::ReportEnded(const v1::OrderMark& mark) {
  v1::ReportTaskRequest report;
  *report.mutable_mark() = mark;
  report.mutable_ended();
  (void)Report(report);
}

void FakeAgent::ReportMemberEnded(int32_t pod_index, int32_t exit_code) {
  v1::ReportTaskRequest report;
  *report.mutable_mark() = seen[job_uid];
  report.mutable_member_ended()->set_pod_index(pod_index);
  *report.mutable_member_ended()->mutable_incarnation() = members[pod_index];
  report.mutable_member_ended()->set_exit_code(exit_code);
  members.erase(pod_index);
  (void)Report(report);
}

Pending<v1::GetRankResponse> FakeMember::Call(Harness& harness, absl::Duration poll) const {
  v1::GetRankRequest request;
  *request.mutable_job() = job;
  request.set_pod_index(index);
  *request.mutable_incarnation() = incarnation;
  request.set_node(node);
  if (local_rank) request.set_local_rank(*local_rank);
  if (last_epoch) request.set_last_epoch(*last_epoch);
  Pending<v1::GetRankResponse> pending;
  harness.coordinator->GetRank(harness.coordinator->NewCall(), request, poll, pending.reply());
  harness.Run();
  return pending;
}

Pending<v1::WatchGangResponse> FakeMember::Watch(Harness& harness, int64_t epoch, absl::Duration poll) const {
  v1::WatchGangRequest request;
  *request.mutable_job() = job;
  request.set_pod_index(index);
  *request.mutable_incarnation() = incarnation;
  request.set_epoch(epoch);
  if (local_rank) request.set_local_rank(*local_rank);
  Pending<v1::WatchGangResponse> pending;
  harness.coordinator->WatchGang(harness.coordinator->NewCall(), request, poll, pending.reply());
  harness.Run();
  return pending;
}

absl::Status FakeMember::Exit(Harness& harness, int64_t epoch, int32_t code, bool ordered) const {
  v1::ReportExitRequest request;
  *request.mutable_job() = job;
  request.set_pod_index(index);
  *request.mutable_incarnation() = incarnation;
  request.set_epoch(epoch);
  request.set_exit_code(code);
  request.set_ordered(ordered);
  if (local_rank) request.set_local_rank(*local_rank);
  return harness
      .Ask<v1::ReportExitResponse>(
          [&](Coordinator& c, Reply<v1::ReportExitResponse> reply) { c.ReportExit(request, std::move(reply)); })
      .status();
}

v1::JobSpec Spec(int32_t members, v1::LaunchSpec::Kind launch) {
  v1::JobSpec spec;
  spec.set_members(members);
  spec.set_workers_per_member(2);
  spec.mutable_launch()->set_kind(launch);
  if (launch == v1::LaunchSpec::AGENT) spec.mutable_launch()->add_command("true");
  return spec;
}

void Settle(Harness& harness, std::vector<std::unique_ptr<FakeAgent>>& agents) {
  for (bool busy = true; busy;) {
    busy = false;
    for (auto& agent : agents) busy |= !agent->Turn().empty();
    harness.Run();
  }
}

}  // namespace muster::core
