// What happens because time passes: deadlines of jobs, ends of polls, leases, expiries.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/gang/demands.h"
#include "server/core/core.h"
#include "server/core/key_values.h"
#include "server/core/loop.h"

namespace muster::core {

void Core::SetAlarm() {
  if (failed_ != nullptr) return loop_.SetAlarm(retry_);
  if (next_expiry_ == absl::InfinitePast()) next_expiry_ = nodes_.NextExpiry();
  loop_.SetAlarm(
      std::min({jobs_.NextDeadline(), rank_calls_.NextExpiry(), watch_calls_.NextExpiry(), sessions_.NextExpiry(),
                member_leases_.Next(), agent_leases_.Next(), hang_ups_.Next(), tests_.NextEnd(), next_expiry_,
                key_values_.NextExpiry(), report_due_ ? reported_ + kReportEvery : absl::InfiniteFuture()}));
}

void Core::OnAlarm() {
  key_values_.Expire();
  if (failed_ != nullptr) {
    if (retry_ <= now()) Commit();
    return;
  }
  LookAtPolls();
  LookAtAgents();
  LookAtMemberLeases();
  LookAtHangUps();
  LookAtTests();
  LookAtQuarantines();
  LookAtDeadlines();
}

void Core::LookAtDeadlines() {
  for (JobKey key : jobs_.Due(now())) {
    Job* job = jobs_.Find(key);
    if (job == nullptr) continue;
    Apply(*job, gang::TimePassed{});
    // Whatever the gang makes of it, the alarm doesn't ring for it at once again.
    jobs_.DeadlineChanged(*job, std::max(gang::NextDeadline(job->gang), now() + absl::Milliseconds(100)));
  }
}

void Core::LookAtPolls() {
  std::map<JobKey, v1::NotReady> reasons;
  for (RankCall& call : rank_calls_.TakeExpired(now())) {
    Job* job = jobs_.Find(call.job);
    RankCallEnded(call);
    v1::GetRankResponse response;
    SetEnvelope(response.mutable_envelope(), /*retry=*/true);
    if (job != nullptr) {
      const auto [found, made] = reasons.try_emplace(call.job);
      if (made) found->second = NotReadyOf(*job);
      *response.mutable_not_ready() = found->second;
    }
    call.reply(std::move(response));
  }
  for (WatchCall& call : watch_calls_.TakeExpired(now())) call.reply(WatchResponse(gang::Watch()));
  for (TaskPoll& poll : sessions_.TakeExpired(now())) {
    v1::NextTaskResponse response;
    SetEnvelope(response.mutable_envelope(), /*retry=*/false);
    poll.reply(std::move(response));
  }
}

void Core::RankCallEnded(const RankCall& call) {
  const HangUp who{call.job, call.index, call.caller.local_rank.value_or(-1)};
  // Another call of the same member may be held still.
  for (CallId id : rank_calls_.OfMember(call.job, call.index)) {
    const RankCall* other = rank_calls_.Look(id);
    if (other->caller.local_rank == call.caller.local_rank && other->caller.incarnation == call.caller.incarnation)
      return;
  }
  hung_up_[who] = {call.id, call.caller.incarnation};
  hang_ups_.Add(now() + options_.retry_period, {who, call.id});
}

void Core::RankCallCame(JobKey job, const gang::Caller& caller) {
  hung_up_.erase({job, caller.index, caller.local_rank.value_or(-1)});
  news_[job].wake.insert(caller.index);
}

void Core::LookAtHangUps() {
  for (const auto& [who, id] : hang_ups_.Due(now())) {
    const auto found = hung_up_.find(who);
    // It has called again since.
    if (found == hung_up_.end() || found->second.first != id) continue;
    const gang::Incarnation incarnation = found->second.second;
    hung_up_.erase(found);
    if (Job* job = jobs_.Find(who.job)) {
      Apply(*job, gang::MemberHungUp{who.index, incarnation,
                                     who.local_rank < 0 ? std::nullopt : std::optional<int32_t>(who.local_rank)});
    }
  }
}

void Core::BeginLeases(const Job& job, const gang::Released& released) {
  const absl::Time expires = now() + options_.member_lease;
  for (const auto& [index, member] : released.members) {
    members_heard_[{job.key(), index}] = now();
    leases_lost_.erase({job.key(), index});
    member_leases_.Add(expires, Lease{job.key(), index, released.epoch});
  }
}

void Core::MemberHeard(Job& job, PodIndex index, const gang::Incarnation& incarnation) {
  const auto heard = members_heard_.find({job.key(), index});
  if (heard == members_heard_.end()) return;
  heard->second = now();
  if (leases_lost_.erase({job.key(), index}) == 0) return;
  if (const auto* running = std::get_if<gang::Running>(&job.gang.state))
    member_leases_.Add(now() + options_.member_lease, Lease{job.key(), index, running->released->epoch});
  Apply(job, gang::LeaseRenewed{index, incarnation});
}

void Core::LookAtMemberLeases() {
  for (const Lease& lease : member_leases_.Due(now())) {
    Job* job = jobs_.Find(lease.job);
    const auto* running = job == nullptr ? nullptr : std::get_if<gang::Running>(&job->gang.state);
    const auto heard = members_heard_.find({lease.job, lease.index});
    if (running == nullptr || running->released->epoch != lease.epoch) {
      // Of an epoch that is over; a later one of the job has begun its own.
      if (running == nullptr && heard != members_heard_.end()) members_heard_.erase(heard);
      continue;
    }
    const auto member = job->gang.members.find(lease.index);
    if (heard == members_heard_.end() || member == job->gang.members.end() || member->second.exit_code) continue;
    // Its own calls count alone, also where an agent started it: that the agent lives doesn't say that the member can
    // obey.
    if (heard->second + options_.member_lease > now()) {
      member_leases_.Add(heard->second + options_.member_lease, lease);
      continue;
    }
    leases_lost_.insert({lease.job, lease.index});
    spdlog::warn("event=lease_lost job={} uid={} member={} epoch={}", job->FullName(), job->gang.uid.value(),
                 lease.index.value(), lease.epoch.value());
    Apply(*job, gang::LeaseLost{lease.index});
  }
}

void Core::BeginLease(NodeEntry& node) {
  node.lease_from = now();
  agent_leases_.Add(node.lease_from + options_.agent_lease, node.uid);
}

void Core::NodeHeard(NodeEntry& node) {
  node.last_seen = node.lease_from = now();
  node.registrations = 0;
  if (!node.lost) return;
  node.lost = false;
  BeginLease(node);
  NodeChanged(node, /*placing=*/true);
  SayWhenDurable(absl::StrCat("event=node_ready node=", node.info.name()));
  TellRestored(node);
}

void Core::LookAtAgents() {
  for (const NodeUid& uid : agent_leases_.Due(now())) {
    NodeEntry* node = nodes_.Find(uid);
    if (node == nullptr || node->lost) continue;
    if (node->lease_from + options_.agent_lease > now()) {
      agent_leases_.Add(node->lease_from + options_.agent_lease, uid);
      continue;
    }
    node->lost = true;
    NodeChanged(*node, /*placing=*/true);
    const std::string why = node->registrations > 0 ? node->WhyLost(term())
                                                    : absl::StrCat("its agent was not heard for ",
                                                                   absl::FormatDuration(options_.agent_lease));
    SayWhenDurable(absl::StrCat("event=node_lost node=", node->info.name(), " why=\"", why, "\""), /*warning=*/true);
    const std::map<JobKey, v1::NodeUse> users = node->users;
    for (const auto& [key, use] : users)
      if (Job* job = jobs_.Find(key)) Apply(*job, gang::NodeLost{uid, why});
  }
}

void Core::BeginLeasesAnew() {
  for (const auto& [name, node] : nodes_.by_name())
    if (!node->lost) node->lease_from = now();
  for (auto& [member, heard] : members_heard_) heard = now();
}

void Core::LookAtTests() {
  if (tests_.NextEnd() > now()) return;
  std::vector<JobKey> keys;
  for (const auto& [key, round] : open_tests_) keys.push_back(key);
  for (JobKey key : keys)
    if (Job* job = jobs_.Find(key)) LookAtTest(*job);
}

void Core::LookAtQuarantines() {
  if (next_expiry_ > now()) return;
  for (const NodeUid& uid : nodes_.Expired(now())) ReadmitNode(*nodes_.Find(uid));
}

}  // namespace muster::core
