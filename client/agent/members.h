#pragma once
// The members of one job on this node: each started once, stopped wholly, reported truly.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/agent/agent_setting.h"
#include "client/agent/children.h"
#include "client/agent/ledger.pb.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "proto/muster/v1/task.pb.h"

namespace muster::agent {

bool SameIncarnation(const v1::Incarnation& a, const v1::Incarnation& b);

inline constexpr absl::Duration kDefaultGrace = absl::Seconds(10);

// Belongs to the thread of its Children.
class Members {
 public:
  // `records`: what the ledger has of this job's members; those not ended are from an agent before this one.
  Members(const AgentSetting& setting, Children& children, const std::string& job_uid,
          std::vector<MemberRecord> records);

  // Starts the members of `task` that were never started in this incarnation. The process of an older incarnation is
  // stopped first, and the member started when it is gone. INVALID_ARGUMENT etc.: nothing of it can be started.
  absl::Status Start(const v1::Task& task, absl::Time now);
  // SIGTERM to all, after `grace` SIGKILL to everything they have started. Also forgets starts that wait.
  void Stop(absl::Duration grace, absl::Time now);

  bool Owns(ChildId child) const;
  void Ended(ChildId child, int wait_status, absl::Time now);
  // Escalates stops, looks after survivors of an earlier agent, starts what waited.
  void Tick(absl::Time now);
  absl::Time NextDeadline(absl::Time now) const;

  // Ends since the last call, in the order of their index.
  std::vector<v1::MemberEnded> TakeEnds();
  // All ends that the records know, for an order that is given again.
  std::vector<v1::MemberEnded> AllEnds() const;
  // Of the last start of each index.
  std::vector<MemberRecord> Records() const;
  // Whether a process of any member may be alive, or a start is waiting.
  bool Running() const;

 private:
  struct Member {
    MemberRecord record;
    // 0: an earlier agent's; its keeper is known by pid and start ticks only.
    ChildId child = 0;
    // Its keeper is gone and did not see everything end (killed, or with an agent before this one): what is left is
    // ended before the member counts as ended, with this code.
    std::optional<int> keeper_lost;
    // When it is looked for again, and whether people have been told what holds the end up.
    absl::Time look_at = absl::InfinitePast();
    bool told = false;
    // SIGTERM is sent; SIGKILL follows then.
    absl::Time kill_at = absl::InfiniteFuture();
    // Starts when the present process is gone.
    bool has_next = false;
    v1::Task next_task;
    v1::StartMembers::Member next;
  };

  absl::Status Launch(const v1::Task& task, const v1::StartMembers::Member& member);
  void Signal(const Member& member, int signal) const;
  void MarkEnded(Member& member, int exit_code);
  bool KeeperLives(const Member& member) const;
  // Kills what a member's lost keeper has left; true: none of it is left, for certain.
  bool EndLeftovers(Member& member, absl::Time now) const;

  const AgentSetting& setting_;
  Children& children_;
  const std::string job_uid_;
  std::map<int32_t, Member> members_;
  std::vector<v1::MemberEnded> ends_;
};

}  // namespace muster::agent
