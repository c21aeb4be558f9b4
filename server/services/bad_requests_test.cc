// Requests that are refused for their form, over real gRPC: the field is named and nothing has changed.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "server/services/rpc_fixture.h"

namespace muster::services {
namespace {

using BadRequestsTest = RpcFixture;

TEST_F(BadRequestsTest, EachNamesTheFieldAndChangesNothing) {
  Register("n0");
  Register("n1");
  const v1::Job job = Submit("job");
  Release(job);
  const auto ask = [](auto* stub, auto method, const auto& request, auto response) {
    return [stub, method, request, response]() mutable {
      grpc::ClientContext context;
      return (stub->*method)(&context, request, &response);
    };
  };
  const auto submit = [&](const std::function<void(v1::SubmitRequest&)>& spoil) {
    v1::SubmitRequest request = Submission("other");
    spoil(request);
    return ask(jobs_.get(), &v1::JobService::Stub::Submit, request, v1::SubmitResponse());
  };
  const auto rank = [&](const std::function<void(v1::GetRankRequest&)>& spoil) {
    v1::GetRankRequest request = RankRequest("job", 0);
    request.mutable_incarnation()->set_ordinal(2);
    request.mutable_poll();
    spoil(request);
    return ask(workers_.get(), &v1::WorkerService::Stub::GetRank, request, v1::GetRankResponse());
  };
  const auto exit = [&](const std::function<void(v1::ReportExitRequest&)>& spoil) {
    v1::ReportExitRequest request;
    request.mutable_job()->set_name("job");
    request.set_pod_index(0);
    request.mutable_incarnation()->set_ordinal(1);
    request.set_epoch(1);
    spoil(request);
    return ask(workers_.get(), &v1::WorkerService::Stub::ReportExit, request, v1::ReportExitResponse());
  };
  const auto enroll = [&](const std::function<void(v1::RegisterRequest&)>& spoil) {
    v1::RegisterRequest request;
    request.mutable_node()->set_name("n9");
    request.mutable_session()->set_ordinal(1);
    spoil(request);
    return ask(agents_.get(), &v1::AgentService::Stub::Register, request, v1::RegisterResponse());
  };
  const auto quarantine = [&](const std::string& name, const std::string& reason, int64_t seconds) {
    v1::QuarantineRequest request;
    request.set_name(name);
    request.set_reason(reason);
    request.mutable_duration()->set_seconds(seconds);
    return ask(nodes_.get(), &v1::NodeService::Stub::Quarantine, request, v1::Node());
  };
  const auto set = [&](const std::function<void(v1::SetRequest&)>& spoil) {
    v1::SetRequest request;
    request.mutable_scope()->set_job_uid(job.uid());
    request.mutable_scope()->set_epoch(1);
    request.add_pairs()->set_key("k");
    spoil(request);
    return ask(values_.get(), &v1::KeyValueService::Stub::Set, request, v1::SetResponse());
  };
  struct Row {
    std::string name;
    std::function<grpc::Status()> call;
    // Of INVALID_ARGUMENT; empty: another code.
    std::string field;
    grpc::StatusCode code = grpc::INVALID_ARGUMENT;
  };
  v1::GetJobRequest nobody;
  v1::ListJobsRequest page;
  page.set_page_size(5000);
  v1::ListNodesRequest negative_page;
  negative_page.set_page_size(-1);
  v1::CancelJobRequest long_reason;
  long_reason.mutable_job()->set_name("job");
  long_reason.set_reason(std::string(300, 'x'));
  v1::GetReceiptRequest no_receipt;
  v1::AnnotateReceiptRequest big_annotation;
  big_annotation.set_id("rcp-1");
  (*big_annotation.mutable_annotations())["k"] = std::string(5000, 'x');
  v1::StartSelfTestRequest one_node;
  one_node.add_nodes("n0");
  v1::StartSelfTestRequest same_node = one_node;
  same_node.add_nodes("n0");
  v1::WatchGangRequest no_epoch;
  no_epoch.mutable_job()->set_name("job");
  no_epoch.set_pod_index(0);
  no_epoch.mutable_incarnation();
  v1::ReportTaskRequest nothing;
  nothing.set_node_uid("n0");
  nothing.mutable_session()->set_ordinal(1);
  nothing.mutable_mark()->set_job_uid(job.uid());
  v1::NextTaskRequest stranger;
  stranger.set_node_uid("nowhere");
  stranger.mutable_session();
  v1::WaitRequest long_key;
  long_key.mutable_scope()->set_job_uid(job.uid());
  long_key.add_keys(std::string(2000, 'k'));
  v1::WaitRequest both;
  both.mutable_scope()->set_job_uid("j");
  both.mutable_scope()->set_test_id("t");
  both.add_keys("k");

  const std::vector<Row> rows = {
      {"no name", submit([](auto& r) { r.clear_name(); }), "name"},
      {"bad name", submit([](auto& r) { r.set_name("No_Good"); }), "name"},
      {"4 MB name", submit([](auto& r) { r.set_name(std::string(4 << 20, 'a')); }), "name"},
      {"bad namespace", submit([](auto& r) { r.set_namespace_("-x"); }), "namespace"},
      {"no spec", submit([](auto& r) { r.clear_spec(); }), "spec"},
      {"no members", submit([](auto& r) { r.mutable_spec()->set_members(0); }), "spec.members"},
      {"negative members", submit([](auto& r) { r.mutable_spec()->set_members(-5); }), "spec.members"},
      {"too many workers", submit([](auto& r) { r.mutable_spec()->set_workers_per_member(99999); }),
       "spec.workersPerMember"},
      {"long request id", submit([](auto& r) { r.set_request_id(std::string(65, 'x')); }), "request_id"},
      {"long owner", submit([](auto& r) { r.mutable_owner()->set_uid(std::string(129, 'x')); }), "owner.uid"},
      {"name taken", submit([](auto& r) { r.set_name("job"); }), "", grpc::ALREADY_EXISTS},
      {"no job", ask(jobs_.get(), &v1::JobService::Stub::Get, nobody, v1::Job()), "job"},
      {"large page", ask(jobs_.get(), &v1::JobService::Stub::List, page, v1::ListJobsResponse()), "page_size"},
      {"negative page", ask(nodes_.get(), &v1::NodeService::Stub::List, negative_page, v1::ListNodesResponse()),
       "page_size"},
      {"long reason", ask(jobs_.get(), &v1::JobService::Stub::Cancel, long_reason, v1::Job()), "reason"},
      {"unknown job", rank([](auto& r) { r.mutable_job()->set_name("nobody"); }), "", grpc::NOT_FOUND},
      {"no index", rank([](auto& r) { r.clear_pod_index(); }), "pod_index"},
      {"negative index", rank([](auto& r) { r.set_pod_index(-1); }), "pod_index"},
      {"index past the gang", rank([](auto& r) { r.set_pod_index(2); }), "pod_index"},
      {"no incarnation", rank([](auto& r) { r.clear_incarnation(); }), "incarnation"},
      {"long incarnation", rank([](auto& r) { r.mutable_incarnation()->set_uid(std::string(200, 'x')); }),
       "incarnation.uid"},
      {"local rank past the member", rank([](auto& r) { r.set_local_rank(1); }), "local_rank"},
      {"bad port", rank([](auto& r) { r.set_reserved_port(70000); }), "reserved_port"},
      {"other worker count", rank([](auto& r) { r.set_workers(3); }), "workers"},
      {"negative poll", rank([](auto& r) { r.mutable_poll()->set_seconds(-1); }), "poll"},
      {"stale epoch", rank([](auto& r) { r.set_expected_epoch(9); }), "", grpc::FAILED_PRECONDITION},
      {"no epoch", ask(workers_.get(), &v1::WorkerService::Stub::WatchGang, no_epoch, v1::WatchGangResponse()),
       "epoch"},
      {"exit code", exit([](auto& r) { r.set_exit_code(300); }), "exit_code"},
      {"exit without epoch", exit([](auto& r) { r.clear_epoch(); }), "epoch"},
      {"no node name", enroll([](auto& r) { r.mutable_node()->clear_name(); }), "node.name"},
      {"node name with a slash", enroll([](auto& r) { r.mutable_node()->set_name("a/b"); }), "node.name"},
      {"another's name", enroll([](auto& r) { r.mutable_node()->set_name("n0"), r.mutable_node()->set_uid("u"); }),
       "node.name"},
      {"no session", enroll([](auto& r) { r.clear_session(); }), "session"},
      {"negative capacity", enroll([](auto& r) { (*r.mutable_node()->mutable_capacity())["gpu"] = -1; }),
       "node.capacity.gpu"},
      {"long label", enroll([](auto& r) { (*r.mutable_node()->mutable_labels())["k"] = std::string(300, 'x'); }),
       "node.labels.k"},
      {"unregistered", ask(agents_.get(), &v1::AgentService::Stub::NextTask, stranger, v1::NextTaskResponse()), "",
       grpc::FAILED_PRECONDITION},
      {"empty report", ask(agents_.get(), &v1::AgentService::Stub::ReportTask, nothing, v1::ReportTaskResponse()),
       "kind"},
      {"no reason", quarantine("n0", "", 1), "reason"},
      {"negative quarantine", quarantine("n0", "x", -1), "duration"},
      {"no such node", quarantine("n77", "x", 1), "", grpc::NOT_FOUND},
      {"one node", ask(self_tests_.get(), &v1::SelfTestService::Stub::Start, one_node, v1::StartSelfTestResponse()),
       "nodes"},
      {"a node twice",
       ask(self_tests_.get(), &v1::SelfTestService::Stub::Start, same_node, v1::StartSelfTestResponse()), "nodes[1]"},
      {"no receipt id", ask(receipts_.get(), &v1::ReceiptService::Stub::Get, no_receipt, v1::Receipt()), "id"},
      {"large annotation", ask(receipts_.get(), &v1::ReceiptService::Stub::Annotate, big_annotation, v1::Receipt()),
       "annotations.k"},
      {"empty key", set([](auto& r) { r.mutable_pairs(0)->clear_key(); }), "pairs[0].key"},
      {"key twice", set([](auto& r) { r.add_pairs()->set_key("k"); }), "pairs[1].key"},
      {"large value", set([](auto& r) { r.mutable_pairs(0)->set_value(std::string((1 << 20) + 1, 'v')); }),
       "pairs[0].value"},
      {"no scope", set([](auto& r) { r.clear_scope(); }), "scope"},
      {"two scopes", ask(values_.get(), &v1::KeyValueService::Stub::Wait, both, v1::GetResponse()), "scope"},
      {"long key", ask(values_.get(), &v1::KeyValueService::Stub::Wait, long_key, v1::GetResponse()), "keys[0]"},
  };
  const std::string before = Dump();
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const grpc::Status status = row.call();
    EXPECT_EQ(status.error_code(), row.code) << status.error_message();
    EXPECT_FALSE(status.error_message().empty());
    EXPECT_LT(status.error_message().size(), 2000u);
    if (status.error_code() == grpc::INVALID_ARGUMENT) {
      EXPECT_EQ(DetailOf(status).field(), row.field) << status.error_message();
      EXPECT_FALSE(DetailOf(status).way_out().empty()) << status.error_message();
    }
  }
  EXPECT_EQ(Dump(), before);
}

}  // namespace
}  // namespace muster::services
