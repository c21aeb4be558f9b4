#pragma once
// What an operator may set: periods, limits, policies. Defaults are those of the musterd flags of the same names.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/queue/policy.h"

namespace muster::core {

struct Options {
  // --- periods ---
  // An agent that isn't heard for this long is lost.
  absl::Duration agent_lease = absl::Seconds(30);
  // A member of a running gang that doesn't watch it for this long has lost its lease.
  absl::Duration member_lease = absl::Seconds(60);
  // A GetRank call that ended unanswered counts as waiting for this long: the time a client has to call again.
  absl::Duration retry_period = absl::Seconds(10);
  // Told to callers that are to come back.
  absl::Duration retry_after = absl::Seconds(1);
  absl::Duration default_poll = absl::Seconds(20);
  absl::Duration longest_poll = absl::Seconds(60);
  // How long a node accused by a self-test is kept from new gangs.
  absl::Duration quarantine = absl::Hours(1);
  // How long after its deadline a round of a self-test is concluded without the reports that are missing.
  absl::Duration report_grace = absl::Seconds(5);
  // Between two tries to commit while the store fails.
  absl::Duration store_retry = absl::Seconds(1);

  // --- limits; past them RESOURCE_EXHAUSTED ---
  int64_t max_jobs = 10'000;  // that haven't finished
  // What these may take of memory, by an estimate; one namespace may have half of it.
  int64_t max_job_bytes = int64_t{4} << 30;
  int64_t max_nodes = 20'000;
  int64_t max_waiting_calls = 200'000;
  int64_t max_watchers = 10'000;
  // Finished jobs that are kept for people to look at; the oldest beyond are forgotten.
  int64_t keep_finished = 1'000;
  // Fewer, where these would take more of memory.
  int64_t keep_finished_bytes = int64_t{1} << 30;
  // Receipts that are kept; the oldest beyond go, but never the latest of a job that is known.
  int64_t keep_receipts = 10'000;

  // --- policies ---
  queue::Policy queue;
  // What the priority classes of jobs stand for.
  std::map<std::string, int32_t> priority_classes;
  // Namespaces whose jobs may waive the self-test; "*": all.
  std::set<std::string> may_waive;
  // Node labels that say the topology, coarse to fine, and the names of the tiers.
  std::vector<std::string> tier_labels = {"topology.muster.dev/block", "topology.muster.dev/rack"};
  std::vector<std::string> tier_names = {"block", "rack"};

  // Seed of the ids that are made here.
  uint64_t seed = 1;
  std::string version = "dev";
};

}  // namespace muster::core
