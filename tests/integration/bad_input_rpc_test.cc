// What a client may get wrong in a call: the error's code, the field it names, what it says of it, and the way out; and
// nothing has changed afterwards.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/rpc/status.h"
#include "lib/base/errors.h"
#include "tests/harness/cluster.h"
#include "tests/harness/fake_node.h"
#include "tests/harness/held_call.h"

namespace muster::harness {
namespace {

// What was there before: a job that runs on both nodes of the cluster.
struct Present {
  v1::Job job;
  v1::GetRankRequest member;
};

struct Row {
  std::string name;
  std::function<grpc::Status(Cluster&, const Present&)> call;
  grpc::StatusCode code;
  // Of the OutcomeDetail; empty: not about one field.
  std::string field;
  // Part of the message, with the value.
  std::string says;
};

constexpr auto kInvalid = grpc::INVALID_ARGUMENT;
const std::string kLong(5000, 'x');

void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
}

// A row that calls `method` of `stub` with what `spoil` makes of a good request.
template <typename Stub, typename Request, typename Response>
Row Call(std::string name, Stub& (Cluster::*stub)(),
         grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
         std::function<void(Request&, const Present&)> spoil, grpc::StatusCode code, std::string field,
         std::string says) {
  return {std::move(name),
          [=](Cluster& cluster, const Present& present) {
            Request request;
            spoil(request, present);
            grpc::ClientContext context;
            SetDeadline(context);
            Response response;
            return ((cluster.*stub)().*method)(&context, request, &response);
          },
          code, std::move(field), std::move(says)};
}

// A submission that would be taken, spoiled.
Row Submit(std::string name, std::function<void(v1::SubmitRequest&)> spoil, std::string field, std::string says) {
  return Call<v1::JobService::Stub, v1::SubmitRequest, v1::SubmitResponse>(
      std::move(name), &Cluster::jobs, &v1::JobService::Stub::Submit,
      [=](v1::SubmitRequest& request, const Present&) {
        request = AgentJob("bad", 4, 2, {{"tp", 2}, {"pp", 2}, {"dp", 2}}, {"true"});
        spoil(request);
      },
      kInvalid, std::move(field), std::move(says));
}

Row Spec(std::string name, std::function<void(v1::JobSpec&)> spoil, std::string field, std::string says) {
  return Submit(
      std::move(name), [=](v1::SubmitRequest& request) { spoil(*request.mutable_spec()); }, std::move(field),
      std::move(says));
}

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

void Axis(v1::JobSpec& spec, const std::string& name, int64_t size) {
  auto* axis = spec.mutable_mesh()->add_axes();
  axis->set_name(name);
  axis->set_size(size);
}

std::vector<Row> JobRows() {
  return {
      Submit(
          "NoSpec", [](auto& r) { r.clear_spec(); }, "spec", "absent"),
      Submit(
          "NoName", [](auto& r) { r.clear_name(); }, "name", "empty"),
      Submit(
          "NameWithCapitals", [](auto& r) { r.set_name("Train"); }, "name", "\"Train\""),
      Submit(
          "NameThatIsTooLong", [](auto& r) { r.set_name(std::string(64, 'a')); }, "name", "DNS label"),
      Submit(
          "NamespaceWithSlash", [](auto& r) { r.set_namespace_("a/b"); }, "namespace", "\"a/b\""),
      Submit(
          "OwnerUidTooLong", [](auto& r) { r.mutable_owner()->set_uid(kLong); }, "owner.uid", "5000"),
      Submit(
          "RequestIdTooLong", [](auto& r) { r.set_request_id(std::string(65, 'a')); }, "request_id", "65"),
      Spec(
          "NoMembers", [](auto& s) { s.set_members(0); }, "spec.members", "0 is out of range"),
      Spec(
          "NegativeMembers", [](auto& s) { s.set_members(-7); }, "spec.members", "-7"),
      Spec(
          "TooManyMembers", [](auto& s) { s.set_members(1'000'001); }, "spec.members", "1000001"),
      Spec(
          "TooManyWorkers", [](auto& s) { s.set_workers_per_member(1025); }, "spec.workersPerMember", "1025"),
      Spec(
          "UnknownDialect", [](auto& s) { s.mutable_mesh()->set_dialect("megatrn"); }, "spec.mesh.dialect", "megatrn"),
      Spec(
          "UnknownAxis", [](auto& s) { Axis(s, "tpp", 2); }, "spec.mesh.axes.tpp", "unknown axis"),
      Spec(
          "AxisTwice", [](auto& s) { Axis(s, "tp", 2); }, "spec.mesh.axes.tp", "twice"),
      Spec(
          "AxisOfSizeZero", [](auto& s) { Axis(s, "cp", 0); }, "spec.mesh.axes.cp", "0 is below 1"),
      Spec(
          "AxisOfHugeSize", [](auto& s) { Axis(s, "cp", std::numeric_limits<int64_t>::max()); }, "spec.mesh",
          "workers"),
      Spec(
          "WorldThatAxesDoNotDivide", [](auto& s) { s.set_members(3); }, "spec.mesh", "6 workers"),
      Spec(
          "DpThatDoesNotFit", [](auto& s) { s.set_members(8); }, "spec.mesh.axes.dp", "leave dp 4"),
      Spec(
          "BadOrder", [](auto& s) { s.mutable_mesh()->set_order("tp-tp"); }, "spec.mesh", "does not name pp"),
      Spec(
          "OptionsOfAnotherDialect", [](auto& s) { s.mutable_mesh()->mutable_torch()->set_older_group_order(true); },
          "spec.mesh.torch", "megatron"),
      Spec(
          "PermutationWithMegatron", [](auto& s) { s.mutable_mesh()->add_permutation(0); }, "spec.mesh.permutation",
          "megatron"),
      Spec(
          "UnknownPlacementSource",
          [](auto& s) { s.mutable_placement()->set_source(static_cast<v1::PlacementSpec::Source>(99)); },
          "spec.placement.source", "99"),
      Spec(
          "SliceThatDoesNotDivide",
          [](auto& s) {
            auto* slice = s.mutable_placement()->add_slices();
            slice->set_size(3);
            slice->set_tier("rack");
          },
          "spec.placement.slices[0].size", "3 does not divide 4"),
      Spec(
          "MoreSparesThanMembers", [](auto& s) { s.mutable_placement()->set_spares(5); }, "spec.placement.spares", "5"),
      Spec(
          "TrafficOfUnknownFamily", [](auto& s) { s.mutable_placement()->add_traffic()->set_family("tpp"); },
          "spec.placement.traffic[0].family", "\"tpp\""),
      Spec(
          "NegativeTrafficWeight",
          [](auto& s) {
            auto* item = s.mutable_placement()->add_traffic();
            item->set_family("tp");
            item->set_weight(-1);
          },
          "spec.placement.traffic[0].weight", "-1"),
      Spec(
          "NodeNamedTwice",
          [](auto& s) {
            s.mutable_placement()->add_nodes("n1");
            s.mutable_placement()->add_nodes("n1");
          },
          "spec.placement.nodes[1]", "\"n1\""),
      Spec(
          "TooManyMembersPerNode", [](auto& s) { s.mutable_placement()->set_members_per_node(65); },
          "spec.placement.membersPerNode", "65"),
      Spec(
          "UnknownBackend", [](auto& s) { s.mutable_self_test()->set_backend("glooo"); }, "spec.selfTest.backend",
          "did you mean \"gloo\"?"),
      Spec(
          "FloorOfUnknownFamily", [](auto& s) { (*s.mutable_self_test()->mutable_floor_gbps())["ppp"] = 1; },
          "spec.selfTest.floorGbps.ppp", "\"ppp\""),
      Spec(
          "FloorThatIsNoNumber", [](auto& s) { (*s.mutable_self_test()->mutable_floor_gbps())["tp"] = NAN; },
          "spec.selfTest.floorGbps.tp", "nan"),
      Spec(
          "RatioAboveOne", [](auto& s) { s.mutable_self_test()->set_min_sibling_ratio(1.5); },
          "spec.selfTest.minSiblingRatio", "1.5"),
      Spec(
          "WaivedWhereItMayNotBe", [](auto& s) { s.mutable_self_test()->set_profile(v1::SelfTestSpec::NONE); },
          "spec.selfTest.profile", "default"),
      Spec(
          "NothingToStart", [](auto& s) { s.mutable_launch()->clear_command(); }, "spec.launch.command", "agent"),
      Spec(
          "CommandThatNobodyStarts", [](auto& s) { s.mutable_launch()->set_kind(v1::LaunchSpec::EXTERNAL); },
          "spec.launch.command", "\"true\""),
      Spec(
          "CommandWithNul", [](auto& s) { s.mutable_launch()->add_command(std::string("a\0b", 3)); },
          "spec.launch.command[1]", "NUL"),
      Spec(
          "VariableWithEqualsSign", [](auto& s) { (*s.mutable_launch()->mutable_env())["A=B"] = "c"; },
          "spec.launch.env.A=B", "'='"),
      Spec(
          "RelativeFolder", [](auto& s) { s.mutable_launch()->set_working_dir("here"); }, "spec.launch.workingDir",
          "\"here\""),
      Spec(
          "PortBeyond65535", [](auto& s) { s.mutable_launch()->set_leader_port(70000); }, "spec.launch.leaderPort",
          "70000"),
      Spec(
          "NegativePriority", [](auto& s) { s.set_priority(-1'000'001); }, "spec.priority", "-1000001"),
      Spec(
          "NegativeDeadline", [](auto& s) { s.mutable_limits()->mutable_stop_deadline()->set_seconds(-1); },
          "spec.limits.stopDeadline", "-1"),
      Spec(
          "TooManyTries", [](auto& s) { s.mutable_limits()->set_max_tries(101); }, "spec.limits.maxTries", "101"),
      Spec(
          "AnnotationTooLong", [](auto& s) { (*s.mutable_annotations())["note"] = kLong; }, "spec.annotations.note",
          "5000"),
  };
}

using Jobs = v1::JobService::Stub;
using Workers = v1::WorkerService::Stub;
using Agents = v1::AgentService::Stub;
using Nodes = v1::NodeService::Stub;
using Receipts = v1::ReceiptService::Stub;
using Tests = v1::SelfTestService::Stub;
using KeyValues = v1::KeyValueService::Stub;

std::vector<Row> OtherJobCalls() {
  return {
      Call<Jobs, v1::SubmitRequest, v1::SubmitResponse>(
          "SubmitTheSameNameAgain", &Cluster::jobs, &Jobs::Submit,
          [](auto& r, const Present& p) {
            r = AgentJob(p.job.name(), 1, 1, {}, {"true"});
            r.mutable_spec()->clear_mesh();
          },
          grpc::ALREADY_EXISTS, "", "RUNNING"),
      Call<Jobs, v1::GetJobRequest, v1::Job>(
          "GetNothing", &Cluster::jobs, &Jobs::Get, [](auto&, const Present&) {}, kInvalid, "job", "neither"),
      Call<Jobs, v1::GetJobRequest, v1::Job>(
          "GetUnknownJob", &Cluster::jobs, &Jobs::Get,
          [](auto& r, const Present&) { r.mutable_job()->set_name("none"); }, grpc::NOT_FOUND, "", "default/none"),
      Call<Jobs, v1::GetJobRequest, v1::Job>(
          "GetUidOfAnotherName", &Cluster::jobs, &Jobs::Get,
          [](auto& r, const Present& p) {
            r.mutable_job()->set_uid(p.job.uid());
            r.mutable_job()->set_name("other");
          },
          kInvalid, "job", "other"),
      Call<Jobs, v1::ListJobsRequest, v1::ListJobsResponse>(
          "ListTooLargePage", &Cluster::jobs, &Jobs::List, [](auto& r, const Present&) { r.set_page_size(1001); },
          kInvalid, "page_size", "1001"),
      Call<Jobs, v1::ListJobsRequest, v1::ListJobsResponse>(
          "ListForeignToken", &Cluster::jobs, &Jobs::List, [](auto& r, const Present&) { r.set_page_token("abc"); },
          kInvalid, "page_token", "not one"),
      Call<Jobs, v1::CancelJobRequest, v1::Job>(
          "CancelUnknownJob", &Cluster::jobs, &Jobs::Cancel,
          [](auto& r, const Present&) { r.mutable_job()->set_uid("job-0"); }, grpc::NOT_FOUND, "", "job-0"),
      Call<Jobs, v1::CancelJobRequest, v1::Job>(
          "CancelWithLongReason", &Cluster::jobs, &Jobs::Cancel,
          [](auto& r, const Present& p) {
            r.mutable_job()->set_name(p.job.name());
            r.set_reason(kLong);
          },
          kInvalid, "reason", "5000"),
      Call<Jobs, v1::PlanRequest, v1::PlanResponse>(
          "PlanNoSpec", &Cluster::jobs, &Jobs::Plan, [](auto&, const Present&) {}, kInvalid, "spec", "absent"),
      Call<Jobs, v1::PlanRequest, v1::PlanResponse>(
          "PlanOnNamelessNode", &Cluster::jobs, &Jobs::Plan,
          [](auto& r, const Present&) {
            r.mutable_spec()->set_members(1);
            r.add_nodes();
          },
          kInvalid, "nodes[0].name", "empty"),
      Call<Jobs, v1::ExplainRequest, v1::Explanation>(
          "ExplainUnknownJob", &Cluster::jobs, &Jobs::Explain,
          [](auto& r, const Present&) { r.mutable_job()->set_name("none"); }, grpc::NOT_FOUND, "", "none"),
  };
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

std::vector<Row> ReceiptAndKeyValueRows() {
  return {
      Call<Receipts, v1::GetReceiptRequest, v1::Receipt>(
          "GetUnknownReceipt", &Cluster::receipts, &Receipts::Get, [](auto& r, const Present&) { r.set_id("rcp-0"); },
          grpc::NOT_FOUND, "", "rcp-0"),
      Call<Receipts, v1::CompareReceiptsRequest, v1::CompareReceiptsResponse>(
          "CompareWithNothing", &Cluster::receipts, &Receipts::Compare,
          [](auto& r, const Present& p) { r.set_left(p.job.receipt_id()); }, kInvalid, "right", "empty"),
      Call<Receipts, v1::AnnotateReceiptRequest, v1::Receipt>(
          "AnnotateTooLong", &Cluster::receipts, &Receipts::Annotate,
          [](auto& r, const Present& p) {
            r.set_id(p.job.receipt_id());
            (*r.mutable_annotations())["loss"] = kLong;
          },
          kInvalid, "annotations.loss", "5000"),
      Call<KeyValues, v1::SetRequest, v1::SetResponse>(
          "SetWithoutScope", &Cluster::key_values, &KeyValues::Set, [](auto&, const Present&) {}, kInvalid, "scope",
          "neither"),
      Call<KeyValues, v1::SetRequest, v1::SetResponse>(
          "SetEmptyKey", &Cluster::key_values, &KeyValues::Set,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
            r.add_pairs()->set_value("v");
          },
          kInvalid, "pairs[0].key", "empty"),
      Call<KeyValues, v1::SetRequest, v1::SetResponse>(
          "SetKeyTwice", &Cluster::key_values, &KeyValues::Set,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
            r.add_pairs()->set_key("k");
            r.add_pairs()->set_key("k");
          },
          kInvalid, "pairs[1].key", "\"k\""),
      Call<KeyValues, v1::SetRequest, v1::SetResponse>(
          "SetTooLargeValue", &Cluster::key_values, &KeyValues::Set,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
            r.add_pairs()->set_key("k");
            r.mutable_pairs(0)->set_value(std::string((1 << 20) + 1, 'v'));
          },
          kInvalid, "pairs[0].value", "1048577"),
      Call<KeyValues, v1::GetRequest, v1::GetResponse>(
          "GetOfAnotherEpoch", &Cluster::key_values, &KeyValues::Get,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(7);
            r.add_keys("k");
          },
          grpc::FAILED_PRECONDITION, "", "7"),
      Call<KeyValues, v1::WaitRequest, v1::GetResponse>(
          "WaitForNothing", &Cluster::key_values, &KeyValues::Wait,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
          },
          kInvalid, "keys", "empty"),
      Call<KeyValues, v1::AddRequest, v1::AddResponse>(
          "AddWithLongRequestId", &Cluster::key_values, &KeyValues::Add,
          [](auto& r, const Present& p) {
            r.mutable_scope()->set_job_uid(p.job.uid());
            r.mutable_scope()->set_epoch(1);
            r.set_key("k");
            r.set_request_id(kLong);
          },
          kInvalid, "request_id", "5000"),
  };
}

