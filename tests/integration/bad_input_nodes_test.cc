// Bad input to the calls of members and agents, and about nodes.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/bad_input.h"

namespace muster::harness {
namespace {

Row Rank(std::string name, std::function<void(v1::GetRankRequest&)> spoil, grpc::StatusCode code, std::string field,
         std::string says) {
  return Call<v1::WorkerService::Stub, v1::GetRankRequest, v1::GetRankResponse>(
      std::move(name), &Cluster::workers, &v1::WorkerService::Stub::GetRank,
      [=](v1::GetRankRequest& request, const Present& present) {
        request = present.member;
        spoil(request);
      },
      code, std::move(field), std::move(says));
}

Row Register(std::string name, std::function<void(v1::RegisterRequest&)> spoil, std::string field, std::string says) {
  return Call<v1::AgentService::Stub, v1::RegisterRequest, v1::RegisterResponse>(
      std::move(name), &Cluster::agents, &v1::AgentService::Stub::Register,
      [=](v1::RegisterRequest& request, const Present&) {
        request.mutable_node()->set_name("bad");
        request.mutable_session()->set_ordinal(1);
        spoil(request);
      },
      kInvalid, std::move(field), std::move(says));
}

std::vector<Row> MemberRows() {
  return {
      Rank(
          "RankWithoutIndex", [](auto& r) { r.clear_pod_index(); }, kInvalid, "pod_index", "absent"),
      Rank(
          "RankOfNegativeIndex", [](auto& r) { r.set_pod_index(-1); }, kInvalid, "pod_index", "-1"),
      Rank(
          "RankBeyondTheGang", [](auto& r) { r.set_pod_index(2); }, kInvalid, "pod_index", "2 is not one of the 2"),
      Rank(
          "RankWithoutIncarnation", [](auto& r) { r.clear_incarnation(); }, kInvalid, "incarnation", "absent"),
      Rank(
          "RankOfNegativeOrdinal", [](auto& r) { r.mutable_incarnation()->set_ordinal(-5); }, kInvalid,
          "incarnation.ordinal", "-5"),
      Rank(
          "RankBeyondTheWorkers", [](auto& r) { r.set_local_rank(2); }, kInvalid, "local_rank", "2"),
      Rank(
          "RankWithAnotherCountOfWorkers", [](auto& r) { r.set_workers(3); }, kInvalid, "workers", "3 workers"),
      Rank(
          "RankWithImpossiblePort", [](auto& r) { r.set_reserved_port(65536); }, kInvalid, "reserved_port", "65536"),
      Rank(
          "RankWithNegativePoll", [](auto& r) { r.mutable_poll()->set_seconds(-1); }, kInvalid, "poll", "-1"),
      Rank(
          "RankOfUnknownJob", [](auto& r) { r.mutable_job()->set_uid("job-0"); }, grpc::NOT_FOUND, "", "job-0"),
      Rank(
          "RankOfOverEpoch", [](auto& r) { r.set_expected_epoch(9); }, grpc::FAILED_PRECONDITION, "", "epoch 9"),
      Rank(
          "RankOfOverAttempt", [](auto& r) { r.set_expected_attempt(9); }, grpc::FAILED_PRECONDITION, "", "attempt 9"),
      Call<Workers, v1::WatchGangRequest, v1::WatchGangResponse>(
          "WatchWithoutEpoch", &Cluster::workers, &Workers::WatchGang,
          [](auto& r, const Present& p) {
            *r.mutable_job() = p.member.job();
            r.set_pod_index(0);
            *r.mutable_incarnation() = p.member.incarnation();
          },
          kInvalid, "epoch", "0"),
      Call<Workers, v1::ReportExitRequest, v1::ReportExitResponse>(
          "ExitCodeBeyond255", &Cluster::workers, &Workers::ReportExit,
          [](auto& r, const Present& p) {
            *r.mutable_job() = p.member.job();
            r.set_pod_index(0);
            *r.mutable_incarnation() = p.member.incarnation();
            r.set_epoch(1);
            r.set_exit_code(256);
          },
          kInvalid, "exit_code", "256"),
  };
}

std::vector<Row> NodeRows() {
  return {
      Register(
          "RegisterNameless", [](auto& r) { r.mutable_node()->clear_name(); }, "node.name", "empty"),
      Register(
          "RegisterNameWithSpace", [](auto& r) { r.mutable_node()->set_name("a b"); }, "node.name", "\"a b\""),
      Register(
          "RegisterWithoutSession", [](auto& r) { r.clear_session(); }, "session", "absent"),
      Register(
          "RegisterTheNameOfAnother",
          [](auto& r) {
            r.mutable_node()->set_name("n1");
            r.mutable_node()->set_uid("another");
          },
          "node.name", "\"n1\""),
      Register(
          "RegisterNegativeCapacity", [](auto& r) { (*r.mutable_node()->mutable_capacity())["gpu"] = -8; },
          "node.capacity.gpu", "-8"),
      Register(
          "RegisterTooManyLabels",
          [](auto& r) {
            for (int i = 0; i < 129; ++i) (*r.mutable_node()->mutable_labels())[absl::StrCat("l", i)] = "x";
          },
          "node.labels", "129"),
      Register(
          "RegisterLabelTooLong", [](auto& r) { (*r.mutable_node()->mutable_labels())["rack"] = kLong; },
          "node.labels.rack", "5000"),
      Register(
          "RegisterLabelKeyTooLong",
          [](auto& r) { (*r.mutable_node()->mutable_labels())[std::string(318, 'k')] = "x"; }, "node.labels", "318"),
      Register(
          "RegisterTooManyAccelerators",
          [](auto& r) {
            for (int i = 0; i < 1025; ++i) r.mutable_node()->add_accelerators();
          },
          "node.accelerators", "1025"),
      Call<Agents, v1::NextTaskRequest, v1::NextTaskResponse>(
          "TasksOfUnknownNode", &Cluster::agents, &Agents::NextTask,
          [](auto& r, const Present&) {
            r.set_node_uid("none");
            r.mutable_session()->set_ordinal(1);
          },
          grpc::FAILED_PRECONDITION, "", "none"),
      Call<Agents, v1::ReportTaskRequest, v1::ReportTaskResponse>(
          "ReportNothing", &Cluster::agents, &Agents::ReportTask,
          [](auto& r, const Present& p) {
            r.set_node_uid("n1");
            r.mutable_session()->set_ordinal(1);
            r.mutable_mark()->set_job_uid(p.job.uid());
          },
          kInvalid, "kind", "absent"),
      Call<Nodes, v1::GetNodeRequest, v1::Node>(
          "GetUnknownNode", &Cluster::nodes, &Nodes::Get, [](auto& r, const Present&) { r.set_name("n9"); },
          grpc::NOT_FOUND, "", "n9"),
      Call<Nodes, v1::QuarantineRequest, v1::Node>(
          "QuarantineWithoutReason", &Cluster::nodes, &Nodes::Quarantine,
          [](auto& r, const Present&) { r.set_name("n1"); }, kInvalid, "reason", "empty"),
      Call<Nodes, v1::QuarantineRequest, v1::Node>(
          "QuarantineForNegativeTime", &Cluster::nodes, &Nodes::Quarantine,
          [](auto& r, const Present&) {
            r.set_name("n1");
            r.set_reason("x");
            r.mutable_duration()->set_seconds(-3);
          },
          kInvalid, "duration", "-3"),
      Call<Nodes, v1::QuarantineRequest, v1::Node>(
          "QuarantineForElevenYears", &Cluster::nodes, &Nodes::Quarantine,
          [](auto& r, const Present&) {
            r.set_name("n1");
            r.set_reason("x");
            r.mutable_duration()->set_seconds(int64_t{11} * 366 * 86400);
          },
          kInvalid, "duration", "347846400"),
      Call<Nodes, v1::ReadmitRequest, v1::Node>(
          "ReadmitUnknownNode", &Cluster::nodes, &Nodes::Readmit, [](auto& r, const Present&) { r.set_name("n9"); },
          grpc::NOT_FOUND, "", "n9"),
      Call<Nodes, v1::DrainRequest, v1::Node>(
          "DrainNothing", &Cluster::nodes, &Nodes::Drain, [](auto&, const Present&) {}, kInvalid, "name", "empty"),
      Call<Nodes, v1::ListNodesRequest, v1::ListNodesResponse>(
          "ListNodesNegativePage", &Cluster::nodes, &Nodes::List, [](auto& r, const Present&) { r.set_page_size(-1); },
          kInvalid, "page_size", "-1"),
      Call<Tests, v1::StartSelfTestRequest, v1::StartSelfTestResponse>(
          "SelfTestOfOneNode", &Cluster::self_tests, &Tests::Start, [](auto& r, const Present&) { r.add_nodes("n1"); },
          kInvalid, "nodes", "1 nodes"),
      Call<Tests, v1::StartSelfTestRequest, v1::StartSelfTestResponse>(
          "SelfTestOfTakenNodes", &Cluster::self_tests, &Tests::Start,
          [](auto& r, const Present&) {
            r.add_nodes("n1");
            r.add_nodes("n2");
          },
          grpc::FAILED_PRECONDITION, "", "n1"),
  };
}

TEST(BadInput, OfMemberAndNodeCalls_NamesTheFieldTheValueAndTheWayOutAndChangesNothing) {
  CheckRows({MemberRows(), NodeRows()}, 30);
}

}  // namespace
}  // namespace muster::harness
