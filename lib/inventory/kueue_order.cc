#include "lib/inventory/kueue_order.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/numbers.h"

namespace muster::inventory {
namespace {

constexpr int64_t kMostPods = 1'000'000;

// The domain of a rank by running sum; nullptr: the assignment is too short.
const KueueDomain* DomainOf(const KueuePodSet& podset, int64_t rank) {
  for (const KueueDomain& domain : podset.domains) {
    if (rank < domain.count) return &domain;
    rank -= domain.count;
  }
  return nullptr;
}

// Where the pod set's indexes begin in the space that it shares.
int64_t FirstIndex(const std::vector<KueuePodSet>& podsets, const KueuePodSet& podset) {
  if (podset.ordered_with.empty()) return 0;
  for (const KueuePodSet& other : podsets) {
    if (&other != &podset && other.ordered_with == podset.ordered_with && other.count < podset.count) {
      return other.count;
    }
  }
  return 0;
}

struct Ranked {
  const KueuePod* pod;
  int64_t rank;
};

class Dealer {
 public:
  Dealer(const std::vector<KueuePodSet>& podsets, const KueuePodSet& podset, const std::vector<std::string>& unhealthy,
         KueueOrder& order)
      : podset_(podset), first_(FirstIndex(podsets, podset)), unhealthy_(unhealthy), order_(order) {}

  KueueOrdering Deal(const std::vector<const KueuePod*>& pods) {
    std::vector<Ranked> ranked;
    const KueueOrdering ordering = Rank(pods, ranked);
    for (const KueuePod* pod : pods) {
      if (!pod->bound.empty()) order_.placed.push_back({pod->name, pod->bound});
    }
    if (ordering == KueueOrdering::kRank) {
      for (const Ranked& one : ranked) Seat(*one.pod, DomainOf(podset_, one.rank));
    } else {
      DealInOrder(pods);
    }
    return ordering;
  }

 private:
  // Ranks of the pods that live.
  KueueOrdering Rank(const std::vector<const KueuePod*>& pods, std::vector<Ranked>& ranked) const {
    if (pods.empty()) return KueueOrdering::kNoPods;
    if (!podset_.has_index_label) return KueueOrdering::kNoIndexLabel;
    if (podset_.has_group_label && (podset_.groups <= 0 || podset_.groups > podset_.count)) {
      return KueueOrdering::kBadGroupCount;
    }
    std::set<int64_t> seen;
    for (const KueuePod* pod : pods) {
      if (pod->ended) continue;
      if (!pod->index || (podset_.has_group_label && !pod->group)) return KueueOrdering::kIndexMissing;
      int64_t index = 0;
      int64_t group = 0;
      int64_t offset = 0;
      const bool numbers = absl::SimpleAtoi(*pod->index, &index) &&
                           (!podset_.has_group_label || absl::SimpleAtoi(*pod->group, &group)) &&
                           (!pod->offset || absl::SimpleAtoi(*pod->offset, &offset));
      const auto sane = [](int64_t number) { return number >= 0 && number <= kMostPods; };
      if (!numbers || !sane(index) || !sane(group) || !sane(offset)) return KueueOrdering::kIndexOutOfRange;
      const int64_t a_group = podset_.has_group_label ? podset_.count / podset_.groups : 0;
      if (podset_.has_group_label && (index >= a_group || group >= podset_.groups)) {
        return KueueOrdering::kIndexOutOfRange;
      }
      const int64_t rank = index + group * a_group - offset - first_;
      if (rank < 0 || rank >= podset_.count) return KueueOrdering::kIndexOutOfRange;
      if (!seen.insert(rank).second) return KueueOrdering::kIndexRepeated;
      const KueueDomain* domain = DomainOf(podset_, rank);
      if (domain == nullptr) return KueueOrdering::kAssignmentTooShort;
      if (!pod->bound.empty() && pod->bound != domain->values) return KueueOrdering::kRunningPodElsewhere;
      if (pod->gated) ranked.push_back({pod, rank});
    }
    return KueueOrdering::kRank;
  }

  void DealInOrder(const std::vector<const KueuePod*>& pods) {
    std::vector<int64_t> left;
    for (const KueueDomain& domain : podset_.domains) {
      int64_t taken = 0;
      for (const KueuePod* pod : pods) taken += !pod->ended && pod->bound == domain.values ? 1 : 0;
      left.push_back(domain.count - taken);
    }
    size_t at = 0;
    for (const KueuePod* pod : pods) {
      if (!pod->gated || pod->ended) continue;
      while (at < left.size() && left[at] <= 0) ++at;
      if (at < left.size()) --left[at];
      Seat(*pod, at < left.size() ? &podset_.domains[at] : nullptr);
    }
  }

  void Seat(const KueuePod& pod, const KueueDomain* domain) {
    const bool ill = domain != nullptr && !domain->values.empty() &&
                     std::find(unhealthy_.begin(), unhealthy_.end(), domain->values.back()) != unhealthy_.end();
    if (domain == nullptr || ill) {
      order_.held.push_back(pod.name);
    } else {
      order_.placed.push_back({pod.name, domain->values});
    }
  }

  const KueuePodSet& podset_;
  const int64_t first_;
  const std::vector<std::string>& unhealthy_;
  KueueOrder& order_;
};

}  // namespace

const char* KueueOrderingName(KueueOrdering ordering) {
  switch (ordering) {
    case KueueOrdering::kRank:
      return "rank";
    case KueueOrdering::kNoIndexLabel:
      return "no_index_label";
    case KueueOrdering::kIndexMissing:
      return "index_missing";
    case KueueOrdering::kIndexOutOfRange:
      return "index_out_of_range";
    case KueueOrdering::kIndexRepeated:
      return "index_repeated";
    case KueueOrdering::kBadGroupCount:
      return "bad_group_count";
    case KueueOrdering::kAssignmentTooShort:
      return "assignment_too_short";
    case KueueOrdering::kRunningPodElsewhere:
      return "running_pod_elsewhere";
    case KueueOrdering::kNoPods:
      return "no_pods";
  }
  return "";
}

KueueOrder OrderPods(const std::vector<KueuePodSet>& podsets, const std::vector<KueuePod>& pods,
                     const std::vector<std::string>& unhealthy_nodes) {
  KueueOrder order;
  for (const KueuePod& pod : pods) {
    int64_t offset = 0;
    if (pod.offset && !absl::SimpleAtoi(*pod.offset, &offset)) order.error = "bad_index_offset";
  }
  std::set<std::string> names;
  for (const KueuePodSet& podset : podsets) {
    names.insert(podset.name);
    std::vector<const KueuePod*> own;
    for (const KueuePod& pod : pods) {
      if (pod.podset == podset.name) own.push_back(&pod);
    }
    if (order.error.empty()) order.ordering.push_back(Dealer(podsets, podset, unhealthy_nodes, order).Deal(own));
  }
  for (const KueuePod& pod : pods) {
    if (order.error.empty() && names.count(pod.podset) > 0) continue;
    if (pod.gated) order.held.push_back(pod.name);
    if (!pod.bound.empty()) order.placed.push_back({pod.name, pod.bound});
  }
  return order;
}

}  // namespace muster::inventory