// Everything that a person can see, without what only tells that somebody has called.
std::string State(Cluster& cluster) {
  std::string state;
  grpc::ClientContext jobs, nodes, receipts;
  for (auto* context : {&jobs, &nodes, &receipts}) SetDeadline(*context);
  v1::ListJobsRequest request;
  request.set_include_finished(true);
  v1::ListJobsResponse job_list;
  EXPECT_TRUE(cluster.jobs().List(&jobs, request, &job_list).ok());
  for (const v1::Job& brief : job_list.jobs()) {
    v1::Job job = cluster.Get(brief.name());
    for (v1::MemberStatus& member : *job.mutable_members()) member.clear_last_seen();
    absl::StrAppend(&state, job.Utf8DebugString());
  }
  v1::ListNodesResponse node_list;
  EXPECT_TRUE(cluster.nodes().List(&nodes, {}, &node_list).ok());
  for (v1::Node& node : *node_list.mutable_nodes()) {
    node.clear_last_seen();
    absl::StrAppend(&state, node.Utf8DebugString());
  }
  v1::ListReceiptsResponse receipt_list;
  EXPECT_TRUE(cluster.receipts().List(&receipts, {}, &receipt_list).ok());
  return absl::StrCat(state, receipt_list.Utf8DebugString());
}

