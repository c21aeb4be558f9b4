#include "server/core/agent_calls.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "lib/base/errors.h"
#include "server/core/answers.h"
#include "server/core/incarnations.h"
#include "server/core/times.h"

namespace muster::core {
namespace {

constexpr char kRegisterAgain[] = "register again";

absl::StatusOr<NodeEntry*> SessionOf(Core& core, const std::string& node_uid, const v1::Incarnation& session) {
  NodeEntry* node = core.nodes().Find(NodeUid(node_uid));
  if (node == nullptr) return Stale(absl::StrCat("no node with uid ", node_uid, " is registered"), kRegisterAgain);
  const gang::Incarnation given = IncarnationOf(session);
  if (given == node->session) return node;
  return Stale(
      absl::StrCat(given < node->session ? "a newer session of node " : "this session is not registered for node ",
                   node->info.name(), given < node->session ? " lives" : ""),
      kRegisterAgain);
}

bool SameDevices(const v1::NodeInfo& a, const v1::NodeInfo& b) {
  return std::equal(a.accelerators().begin(), a.accelerators().end(), b.accelerators().begin(), b.accelerators().end(),
                    [](const v1::Accelerator& x, const v1::Accelerator& y) {
                      return google::protobuf::util::MessageDifferencer::Equals(x, y);
                    });
}

std::vector<Job*> Users(Core& core, const NodeEntry& node) {
  std::vector<Job*> users;
  for (const auto& [key, use] : node.users)
    if (Job* job = core.jobs().Find(key)) users.push_back(job);
  return users;
}

// The session that the node has is greater than the one that asks.
absl::Status NewerLives(const NodeEntry& node) {
  const std::string readmit = absl::StrCat("\"muster readmit node ", node.info.name(), "\"");
  return Stale(absl::StrCat("a newer session of node ", node.info.name(),
                            node.lost ? " has it, though that one is not heard any more" : " lives"),
               node.lost ? absl::StrCat("end this agent; or, if the other is gone for good, ", readmit,
                                        " lets this one have the node")
                         : absl::StrCat("end this agent; or end the other, and once the node is lost, ", readmit,
                                        " lets this one have it"));
}

// An agent that registers and doesn't come for orders drops what it is answered, or never gets it. One line an agent.
void NoteRegistration(Core& core, NodeEntry& node, const v1::RegisterRequest& request) {
  node.last_seen = core.now();
  node.seen_term = Term();
  for (const auto& entry : request.known()) node.seen_term = std::max(node.seen_term, Term(entry.mark().term()));
  if (++node.registrations != 2) return;
  spdlog::warn(
      "event=agent_takes_no_orders node={} term={} why=\"{}\" way_out=\"its log says why; if it has worked "
      "for a greater term, give musterd its former --data, or restart the agent if this one is meant\"",
      node.info.name(), core.term().value(), node.WhyLost(core.term()));
}

// What the agent says still runs, and what that means for stops that wait.
void TakeKnown(Core& core, NodeEntry& node, const v1::RegisterRequest& request, bool rebooted) {
  std::set<std::string> known;
  for (const auto& entry : request.known()) {
    known.insert(entry.mark().job_uid());
    Job* job = core.jobs().FindUid(entry.mark().job_uid());
    if (job == nullptr) {
      if (entry.running()) core.sessions().StopOrphan(node.uid, entry.mark().job_uid(), entry.mark().number());
    } else if (!entry.running()) {
      core.Apply(*job, gang::EndConfirmed{node.uid, OrderNumber(entry.mark().number())});
    }
  }
  if (!rebooted) return;
  // Nothing survives a reboot.
  for (Job* job : Users(core, node)) {
    const auto stop = job->gang.stops.find(node.uid);
    if (stop != job->gang.stops.end() && known.count(job->gang.uid.value()) == 0)
      core.Apply(*job, gang::EndConfirmed{node.uid, stop->second.number});
  }
}

// Whether the job has, or had, the member on the node. Agents start index i on the node of rank i.
bool HasHere(const gang::Gang& gang, PodIndex index, const NodeUid& node) {
  const auto ending = gang.ending.find(index);
  if (ending != gang.ending.end() && ending->second.count(node) > 0) return true;
  const gang::Seats::Node* here = gang.seats == nullptr ? nullptr : gang.seats->FindUid(node);
  return here != nullptr && std::binary_search(here->ranks.begin(), here->ranks.end(), NodeRank(index.value()));
}

absl::Status MemberEnded(Core& core, Job& job, const NodeEntry& node, const v1::MemberEnded& report) {
  const PodIndex index(report.pod_index());
  if (!HasHere(job.gang, index, node.uid)) {
    // Of a job that holds nothing any more it is late, and changes nothing.
    if (job.gang.seats == nullptr) return absl::OkStatus();
    return FieldError(
        "member_ended.pod_index",
        absl::StrCat("member ", report.pod_index(), " of ", job.FullName(), " is not on node ", node.info.name()),
        "report what this agent has started");
  }
  gang::CommandEnded event;
  event.index = index;
  event.incarnation = IncarnationOf(report.incarnation());
  event.epoch = job.gang.epoch;
  event.exit_code = report.exit_code();
  event.logs = report.logs();
  core.Apply(job, std::move(event));
  return absl::OkStatus();
}

}  // namespace

void RegisterAgent(Core& core, const v1::RegisterRequest& request, Reply<v1::RegisterResponse> reply) {
  v1::NodeInfo info = request.node();
  if (info.uid().empty()) info.set_uid(info.name());
  const NodeUid uid(info.uid());
  const gang::Incarnation session = IncarnationOf(request.session());
  const NodeEntry* before = core.nodes().Find(uid);
  if (before == nullptr && static_cast<int64_t>(core.nodes().size()) >= core.options().max_nodes)
    return reply(Overloaded(absl::StrCat(core.options().max_nodes, " nodes are registered, which is the limit")));
  if (before != nullptr && session < before->session) return reply(NewerLives(*before));
  const bool newcomer = before == nullptr;
  const bool rebooted = !newcomer && before->info.boot_id() != info.boot_id();
  const bool changed = rebooted || (!newcomer && !SameDevices(before->info, info));
  const bool same =
      !newcomer && before->session == session && google::protobuf::util::MessageDifferencer::Equals(before->info, info);

  absl::StatusOr<NodeEntry*> put = core.nodes().Put(uid, info);
  if (!put.ok()) return reply(put.status());
  NodeEntry& node = **put;
  if (!same) {
    if (node.session != session) {
      if (std::optional<TaskPoll> earlier = core.sessions().Take(uid))
        earlier->reply(Stale("another session of the node has registered", kRegisterAgain));
      spdlog::info("event=registered node={} address={} accelerators={} version={}", info.name(), info.address(),
                   info.accelerators_size(), info.agent_version());
    }
    node.session = session;
    core.NodeChanged(node, /*placing=*/true);
  }
  NoteRegistration(core, node, request);
  if (changed) {
    for (Job* job : Users(core, node))
      core.Apply(*job, gang::NodeChanged{uid, absl::StrCat("node ", info.name(),
                                                           rebooted ? " was rebooted" : " has other devices now")});
  }
  TakeKnown(core, node, request, rebooted);
  core.AfterCommit([&core, uid, reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    v1::RegisterResponse response;
    core.SetEnvelope(response.mutable_envelope(), /*retry=*/false);
    response.set_node_uid(uid.value());
    SetDuration(core.options().agent_lease, response.mutable_lease());
    for (v1::OrderMark& mark : core.sessions().Highest(uid)) *response.add_highest() = std::move(mark);
    reply(std::move(response));
  });
}

void NextTask(Core& core, CallId id, const v1::NextTaskRequest& request, absl::Duration poll,
              Reply<v1::NextTaskResponse> reply) {
  absl::StatusOr<NodeEntry*> node = SessionOf(core, request.node_uid(), request.session());
  if (!node.ok()) return reply(node.status());
  core.NodeHeard(**node);
  TaskPoll call;
  call.id = id;
  call.node = (*node)->uid;
  call.expires = core.now() + std::min(poll, core.options().agent_lease / 2);
  for (const v1::OrderMark& mark : request.seen()) {
    uint64_t& seen = call.seen[mark.job_uid()];
    seen = std::max(seen, mark.number());
  }
  call.reply = std::move(reply);
  const bool wait = poll > absl::ZeroDuration();
  core.AfterCommit([&core, wait, call = std::move(call)](const absl::Status& status) mutable {
    if (!status.ok()) return call.reply(status);
    std::vector<v1::Task> tasks = core.TasksFor(call.node, call.seen);
    if (tasks.empty() && wait) {
      std::optional<TaskPoll> earlier = core.sessions().Hold(std::move(call));
      if (earlier) earlier->reply(Stale("another call of the session waits", "wait with one call at a time"));
      return;
    }
    v1::NextTaskResponse response;
    core.SetEnvelope(response.mutable_envelope(), /*retry=*/false);
    for (v1::Task& task : tasks) *response.add_tasks() = std::move(task);
    call.reply(std::move(response));
  });
}

void ReportTask(Core& core, const v1::ReportTaskRequest& request, Reply<v1::ReportTaskResponse> reply) {
  absl::StatusOr<NodeEntry*> session = SessionOf(core, request.node_uid(), request.session());
  if (!session.ok()) return reply(session.status());
  NodeEntry& node = **session;
  core.NodeHeard(node);
  Job* job = core.jobs().FindUid(request.mark().job_uid());
  const OrderNumber number(request.mark().number());
  if (job == nullptr) {
    if (request.has_ended()) core.sessions().OrphanEnded(node.uid, request.mark().job_uid());
  } else if (request.has_test()) {
    const absl::Status taken = core.tests().Report(node.uid, request.test(), core.batch());
    // That the children have ended counts also where their results come too late.
    if (request.test().final()) core.Apply(*job, gang::EndConfirmed{node.uid, number});
    if (!taken.ok()) return reply(taken);
    core.LookAtTest(*job);
  } else if (request.has_member_ended()) {
    if (absl::Status ended = MemberEnded(core, *job, node, request.member_ended()); !ended.ok()) return reply(ended);
  } else if (request.has_ended()) {
    core.Apply(*job, gang::EndConfirmed{node.uid, number});
  } else if (request.has_refused()) {
    core.Apply(*job, gang::StartRefused{node.uid, number, request.refused().why()});
  }
  core.AfterCommit([&core, reply = std::move(reply)](const absl::Status& status) mutable {
    if (!status.ok()) return reply(status);
    v1::ReportTaskResponse response;
    core.SetEnvelope(response.mutable_envelope(), /*retry=*/false);
    reply(std::move(response));
  });
}

}  // namespace muster::core
