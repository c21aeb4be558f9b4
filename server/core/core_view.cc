// What is told of jobs and nodes.

#include <algorithm>
#include <map>

#include "lib/gang/answer.h"
#include "lib/gang/demands.h"
#include "server/core/core.h"
#include "server/core/times.h"

namespace muster::core {
namespace {

absl::Time DeadlineOf(const gang::State& state) {
  return std::visit(
      [](const auto& of) -> absl::Time {
        if constexpr (requires { of.deadline; }) {
          return of.deadline;
        } else {
          return absl::InfiniteFuture();
        }
      },
      state);
}

v1::Phase PhaseOfNext(const gang::Gang& gang, gang::Next next) {
  const auto source = gang.spec->placement().source();
  const bool given = source == v1::PlacementSpec::KUEUE || source == v1::PlacementSpec::BOUND;
  return next == gang::Next::kPlaced     ? v1::PLACED
         : next == gang::Next::kFinished ? v1::FINISHED
         : given                         ? v1::AWAITING
                                         : v1::QUEUED;
}

// Without the lists that may be long. Job.spec of job.proto has it.
v1::JobSpec Shortened(const v1::JobSpec& spec) {
  v1::JobSpec brief;
  brief.set_members(spec.members());
  brief.set_workers_per_member(spec.workers_per_member());
  brief.set_priority(spec.priority());
  brief.mutable_mesh()->set_dialect(spec.mesh().dialect());
  *brief.mutable_mesh()->mutable_axes() = spec.mesh().axes();
  brief.mutable_placement()->set_source(spec.placement().source());
  brief.mutable_self_test()->set_profile(spec.self_test().profile());
  brief.mutable_launch()->set_kind(spec.launch().kind());
  return brief;
}

}  // namespace

v1::Job Core::View(const Job& job, bool brief) const {
  const gang::Gang& gang = job.gang;
  v1::Job view;
  view.set_uid(gang.uid.value());
  view.set_namespace_(gang.ns);
  view.set_name(gang.name);
  *view.mutable_spec() = brief && job.spec_is_long ? Shortened(*gang.spec) : *gang.spec;
  *view.mutable_owner() = gang.owner;
  view.set_phase(job.phase);
  view.set_why(job.waits_for.empty() ? gang::WhyNow(gang) : job.waits_for);
  view.set_attempt(gang.attempt.value());
  view.set_epoch(gang.epoch.value());
  view.set_tries(gang.tries);
  view.set_restarts(gang.restarts);
  SetTime(gang.submitted, view.mutable_submitted());
  SetTime(gang.since, view.mutable_phase_since());
  if (const absl::Time deadline = DeadlineOf(gang.state); deadline != absl::InfiniteFuture())
    SetTime(deadline, view.mutable_phase_deadline());
  view.set_queue_position(job.queue_position);
  if (job.phase == v1::QUEUED && job.starts_by != absl::InfiniteFuture())
    SetTime(job.starts_by, view.mutable_starts_by());
  view.set_revision(gang.revision);
  for (const std::string& note : job.notes) view.add_notes(note);
  const auto waiver = waivers_.find(job.key());
  view.set_receipt_id(!gang.receipt.value().empty() ? gang.receipt.value()
                      : waiver != waivers_.end()    ? waiver->second
                                                    : receipts_.LatestIdOf(gang.uid));
  if (const auto* stopping = std::get_if<gang::Stopping>(&gang.state))
    view.set_stopping_next(PhaseOfNext(gang, stopping->next));
  if (const auto* finished = std::get_if<gang::Finished>(&gang.state)) view.set_result(finished->result);
  if (const auto* testing = std::get_if<gang::Testing>(&gang.state))
    *view.mutable_test_progress() = tests_.Progress(testing->test);
  if (brief) return view;
  if (const gang::PlacementPtr placement = gang::PlacementOf(gang.state)) {
    *view.mutable_placement() = *placement;
  } else if (gang.epoch.value() > 0) {
    // Where it ran last: the receipt that it was released under says so.
    if (absl::StatusOr<v1::Receipt> receipt = receipts_.Read(view.receipt_id()); receipt.ok())
      view.mutable_placement()->Swap(receipt->mutable_placement());
  }

  const auto* running = std::get_if<gang::Running>(&gang.state);
  for (const auto& [index, member] : gang.members) {
    v1::MemberStatus* status = view.add_members();
    status->set_pod_index(index.value());
    status->set_node_rank(-1);
    status->set_node(member.node);
    status->set_present(running != nullptr ? !member.exit_code : gang.here.Contains(index));
    status->set_exited(member.exit_code.has_value());
    status->set_exit_code(member.exit_code.value_or(0));
    if (member.last_seen != absl::InfinitePast()) SetTime(member.last_seen, status->mutable_last_seen());
    if (running == nullptr) continue;
    const auto released = running->released->members.find(index);
    if (released == running->released->members.end()) continue;
    const int32_t rank = released->second.rank.value();
    status->set_node_rank(rank);
    if (rank >= 0 && rank < running->released->placement->ranks_size())
      status->set_node(running->released->placement->ranks(rank).node());
  }
  return view;
}

v1::NotReady Core::NotReadyOf(const Job& job) const {
  v1::NotReady reason;
  reason.set_phase(job.phase);
  reason.set_why(job.waits_for.empty() ? gang::WhyNow(job.gang) : job.waits_for);
  reason.set_members(job.gang.spec->members());
  const gang::Missing missing = gang::MissingMembers(job.gang);
  reason.set_members_missing(missing.count);
  for (PodIndex index : missing.first) reason.add_missing_indexes(index.value());
  reason.set_queue_position(job.queue_position);
  if (const auto* testing = std::get_if<gang::Testing>(&job.gang.state)) {
    const v1::TestProgress progress = tests_.Progress(testing->test);
    if (progress.groups_total() > 0)
      reason.set_self_test(absl::StrCat(progress.family(), progress.family().empty() ? "" : " ", progress.groups_done(),
                                        " of ", progress.groups_total(), " groups done"));
  }
  return reason;
}

v1::Node Core::View(const NodeEntry& node) {
  v1::Node view = nodes_.View(node);
  if (node.users.empty()) return view;
  if (const Job* job = jobs_.Find(node.users.begin()->first)) {
    view.set_job(job->FullName());
    view.set_job_uid(job->gang.uid.value());
  }
  return view;
}

void Core::SetEnvelope(v1::Envelope* envelope, bool retry) const {
  envelope->set_term(store_.term().value());
  SetTime(now(), envelope->mutable_server_time());
  if (retry) SetDuration(options_.retry_after, envelope->mutable_retry_after());
}

}  // namespace muster::core
