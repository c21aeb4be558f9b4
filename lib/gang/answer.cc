#include "lib/gang/answer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

std::string Indexes(const Missing& missing) {
  std::vector<std::string> names;
  for (const PodIndex index : missing.first) names.push_back(absl::StrCat(index.value()));
  std::string text = absl::StrJoin(names, ", ");
  const int32_t more = missing.count - static_cast<int32_t>(names.size());
  if (more > 0) absl::StrAppend(&text, " and ", more, " more");
  return text;
}

// Whether a greater start than the caller's is known, within what its own may supersede.
bool IsSuperseded(const Member& member, const Caller& caller) {
  if (!member.incarnation) return false;
  if (caller.local_rank && !member.workers.empty() && caller.incarnation.uid == member.incarnation->uid) {
    const auto worker = member.workers.find(*caller.local_rank);
    return worker != member.workers.end() && caller.incarnation < worker->second;
  }
  if (caller.incarnation != *member.incarnation) return caller.incarnation < *member.incarnation;
  // The same start once as a whole and once by its workers: the first way counts.
  return caller.local_rank.has_value() == member.workers.empty() && member.last_seen != absl::InfinitePast();
}

const Member* Find(const Gang& gang, PodIndex index) {
  const auto found = gang.members.find(index);
  return found == gang.members.end() ? nullptr : &found->second;
}

Answer Superseded(const Caller& caller, const Member& member) {
  return {.outcome = v1::SUPERSEDED,
          .why = absl::StrCat("a newer process of member ", caller.index.value(), " has called (uid ",
                              member.incarnation->uid, ", ordinal ", member.incarnation->ordinal, ")")};
}

v1::Outcome Ending(v1::Result result, bool never) {
  if (never) return v1::OUTCOME_NEVER;
  return result == v1::RESULT_CANCELLED ? v1::CANCELLED : v1::JOB_FINISHED;
}

Answer NotStartedHere(const Gang& gang, const Caller& caller) {
  return {.outcome = v1::BAD_REQUEST,
          .why = absl::StrCat("incarnation: uid \"", caller.incarnation.uid.substr(0, 128), "\", ordinal ",
                              caller.incarnation.ordinal, " is no process that Muster has started as member ",
                              caller.index.value(), " of ", gang.ns, "/", gang.name,
                              "; agents start the members of this job (launch: agent), start none yourself")};
}

// How the job ends, or has ended, for everybody; OUTCOME_UNSPECIFIED: it goes on.
v1::Outcome Ending(const Gang& gang) {
  if (const auto* finished = std::get_if<Finished>(&gang.state)) return Ending(finished->result, finished->never);
  const auto* stopping = std::get_if<Stopping>(&gang.state);
  if (stopping != nullptr && stopping->next == Next::kFinished) return Ending(stopping->result, false);
  return v1::OUTCOME_UNSPECIFIED;
}

// The bytes of the caller in the present epoch; null if it is not bound to it.
const std::string* BytesOf(const Gang& gang, const Caller& caller) {
  const auto* running = std::get_if<Running>(&gang.state);
  if (running == nullptr) return nullptr;
  const auto member = running->released->members.find(caller.index);
  if (member == running->released->members.end()) return nullptr;
  if (!caller.local_rank) {
    const bool bound = member->second.workers.empty() && member->second.incarnation == caller.incarnation;
    return bound ? &member->second.assignment : nullptr;
  }
  const auto worker = member->second.workers.find(*caller.local_rank);
  if (worker == member->second.workers.end() || worker->second.first != caller.incarnation) return nullptr;
  return &worker->second.second;
}

// A member on a node where it can't be ranked. Where others give the nodes, the placement follows the pods instead.
bool IsOnWrongNode(const Gang& gang, const Caller& caller, const Member* member) {
  if (gang.seats == nullptr || NodesAreGiven(gang)) return false;
  if (const auto* repairing = std::get_if<Repairing>(&gang.state); repairing && repairing->replacement == nullptr) {
    return false;  // its node may be among those that are found
  }
  if (!gang.seats->Fits(caller.index, caller.node)) return true;
  const bool refused = member != nullptr && !member->waiting && member->workers_waiting.empty();
  return refused && std::holds_alternative<Assembling>(gang.state);
}

Answer WrongNode(const Gang& gang, const Caller& caller) {
  Answer answer{.outcome = v1::WRONG_NODE, .nodes = gang.seats->NodesFor(caller.index)};
  const bool several = gang.seats->nodes().size() > answer.nodes.size();
  answer.why =
      absl::StrCat("member ", caller.index.value(), " called from ",
                   caller.node.empty() ? "no node" : absl::StrCat("node ", caller.node), " but the job is placed on ",
                   absl::StrJoin(answer.nodes, ", "), several && answer.nodes.size() == 3 ? " and others" : "");
  return answer;
}

}  // namespace

