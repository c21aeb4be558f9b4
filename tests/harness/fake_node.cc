#include "tests/harness/fake_node.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/selftest/simulated_group.h"

namespace muster::harness {
namespace {

std::vector<int64_t> Members(const v1::StridedGroup& group) {
  if (group.members_size() > 0) return {group.members().begin(), group.members().end()};
  std::vector<int64_t> members = {group.base()};
  for (int digit = 0; digit < group.sizes_size(); ++digit) {
    const size_t before = members.size();
    for (int64_t j = 1; j < group.sizes(digit); ++j) {
      for (size_t i = 0; i < before; ++i) members.push_back(members[i] + j * group.strides(digit));
    }
  }
  return members;
}

// What healthy workers of this node would measure.
v1::TestReport Measured(const v1::RunTest& order) {
  v1::TestReport report;
  report.set_test_id(order.plan().test_id());
  report.set_round(order.plan().round());
  report.set_final(true);
  std::map<int64_t, bool> own;
  for (const v1::RunTest::Worker& worker : order.workers()) own[worker.global_rank()] = true;
  for (const v1::TestStep& step : order.plan().steps()) {
    for (const v1::TestGroup& group : step.groups()) {
      const std::vector<int64_t> ranks = Members(group.ranks());
      std::vector<selftest::SimulatedMember> members;
      for (int64_t rank : ranks) members.push_back({rank, rank / order.workers_per_member(), {}});
      for (size_t i = 0; i < ranks.size(); ++i) {
        if (!own.contains(ranks[i])) continue;
        auto result = selftest::SimulateMember(step, group.index(), members, static_cast<int64_t>(i), 1);
        if (!result.ok()) {
          std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
          std::abort();
        }
        *report.add_results() = *std::move(result);
      }
    }
  }
  return report;
}

}  // namespace

FakeNode::FakeNode(Cluster& cluster, const NodeSpec& node) : cluster_(cluster), name_(node.name), rack_(node.rack) {
  v1::NodeInfo& info = *registration_.mutable_node();
  info.set_name(node.name);
  info.set_uid(node.name);
  info.set_boot_id("boot-1");
  info.set_address("127.0.0.1");
  (*info.mutable_labels())["topology.muster.dev/block"] = node.block;
  (*info.mutable_labels())["topology.muster.dev/rack"] = node.rack;
  for (int i = 0; i < node.slots; ++i) {
    v1::Accelerator* accelerator = info.add_accelerators();
    accelerator->set_index(i);
    accelerator->set_kind("cpu");
  }
  (*info.mutable_capacity())["gpu"] = node.slots;
  info.add_backends("simulated");
  info.add_backends("gloo");
  info.set_allow_launch(true);
  registration_.mutable_session()->set_ordinal(absl::ToUnixMicros(absl::Now()));
  Register();
  ComeForOrders();
}

FakeNode::~FakeNode() {
  stopping_ = true;
  {
    MutexLock lock(&mu_);
    if (polling_ != nullptr) polling_->TryCancel();
  }
  if (thread_.joinable()) thread_.join();
}

void FakeNode::Register() {
  absl::Status status;
  const bool registered = Eventually([&] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    v1::RegisterResponse response;
    status = ToAbsl(cluster_.agents().Register(&context, registration_, &response));
    return !absl::IsUnavailable(status) || stopping_;
  });
  if ((registered && status.ok()) || stopping_) return;
  std::fprintf(stderr, "node %s can't register: %s\n", name_.c_str(), status.ToString().c_str());
  std::abort();
}

void FakeNode::ComeForOrders() {
  v1::NextTaskRequest request;
  request.set_node_uid(name_);
  *request.mutable_session() = registration_.session();
  request.mutable_poll();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  v1::NextTaskResponse none;
  const absl::Status status = ToAbsl(cluster_.agents().NextTask(&context, request, &none));
  if (!status.ok()) std::fprintf(stderr, "node %s can't have orders: %s\n", name_.c_str(), status.ToString().c_str());
}

void FakeNode::Serve() {
  thread_ = std::thread([this] { Loop(); });
}

void FakeNode::Loop() {
  std::map<std::string, v1::OrderMark> seen;
  while (!stopping_) {
    v1::NextTaskRequest request;
    request.set_node_uid(name_);
    *request.mutable_session() = registration_.session();
    for (const auto& [job, mark] : seen) *request.add_seen() = mark;
    grpc::ClientContext context;
    {
      MutexLock lock(&mu_);
      polling_ = &context;
    }
    v1::NextTaskResponse response;
    absl::Status status = absl::CancelledError();
    if (!stopping_) status = ToAbsl(cluster_.agents().NextTask(&context, request, &response));
    {
      MutexLock lock(&mu_);
      polling_ = nullptr;
    }
    if (absl::IsFailedPrecondition(status) && !stopping_) Register();
    if (absl::IsUnavailable(status)) Eventually([] { return false; }, absl::Milliseconds(100));
    for (const v1::Task& task : response.tasks()) {
      seen[task.mark().job_uid()] = task.mark();
      if (task.has_forget()) seen.erase(task.mark().job_uid());
      Answer(task);
      ++served_;
    }
  }
}

void FakeNode::Answer(const v1::Task& task) {
  v1::ReportTaskRequest report;
  report.set_node_uid(name_);
  *report.mutable_session() = registration_.session();
  *report.mutable_mark() = task.mark();
  if (task.has_run_test()) {
    *report.mutable_test() = Measured(task.run_test());
  } else if (task.has_stop()) {
    report.mutable_ended();
  } else if (task.has_start_members()) {
    report.mutable_refused()->set_why("this node has no processes");
  } else {
    return;
  }
  Eventually([&] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    v1::ReportTaskResponse response;
    return !absl::IsUnavailable(ToAbsl(cluster_.agents().ReportTask(&context, report, &response))) || stopping_;
  });
}

}  // namespace muster::harness
