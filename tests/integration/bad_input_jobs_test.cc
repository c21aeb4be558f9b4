// Bad input to the calls about jobs.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/bad_input.h"

namespace muster::harness {
namespace {

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

TEST(BadInput, OfJobCalls_NamesTheFieldTheValueAndTheWayOutAndChangesNothing) {
  CheckRows({JobRows(), OtherJobCalls()}, 50);
}

}  // namespace
}  // namespace muster::harness
