#include "server/core/job_calls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/util/message_differencer.h"
#include "lib/base/errors.h"
#include "lib/gang/new_gang.h"
#include "server/core/answers.h"
#include "server/core/holders.h"
#include "server/core/outlook.h"
#include "server/core/page.h"
#include "server/core/retest.h"

namespace muster::core {
namespace {

bool MayWaive(const Options& options, const std::string& ns) {
  return options.may_waive.count("*") > 0 || options.may_waive.count(ns) > 0;
}

std::string NamespaceOf(const v1::SubmitRequest& request) {
  return request.namespace_().empty() ? "default" : request.namespace_();
}

// What this coordinator has no hands for. The contract has it, so that files and clients need not change.
absl::Status CheckHands(const v1::JobSpec& spec) {
  switch (spec.launch().kind()) {
    case v1::LaunchSpec::KUBERNETES:
      return FieldError("spec.launch.kind", "\"kubernetes\" needs a controller that this coordinator doesn't have",
                        "use external and call \"muster exec\" in each pod, or agent");
    case v1::LaunchSpec::COMMAND:
      return FieldError("spec.launch.kind", "\"command\" needs a launcher that this coordinator doesn't have",
                        "use external and start \"muster exec\" by your command, or agent");
    default:
      break;
  }
  if (spec.placement().source() == v1::PlacementSpec::KUEUE)
    return FieldError("spec.placement.source", "\"kueue\" needs a controller that this coordinator doesn't have",
                      "leave it out, or use bound for nodes that another scheduler chooses");
  return absl::OkStatus();
}

// The job that this request has made before; nullptr: none.
absl::StatusOr<Job*> Earlier(Core& core, const v1::SubmitRequest& request, const std::string& ns) {
  if (request.request_id().empty()) return nullptr;
  Job* job = core.jobs().FindRequest(ns, request.request_id());
  if (job == nullptr) return nullptr;
  if (job->gang.name == request.name() &&
      google::protobuf::util::MessageDifferencer::Equals(*job->gang.spec, request.spec()))
    return job;
  return FieldError(
      "request_id",
      absl::StrCat("\"", request.request_id(), "\" has submitted ", job->FullName(), " with another spec"),
      "make a new request id for each job");
}

std::unique_ptr<Job> MakeJob(Core& core, const v1::SubmitRequest& request, const Derived& derived,
                             const std::string& ns) {
  auto job = std::make_unique<Job>();
  gang::Submission submission;
  submission.uid = JobUid(core.ids().Make("job"));
  submission.ns = ns;
  submission.name = request.name();
  submission.request_id = request.request_id();
  submission.spec = std::make_shared<const v1::JobSpec>(request.spec());
  submission.owner = request.owner();
  submission.sequence = core.jobs().next_key();
  job->gang = gang::NewGang(std::move(submission), core.now());
  SetDerived(*job, derived);
  return job;
}

// Gives the job the priority that its class stands for.
absl::Status SetPriority(const Options& options, v1::JobSpec& spec) {
  if (spec.priority_class().empty()) return absl::OkStatus();
  const auto found = options.priority_classes.find(spec.priority_class());
  if (found == options.priority_classes.end()) {
    std::vector<std::string> names;
    for (const auto& [name, priority] : options.priority_classes) names.push_back(name);
    return FieldError("spec.priorityClass", absl::StrCat("\"", spec.priority_class(), "\" is not set up here"),
                      names.empty() ? "give spec.priority, or have the operator set up --priority-classes"
                                    : absl::StrCat("use one of ", FewNames(names, 8)));
  }
  if (spec.priority() != 0 && spec.priority() != found->second) {
    return FieldError(
        "spec.priority",
        absl::StrCat(spec.priority(), " is not what priorityClass ", found->first, " stands for, ", found->second),
        "leave one of the two out");
  }
  spec.set_priority(found->second);
  return absl::OkStatus();
}

absl::StatusOr<Job*> TakeIn(Core& core, const v1::SubmitRequest& given, const Derived& derived) {
  v1::SubmitRequest request = given;
  if (absl::Status set = SetPriority(core.options(), *request.mutable_spec()); !set.ok()) return set;
  const std::string ns = NamespaceOf(request);
  absl::StatusOr<Job*> earlier = Earlier(core, request, ns);
  if (!earlier.ok() || *earlier != nullptr) return earlier;
  if (const Job* same = core.jobs().FindName(ns, request.name()); same != nullptr && !same->finished()) {
    return OutcomeError(absl::StatusCode::kAlreadyExists, v1::BAD_REQUEST,
                        absl::StrCat("job ", same->FullName(), " is there already and has not finished (",
                                     v1::Phase_Name(same->phase), ")"),
                        absl::StrCat("take another name, or end it with \"muster cancel job ", request.name(), "\""));
  }
  if (core.jobs().live() >= core.options().max_jobs)
    return Overloaded(
        absl::StrCat(core.options().max_jobs, " jobs are there that have not finished, which is the limit"));
  if (absl::Status room = core.jobs().budget().Room(ns, WeightOf(request.spec())); !room.ok()) return room;
  if (request.spec().self_test().profile() == v1::SelfTestSpec::NONE && !MayWaive(core.options(), ns)) {
    return FieldError("spec.selfTest.profile",
                      absl::StrCat("\"none\" waives the self-test, which jobs in namespace ", ns, " may not"),
                      "ask for \"quick\", or have the operator add the namespace to --may-waive");
  }
  if (absl::Status hands = CheckHands(request.spec()); !hands.ok()) return hands;
  return &core.AddJob(MakeJob(core, request, derived, ns));
}

// The node's name and whether it can be had, for a self-test on demand.
absl::Status CheckFree(Core& core, const v1::StartSelfTestRequest& request) {
  for (int i = 0; i < request.nodes_size(); ++i) {
    absl::StatusOr<NodeEntry*> node = core.nodes().Named(request.nodes(i));
    if (!node.ok()) return node.status();
    const std::string& backend = request.self_test().backend();
    const auto& offered = (*node)->info.backends();
    if (!backend.empty() && std::find(offered.begin(), offered.end(), backend) == offered.end()) {
      return OutcomeError(
          absl::StatusCode::kFailedPrecondition, v1::BAD_REQUEST,
          absl::StrCat("self_test.backend: the agent of node ", request.nodes(i), " does not offer ", backend),
          offered.empty() ? "it has no agent that tests; start one"
                          : absl::StrCat("leave it out, or take one of ", absl::StrJoin(offered, ", ")));
    }
    if (MayBeTested(**node)) continue;
    const Job* holder = (*node)->users.empty() ? nullptr : core.jobs().Find((*node)->users.begin()->first);
    return OutcomeError(
        absl::StatusCode::kFailedPrecondition, v1::BAD_REQUEST,
        absl::StrCat("node ", request.nodes(i), " is not free: ",
                     holder != nullptr ? absl::StrCat("job ", holder->FullName(), " has it")
                                       : absl::StrCat("it is ", v1::NodeCondition_Name((*node)->condition()))),
        "choose free nodes, see \"muster get nodes\"");
  }
  return absl::OkStatus();
}

}  // namespace

std::string JobOf(const v1::SubmitRequest& request) { return absl::StrCat(NamespaceOf(request), "/", request.name()); }

void Submit(Core& core, const v1::SubmitRequest& request, const Derived& derived, Reply<v1::SubmitResponse> reply) {
  absl::StatusOr<Job*> job = TakeIn(core, request, derived);
  if (!job.ok()) return reply(job.status());
  core.AfterCommit([&core, key = (*job)->key(), reply = std::move(reply)](const absl::Status& status) mutable {
    const Job* job = core.jobs().Find(key);
    if (!status.ok() || job == nullptr) return reply(status.ok() ? absl::UnavailableError("gone; call again") : status);
    v1::SubmitResponse response;
    *response.mutable_job() = core.View(*job);
    reply(std::move(response));
  });
}

void GetJob(Core& core, const v1::GetJobRequest& request, Reply<v1::Job> reply) {
  core.Read([&core, ref = request.job(), reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    absl::StatusOr<Job*> job = core.jobs().Find(ref);
    if (!job.ok()) return reply(job.status());
    std::optional<v1::Job> view = core.DurableView(**job);
    if (!view) return reply(core.healthy());
    reply(*std::move(view));
  });
}

void ListJobs(Core& core, const v1::ListJobsRequest& request, Reply<v1::ListJobsResponse> reply) {
  JobKey after = 0;
  if (!request.page_token().empty() && !absl::SimpleAtoi(request.page_token(), &after))
    return reply(
        FieldError("page_token", "is not one that this server gave", "pass on next_page_token, or leave it empty"));
  core.Read([&core, request, after, reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    Page page(request.page_size());
    v1::ListJobsResponse response;
    for (auto i = core.jobs().all().upper_bound(after); i != core.jobs().all().end(); ++i) {
      const Job& job = *i->second;
      if (!request.namespace_().empty() && job.gang.ns != request.namespace_()) continue;
      std::optional<v1::Job> view;
      const bool out = job.finished() && !request.include_finished();
      if (!out || core.Unsettled(job)) view = core.DurableView(job, /*brief=*/true);
      if (!view || (view->phase() == v1::FINISHED && !request.include_finished())) continue;
      if (!page.Take(*view)) {
        response.set_next_page_token(absl::StrCat(after));
        break;
      }
      *response.add_jobs() = *std::move(view);
      after = i->first;
    }
    reply(std::move(response));
  });
}

void WatchJob(Core& core, CallId id, const v1::WatchJobRequest& request, std::shared_ptr<JobSink> sink) {
  if (static_cast<int64_t>(core.watchers().size()) >= core.options().max_watchers)
    return sink->Done(
        Overloaded(absl::StrCat(core.options().max_watchers, " streams watch jobs already, which is the limit")));
  core.AfterCommit([&core, id, ref = request.job(), sink = std::move(sink)](const absl::Status& status) {
    if (!status.ok()) return sink->Done(status);
    absl::StatusOr<Job*> job = core.jobs().Find(ref);
    if (!job.ok()) return sink->Done(job.status());
    sink->Send(std::make_shared<const v1::Job>(core.View(**job)));
    if ((*job)->finished()) return sink->Done(absl::OkStatus());
    core.watchers().Add(id, (*job)->key(), sink);
  });
}

void CancelJob(Core& core, const v1::CancelJobRequest& request, Reply<v1::Job> reply) {
  absl::StatusOr<Job*> job = core.jobs().Find(request.job());
  if (!job.ok()) return reply(job.status());
  core.Apply(**job, gang::CancelRequested{request.reason()});
  core.AfterCommit([&core, key = (*job)->key(), reply = std::move(reply)](const absl::Status& status) mutable {
    const Job* job = core.jobs().Find(key);
    if (!status.ok() || job == nullptr) return reply(status.ok() ? absl::UnavailableError("gone; call again") : status);
    reply(core.View(*job));
  });
}

void ExplainJob(Core& core, const v1::ExplainRequest& request, Reply<ToExplain> reply) {
  core.Read([&core, ref = request.job(), reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    absl::StatusOr<Job*> found = core.jobs().Find(ref);
    if (!found.ok()) return reply(found.status());
    const Job& job = **found;
    if (core.Unsettled(job)) return reply(core.healthy());
    ToExplain to;
    if (job.phase == v1::QUEUED && job.request != nullptr) {
      to.now = core.now();
      to.request = job.request;
      to.cluster = core.ClusterNow();
      to.outlook = OutlookOf(core.jobs(), core.nodes(), to.now);
      to.waits_for = job.waits_for;
      to.queue_position = job.queue_position;
      to.holders = HoldersOf(core.jobs(), core.nodes(), to.cluster, to.now);
      for (const auto& [key, holder] : core.jobs().all())
        if (!holder->holds.empty()) to.requests.push_back(holder->request);
      return reply(std::move(to));
    }
    const v1::Job view = core.View(job);
    const auto* finished = std::get_if<gang::Finished>(&job.gang.state);
    to.explanation.set_feasibility(finished != nullptr && finished->never ? v1::NEVER : v1::OK);
    to.explanation.set_summary(
        absl::StrCat(absl::AsciiStrToLower(v1::Phase_Name(job.phase)), view.why().empty() ? "" : ": ", view.why()));
    if (view.has_placement()) {
      to.explanation.add_details(view.placement().reason());
      *to.explanation.mutable_placement() = view.placement();
    }
    reply(std::move(to));
  });
}

void StartSelfTest(Core& core, const v1::StartSelfTestRequest& request, Reply<v1::StartSelfTestResponse> reply) {
  if (absl::Status free = CheckFree(core, request); !free.ok()) return reply(free);
  v1::SubmitRequest submit;
  submit.set_name(core.ids().Make("selftest"));
  v1::JobSpec& spec = *submit.mutable_spec();
  spec.set_members(request.nodes_size());
  int64_t workers = request.workers_per_member();
  if (workers == 0) {
    for (const std::string& name : request.nodes()) {
      const NodeEntry& node = *core.nodes().FindName(name);
      const auto gpu = node.info.capacity().find("gpu");
      const int64_t slots = gpu == node.info.capacity().end() ? node.info.accelerators_size() : gpu->second;
      workers = workers == 0 ? slots : std::min(workers, slots);
    }
  }
  spec.set_workers_per_member(static_cast<int32_t>(std::clamp<int64_t>(workers, 1, 1024)));
  *spec.mutable_placement()->mutable_nodes() = request.nodes();
  *spec.mutable_self_test() = request.self_test();
  spec.mutable_launch()->set_kind(v1::LaunchSpec::TEST_ONLY);
  // Cheap without a mesh.
  absl::StatusOr<Derived> derived = DeriveFrom(JobOf(submit), spec);
  if (!derived.ok()) return reply(derived.status());
  Submit(core, submit, *derived, [reply = std::move(reply)](absl::StatusOr<v1::SubmitResponse> submitted) mutable {
    if (!submitted.ok()) return reply(submitted.status());
    v1::StartSelfTestResponse response;
    *response.mutable_job() = submitted->job();
    reply(std::move(response));
  });
}

}  // namespace muster::core
