#pragma once
// Who goes before whom.
//
// The place of a job is its key, submission − priority · ageing, less first; then the order of submission. A key never
// changes, so that jobs of different priority never change places, and ageing is in it: whoever waits falls behind
// nobody but those whose keys were less when they came. Neighbours of equal priority are dealt out by namespace: the
// one with fewer nodes for its weight first (nodes held, and those of its jobs that are before in the queue), each
// namespace's jobs by their keys, and none before a job whose key is less by more than the ageing.
//
// The idea of a head start in place of a growing priority is that of calendar-free ageing in CTSS-like batch queues;
// the dealing out is start-time fair queueing (Goyal et al. 1996) with the nodes held now as the virtual time.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/queue/policy.h"

namespace muster::queue {

struct Turn {
  int32_t priority = 0;
  absl::Time submitted;
  int64_t sequence = 0;  // of submissions; decides between equal keys
  JobUid uid;
  std::string ns;
};

absl::Time KeyOf(const Turn& turn, const Policy& policy);

// By key, without regard to shares.
bool GoesBefore(const Turn& a, const Turn& b, const Policy& policy);

// What is put in order: a turn and the nodes that it takes from its namespace's share.
struct Entry {
  const Turn* turn = nullptr;
  int64_t nodes = 0;
};

// The entries' positions, first first. `held`: nodes that each namespace has now. Ignores the order given.
// O(n · (log n + namespaces)).
std::vector<size_t> InOrder(const std::vector<Entry>& entries, const std::map<std::string, int64_t>& held,
                            const Policy& policy);

}  // namespace muster::queue