TEST(BadInput, OverRpcs_NamesTheFieldTheValueAndTheWayOutAndChangesNothing) {
  Cluster cluster({"--may-waive", "waived", "--agent-lease", "10m", "--member-lease", "10m"});
  cluster.StartServer();
  FakeNode n1(cluster, {.name = "n1"}), n2(cluster, {.name = "n2"});
  n1.Serve();
  n2.Serve();
  v1::SubmitRequest request = ExternalJob("present", 2, 2, {{"tp", 2}, {"dp", 2}});
  request.mutable_spec()->mutable_self_test()->set_profile(v1::SelfTestSpec::QUICK);
  request.mutable_spec()->mutable_self_test()->set_backend("simulated");
  cluster.Submit(request);
  Present present;
  present.job = cluster.WaitForPhase("present", v1::ASSEMBLING);
  ASSERT_EQ(present.job.phase(), v1::ASSEMBLING) << present.job.ShortDebugString() << cluster.Logs();
  const auto& ranks = present.job.placement().ranks();
  present.member = RankRequest(present.job, 0, 1, ranks[0].node());
  HeldRank zero(cluster, present.member), one(cluster, RankRequest(present.job, 1, 1, ranks[1].node()));
  ASSERT_TRUE(zero.Wait() && one.Wait());
  ASSERT_EQ(zero.outcome(), v1::READY) << zero.status().error_message();
  present.job = cluster.Get("present");
  ASSERT_EQ(present.job.phase(), v1::RUNNING);
  const std::string before = State(cluster);

  int rows = 0;
  for (const auto& table : {JobRows(), OtherJobCalls(), MemberRows(), NodeRows(), ReceiptAndKeyValueRows()}) {
    for (const Row& row : table) {
      SCOPED_TRACE(row.name);
      const grpc::Status status = row.call(cluster, present);
      EXPECT_EQ(status.error_code(), row.code) << status.error_message();
      EXPECT_TRUE(absl::StrContains(status.error_message(), row.says)) << status.error_message();
      EXPECT_LT(status.error_message().size(), 1000u) << "an error is no echo";
      const auto detail = DetailOf(FromGrpc(status));
      if (!detail) {
        ADD_FAILURE() << "no OutcomeDetail with: " << status.error_message();
        continue;
      }
      EXPECT_EQ(detail->field(), row.field) << status.error_message();
      EXPECT_FALSE(detail->way_out().empty()) << status.error_message();
      ++rows;
    }
  }
  EXPECT_GE(rows, 90);
  EXPECT_EQ(State(cluster), before);
  EXPECT_TRUE(cluster.ServerRuns());
}

}  // namespace
}  // namespace muster::harness
