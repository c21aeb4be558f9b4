#pragma once
// When nodes come free, as far as declared durations tell, and what is reserved on them.
//
// Each node has a time from which it is free for good, as things are planned, and, where a job that waits has reserved
// it, a time by which whoever starts on it now must be gone. Reservations are made in the order of the queue, each for
// the earliest time at which the job fits on what those before it leave: backfilling in its conservative form (Mu'alem
// and Feitelson 2001), with one interval a node in place of a full timeline, so that a reservation is O(nodes).
//
// Never late: a job's reservation rests on nodes that nobody else may hold at that time, and running jobs are ended
// when their declared durations are over. So a later run finds the same time or an earlier one, unless nodes fail, or a
// job comes that goes before.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/queue/demand.h"
#include "lib/queue/turn.h"

namespace muster::queue {

// A job that has nodes.
struct Holder {
  Turn turn;
  std::string job;  // namespace/name, for sentences
  const placement::Request* request = nullptr;
  std::vector<NodeIndex> nodes;
  // It has had them from then on: its work so far would be lost.
  absl::Time since;
  // It is gone by then; InfiniteFuture: nobody knows.
  absl::Time ends = absl::InfiniteFuture();
  // Its end has begun: its nodes come free as soon as that is seen.
  bool leaving = false;
  // It may be stopped and queued again.
  bool preemptible = true;
};

class Horizon {
 public:
  // References are kept. Nodes that aren't ok are free at no known time.
  Horizon(const placement::Cluster& cluster, const std::vector<Holder>& holders, absl::Time now);

  absl::Time now() const { return now_; }
  // A job starts on them now, and is gone by `ends`.
  void Take(const std::vector<NodeIndex>& nodes, absl::Time ends);
  // A holder is told to go.
  void Release(const std::vector<NodeIndex>& nodes);

  // Nodes that a job which ends at `ends` may start on now: at most so many, before eligibility. O(reservations).
  int64_t CountFree(absl::Time ends) const;
  NodeSet FreeFor(const Demand& demand, absl::Time ends) const;
  // Free and ok, whoever has reserved them.
  NodeSet Free(const Demand& demand) const;
  // Free and ok, or to be so by then.
  NodeSet FreeBy(const Demand& demand, absl::Time by) const;

  // The earliest time at which it fits, and reserves nodes for it from then on. InfiniteFuture: that rests on ends that
  // nobody knows. Then every node that it could use before those ahead of it do is kept from all behind, and nothing is
  // planned on any node that could serve it.
  absl::Time Reserve(const Demand& demand, absl::Duration duration);

 private:
  // Earliest time at which the domain holds it; InfiniteFuture: none is known.
  absl::Time EarliestIn(const Demand& demand, DomainIndex domain) const;
  NodeSet FreeAt(const Demand& demand, DomainIndex domain, absl::Time at) const;
  void Keep(size_t node, absl::Time until);

  const placement::Cluster& cluster_;
  const absl::Time now_;
  std::vector<bool> free_;         // now
  std::vector<absl::Time> from_;   // free for good
  std::vector<absl::Time> until_;  // a job that starts now must be gone
  // Free nodes by until_.
  std::map<absl::Time, int64_t> counts_;
};

}  // namespace muster::queue