Answer AnswerTo(const Gang& gang, const Caller& caller) {
  const int32_t members = gang.spec->members();
  const int32_t workers = std::max(gang.spec->workers_per_member(), 1);
  if (caller.index.value() < 0 || caller.index.value() >= members) {
    return {.outcome = v1::BAD_REQUEST,
            .why = absl::StrCat("pod_index: ", caller.index.value(), " is outside 0..", members - 1)};
  }
  if (caller.local_rank && (*caller.local_rank < 0 || *caller.local_rank >= workers)) {
    return {.outcome = v1::BAD_REQUEST,
            .why = absl::StrCat("local_rank: ", *caller.local_rank, " is outside 0..", workers - 1)};
  }
  const Member* member = Find(gang, caller.index);
  const bool stranger = IsStranger(gang, caller.index, caller.incarnation);
  if (const bool over = std::holds_alternative<Finished>(gang.state); !over && !stranger) {
    if (member != nullptr && IsSuperseded(*member, caller)) return Superseded(caller, *member);
  }
  if (const v1::Outcome ending = Ending(gang); ending != v1::OUTCOME_UNSPECIFIED) {
    return {.outcome = ending, .why = gang.why};
  }
  if (stranger) return NotStartedHere(gang, caller);
  if (const std::string* bytes = BytesOf(gang, caller); bytes != nullptr) {
    return {.outcome = v1::READY, .assignment = bytes, .why = gang.why};
  }
  if (IsOnWrongNode(gang, caller, member)) return WrongNode(gang, caller);
  return {.outcome = v1::OUTCOME_NOT_READY, .why = WhyNow(gang)};
}

Watch WatchFor(const Gang& gang, const Caller& caller, Epoch epoch) {
  const Member* member = Find(gang, caller.index);
  if (member != nullptr && IsSuperseded(*member, caller)) {
    return {.order = Watch::Order::kStopAndLeave, .outcome = v1::SUPERSEDED, .why = Superseded(caller, *member).why};
  }
  if (const v1::Outcome ending = Ending(gang); ending != v1::OUTCOME_UNSPECIFIED) {
    return {.order = Watch::Order::kStopAndLeave, .outcome = ending, .why = gang.why};
  }
  if (epoch > gang.epoch) return {};
  const bool current = epoch == gang.epoch && BytesOf(gang, caller) != nullptr;
  if (current) return {};
  const std::string over = absl::StrCat("epoch ", epoch.value(), " is over");
  return {.order = Watch::Order::kStopAndRejoin, .why = absl::StrCat(over, ": ", gang.why)};
}

Missing MissingMembers(const Gang& gang) {
  if (std::holds_alternative<Running>(gang.state)) return {};
  const int32_t members = gang.spec->members();
  return {.count = members - gang.here.count(), .first = gang.here.FirstAbsent(members, 3)};
}

std::string WhyNow(const Gang& gang) {
  if (std::holds_alternative<Assembling>(gang.state)) {
    const Missing missing = MissingMembers(gang);
    return absl::StrCat("waits for ", missing.count, " of ", gang.spec->members(), " members to call: pod index",
                        missing.count == 1 ? " " : "es ", Indexes(missing));
  }
  if (const auto* stopping = std::get_if<Stopping>(&gang.state)) {
    std::vector<std::string> nodes;
    for (const auto& [uid, stop] : gang.stops) {
      if (!stop.overdue) nodes.push_back(stop.node);
    }
    return absl::StrCat("stops: ", stopping->why, "; waits for the end of what runs on ", nodes.size(),
                        nodes.size() == 1 ? " node: " : " nodes: ", FewNames(nodes));
  }
  const auto* repairing = std::get_if<Repairing>(&gang.state);
  if (repairing == nullptr) return gang.why;
  if (!repairing->unended.empty()) {
    std::vector<std::string> nodes;
    for (const auto& [uid, left] : repairing->unended) {
      const Seats::Node* seat = gang.seats->FindUid(uid);
      nodes.push_back(seat == nullptr ? uid.value() : seat->name);
    }
    return absl::StrCat("repairs: ", repairing->why, "; waits for the end of what ran before on ", nodes.size(),
                        nodes.size() == 1 ? " node: " : " nodes: ", FewNames(nodes));
  }
  if (repairing->not_before != absl::InfinitePast()) {
    return absl::StrCat("repairs: ", repairing->why, "; failed ", gang.failures, " times in a row, so it waits until ",
                        absl::FormatTime("%H:%M:%S UTC", repairing->not_before, absl::UTCTimeZone()));
  }
  if (repairing->replacement != nullptr) return absl::StrCat("repairs: ", repairing->why, "; waits for its self-test");
  return absl::StrCat("repairs: ", repairing->why, "; waits for ", repairing->vacated.size(),
                      repairing->vacated.size() == 1 ? " replacement node" : " replacement nodes");
}

}  // namespace muster::gang
