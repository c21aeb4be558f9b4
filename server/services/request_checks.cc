#include "server/services/request_checks.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/job/validate.h"
#include "server/services/field_checks.h"

namespace muster::services {
namespace {

constexpr int kMarks = 10'000;
constexpr int kText = 256;
constexpr int kLongestPath = 1024;
constexpr int64_t kTenYears = int64_t{10} * 366 * 86'400;

absl::Status CheckMark(absl::string_view field, const v1::OrderMark& mark) {
  return CheckRequired(absl::StrCat(field, ".job_uid"), mark.job_uid(), kLongestId);
}

template <typename Request>
absl::Status CheckMember(const Request& request) {
  if (absl::Status job = CheckJob("job", request.job()); !job.ok()) return job;
  if (!request.has_pod_index())
    return FieldError("pod_index", "is absent, which is not 0", "give the member's index in the job, 0 or more");
  absl::Status status = AllOf(CheckRange("pod_index", request.pod_index(), 0, 999'999),
                              CheckIncarnation("incarnation", request.has_incarnation(), request.incarnation()));
  if (status.ok() && request.has_local_rank()) status = CheckRange("local_rank", request.local_rank(), 0, 1023);
  return status;
}

absl::Status CheckOwner(const v1::Owner& owner) {
  return AllOf(CheckText("owner.kind", owner.kind(), kLongestId), CheckText("owner.name", owner.name(), kLongestName),
               CheckText("owner.uid", owner.uid(), kLongestId), CheckText("owner.group", owner.group(), kLongestId));
}

}  // namespace

absl::Duration PollOf(bool given, const google::protobuf::Duration& poll) {
  constexpr absl::Duration kDefault = absl::Seconds(20), kLongest = absl::Seconds(60);
  if (!given) return kDefault;
  return std::min(kLongest, absl::Seconds(poll.seconds()) + absl::Nanoseconds(poll.nanos()));
}

// --- jobs ---

absl::Status Check(const v1::SubmitRequest& request) {
  if (!request.has_spec()) return FieldError("spec", "is absent", "give the job's spec");
  return AllOf(ValidateJob(request.namespace_(), request.name(), request.spec()), CheckOwner(request.owner()),
               CheckText("request_id", request.request_id(), 64));
}

absl::Status Check(const v1::GetJobRequest& request) { return CheckJob("job", request.job()); }
absl::Status Check(const v1::WatchJobRequest& request) { return CheckJob("job", request.job()); }
absl::Status Check(const v1::ExplainRequest& request) { return CheckJob("job", request.job()); }
absl::Status Check(const v1::WatchSelfTestRequest& request) { return CheckJob("job", request.job()); }

absl::Status Check(const v1::ListJobsRequest& request) {
  absl::Status page = CheckPage(request.page_size(), request.page_token());
  if (!page.ok() || request.namespace_().empty()) return page;
  return ValidateDnsLabel("namespace", request.namespace_());
}

absl::Status Check(const v1::CancelJobRequest& request) {
  return AllOf(CheckJob("job", request.job()), CheckText("reason", request.reason(), kText));
}

absl::Status Check(const v1::PlanRequest& request) {
  if (!request.has_spec()) return FieldError("spec", "is absent", "give the job's spec");
  // A plan need not have a name yet.
  const std::string name = request.name().empty() ? "plan" : request.name();
  absl::Status status = AllOf(
      ValidateJob(request.namespace_(), name, request.spec()), CheckCount("nodes", request.nodes_size(), 20'000),
      CheckCount("tier_labels", request.tier_labels_size(), 16), CheckCount("what_if", request.what_if_size(), 64));
  if (!status.ok()) return status;
  for (int i = 0; i < request.what_if_size(); ++i) {
    if (status = CheckText(absl::StrCat("what_if[", i, "]"), request.what_if(i), 4096); !status.ok()) return status;
  }
  for (int i = 0; i < request.nodes_size(); ++i)
    if (status = CheckNode(absl::StrCat("nodes[", i, "]"), request.nodes(i)); !status.ok()) return status;
  return absl::OkStatus();
}

absl::Status Check(const v1::StartSelfTestRequest& request) {
  if (request.nodes_size() < 2)
    return FieldError("nodes", absl::StrCat("names ", request.nodes_size(), " nodes"),
                      "name at least two: a test measures what lies between");
  if (absl::Status status = AllOf(CheckCount("nodes", request.nodes_size(), 20'000),
                                  CheckRange("workers_per_member", request.workers_per_member(), 0, 1024));
      !status.ok())
    return status;
  std::set<std::string> seen;
  for (int i = 0; i < request.nodes_size(); ++i) {
    const std::string field = absl::StrCat("nodes[", i, "]");
    if (absl::Status name = CheckRequired(field, request.nodes(i), kLongestName); !name.ok()) return name;
    if (!seen.insert(request.nodes(i)).second)
      return FieldError(field, absl::StrCat("\"", request.nodes(i), "\" is named twice"), "name each node once");
  }
  if (request.self_test().profile() == v1::SelfTestSpec::NONE)
    return FieldError("self_test.profile", "\"none\" tests nothing", "ask for \"quick\", \"standard\" or \"soak\"");
  v1::JobSpec spec;
  spec.set_members(request.nodes_size());
  *spec.mutable_self_test() = request.self_test();
  return ValidateJob("", "selftest", spec);
}

// --- members ---

absl::Status Check(const v1::GetRankRequest& request) {
  return AllOf(CheckMember(request), CheckText("node", request.node(), kLongestName),
               CheckText("address", request.address(), kLongestName),
               CheckRange("reserved_port", request.reserved_port(), 0, 65535),
               CheckRange("expected_attempt", request.expected_attempt(), 0, INT32_MAX),
               CheckRange("expected_epoch", request.expected_epoch(), 0, INT64_MAX),
               CheckRange("workers", request.workers(), 0, 1024), CheckDuration("poll", request.poll()),
               CheckRange("last_epoch", request.last_epoch(), 0, INT64_MAX),
               CheckText("client_version", request.client_version(), kLongestId));
}

absl::Status Check(const v1::WatchGangRequest& request) {
  return AllOf(CheckMember(request), CheckRange("epoch", request.epoch(), 1, INT64_MAX),
               CheckDuration("poll", request.poll()));
}

absl::Status Check(const v1::ReportExitRequest& request) {
  return AllOf(CheckMember(request), CheckRange("epoch", request.epoch(), 1, INT64_MAX),
               CheckRange("exit_code", request.exit_code(), 0, 255), CheckText("logs", request.logs(), kLongestPath));
}

// --- agents ---

absl::Status Check(const v1::RegisterRequest& request) {
  absl::Status status =
      AllOf(CheckNode("node", request.node()), CheckIncarnation("session", request.has_session(), request.session()),
            CheckCount("known", request.known_size(), kMarks));
  for (int i = 0; status.ok() && i < request.known_size(); ++i)
    status = CheckMark(absl::StrCat("known[", i, "].mark"), request.known(i).mark());
  return status;
}

absl::Status Check(const v1::NextTaskRequest& request) {
  absl::Status status = AllOf(CheckRequired("node_uid", request.node_uid(), kLongestName),
                              CheckIncarnation("session", request.has_session(), request.session()),
                              CheckCount("seen", request.seen_size(), kMarks), CheckDuration("poll", request.poll()));
  for (int i = 0; status.ok() && i < request.seen_size(); ++i)
    status = CheckMark(absl::StrCat("seen[", i, "]"), request.seen(i));
  return status;
}

absl::Status Check(const v1::ReportTaskRequest& request) {
  absl::Status status =
      AllOf(CheckRequired("node_uid", request.node_uid(), kLongestName),
            CheckIncarnation("session", request.has_session(), request.session()), CheckMark("mark", request.mark()));
  if (!status.ok()) return status;
  switch (request.kind_case()) {
    case v1::ReportTaskRequest::kTest:
      status = AllOf(CheckRequired("test.test_id", request.test().test_id(), kLongestId),
                     CheckRange("test.round", request.test().round(), 1, 1000),
                     CheckCount("test.facts", request.test().facts_size(), 64));
      for (const auto& [key, value] : request.test().facts())
        if (status.ok())
          status = AllOf(CheckRequired("test.facts", key, kLongestId), CheckText("test.facts", value, 4096));
      for (int i = 0; status.ok() && i < request.test().results_size(); ++i)
        status = CheckCount(absl::StrCat("test.results[", i, "].iteration_us"),
                            request.test().results(i).iteration_us_size(), 10'000);
      return status;
    case v1::ReportTaskRequest::kMemberEnded:
      return AllOf(CheckRange("member_ended.pod_index", request.member_ended().pod_index(), 0, 999'999),
                   CheckIncarnation("member_ended.incarnation", request.member_ended().has_incarnation(),
                                    request.member_ended().incarnation()),
                   CheckRange("member_ended.exit_code", request.member_ended().exit_code(), 0, 255),
                   CheckText("member_ended.logs", request.member_ended().logs(), kLongestPath));
    case v1::ReportTaskRequest::kRefused:
      return CheckText("refused.why", request.refused().why(), 1024);
    case v1::ReportTaskRequest::kEnded:
      return absl::OkStatus();
    case v1::ReportTaskRequest::KIND_NOT_SET:
      break;
  }
  return FieldError("kind", "is absent", "report one of test, member_ended, ended, refused");
}

// --- nodes ---

absl::Status Check(const v1::ListNodesRequest& request) { return CheckPage(request.page_size(), request.page_token()); }
absl::Status Check(const v1::GetNodeRequest& request) { return CheckRequired("name", request.name(), kLongestName); }
absl::Status Check(const v1::ReadmitRequest& request) { return CheckRequired("name", request.name(), kLongestName); }

absl::Status Check(const v1::QuarantineRequest& request) {
  return AllOf(CheckRequired("name", request.name(), kLongestName), CheckRequired("reason", request.reason(), kText),
               CheckDuration("duration", request.duration()),
               CheckRange("duration", request.duration().seconds(), 0, kTenYears));
}

absl::Status Check(const v1::DrainRequest& request) {
  return AllOf(CheckRequired("name", request.name(), kLongestName), CheckText("reason", request.reason(), kText));
}

// --- receipts ---

absl::Status Check(const v1::GetReceiptRequest& request) { return CheckRequired("id", request.id(), kLongestId); }

absl::Status Check(const v1::ListReceiptsRequest& request) {
  absl::Status page = CheckPage(request.page_size(), request.page_token());
  return page.ok() && request.has_job() ? CheckJob("job", request.job()) : page;
}

absl::Status Check(const v1::CompareReceiptsRequest& request) {
  return AllOf(CheckRequired("left", request.left(), kLongestId), CheckRequired("right", request.right(), kLongestId));
}

absl::Status Check(const v1::AnnotateReceiptRequest& request) {
  absl::Status status =
      AllOf(CheckRequired("id", request.id(), kLongestId), CheckCount("annotations", request.annotations_size(), 64));
  for (const auto& [key, value] : request.annotations()) {
    if (!status.ok()) break;
    status = AllOf(CheckRequired("annotations", key, 128),
                   CheckCount(absl::StrCat("annotations.", key.substr(0, 64)), value.size(), 4096));
  }
  return status;
}

}  // namespace muster::services
