#pragma once
// Which domain of Kueue's topology assignment each pod of a gang goes to: the order of the pod indexes over the
// assignment, as Kueue's ungater deals it out, and why it doesn't where it can't. Kueue falls back without a word; this
// says the cause.
// Source: kubernetes-sigs/kueue, pkg/controller/tas.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"

namespace muster::inventory {

struct KueueDomain {
  std::vector<std::string> values;  // coarse to fine
  int64_t count = 0;                // pods
};

struct KueuePodSet {
  std::string name;
  int64_t count = 0;
  bool has_index_label = false;
  // Child jobs: a pod's rank counts on from group index × (count / groups). -1: the owner doesn't say how many.
  bool has_group_label = false;
  int64_t groups = -1;
  // Pod sets of one name share one space of indexes: the smaller one begins. Empty: its own.
  std::string ordered_with;
  std::vector<KueueDomain> domains;  // in the assignment's order
};

struct KueuePod {
  std::string name;
  std::string podset;
  // As the labels and the annotation have them; nullopt: not there.
  absl::optional<std::string> index;
  absl::optional<std::string> group;
  absl::optional<std::string> offset;
  bool ended = false;  // failed or succeeded: it gives its seat back
  bool gated = false;  // it waits for its domain
  // Where it is already; empty: nowhere.
  std::vector<std::string> bound;
};

// How a pod set's pods were dealt out. kRank: by rank. The others are why not; seats are then given in list order.
enum class KueueOrdering {
  kRank,
  kNoIndexLabel,
  kIndexMissing,
  kIndexOutOfRange,
  kIndexRepeated,
  kBadGroupCount,
  kAssignmentTooShort,
  kRunningPodElsewhere,
  kNoPods,
};
// "index_missing".
const char* KueueOrderingName(KueueOrdering ordering);

struct KueueSeat {
  std::string pod;
  std::vector<std::string> domain;
};

struct KueueOrder {
  // Set: nothing is dealt out. "bad_index_offset".
  std::string error;
  std::vector<KueueOrdering> ordering;  // by pod set
  std::vector<KueueSeat> placed;        // pods that have a domain, those that had one before too
  std::vector<std::string> held;        // gated pods without one
};

// Pods whose domain ends in a node of `unhealthy_nodes` are held. Pods of no pod set are held too.
KueueOrder OrderPods(const std::vector<KueuePodSet>& podsets, const std::vector<KueuePod>& pods,
                     const std::vector<std::string>& unhealthy_nodes);

}  // namespace muster::inventory
