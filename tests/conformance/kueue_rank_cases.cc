// Kueue's order of pods over its assignment, against lib/inventory/kueue_order.h.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/inventory/kueue_order.h"
#include "tests/conformance/peers.h"

namespace muster::conformance {
namespace {

using inventory::KueueOrder;
using inventory::KueuePod;
using inventory::KueuePodSet;

std::string TextOr(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

std::vector<KueuePodSet> PodSetsOf(const Json& peer_case, std::map<std::string, Json>& labels) {
  std::vector<KueuePodSet> podsets;
  for (const Json& one : peer_case.at("podsets")) {
    KueuePodSet podset;
    podset.name = one.at("name");
    podset.count = one.at("count");
    podset.has_index_label = one.at("index_label").is_string();
    podset.has_group_label = one.at("group_label").is_string();
    if (one.at("group_count").is_number()) podset.groups = one.at("group_count");
    podset.ordered_with = TextOr(one.at("ordered_with"));
    for (const Json& domain : one.at("domains")) podset.domains.push_back({domain.at("values"), domain.at("count")});
    labels[podset.name] = one;
    podsets.push_back(std::move(podset));
  }
  return podsets;
}

absl::optional<std::string> LabelOf(const Json& pod, const Json& key) {
  if (!key.is_string() || !pod.at("labels").contains(key.get<std::string>())) return absl::nullopt;
  return pod.at("labels").at(key.get<std::string>()).get<std::string>();
}

std::vector<KueuePod> PodsOf(const Json& peer_case, const std::map<std::string, Json>& podsets) {
  std::vector<KueuePod> pods;
  for (const Json& one : peer_case.at("pods")) {
    KueuePod pod;
    pod.name = one.at("name");
    // A pod outside the gang belongs to none of its pod sets.
    pod.podset = one.at("in_gang").get<bool>() ? TextOr(one.at("podset")) : "";
    if (const auto podset = podsets.find(pod.podset); podset != podsets.end()) {
      pod.index = LabelOf(one, podset->second.at("index_label"));
      pod.group = LabelOf(one, podset->second.at("group_label"));
    }
    if (one.at("index_offset").is_string()) pod.offset = one.at("index_offset").get<std::string>();
    pod.ended = one.at("phase") == "failed" || one.at("phase") == "succeeded";
    pod.gated = one.at("gated");
    if (one.at("bound").is_array()) pod.bound = one.at("bound").get<std::vector<std::string>>();
    pods.push_back(std::move(pod));
  }
  return pods;
}

// What happens before any order is looked at: without an admission, or while releases are unconfirmed, nothing moves.
KueueOrder NothingMoves(const std::vector<KueuePod>& pods, const std::string& error) {
  KueueOrder order = inventory::OrderPods({}, pods, {});
  order.error = error;
  return order;
}

Json Counts(const KueueOrder& order, const std::vector<KueuePod>& pods) {
  std::map<std::vector<std::string>, int64_t> counts;
  for (const inventory::KueueSeat& seat : order.placed) {
    const auto pod = std::find_if(pods.begin(), pods.end(), [&](const KueuePod& one) { return one.name == seat.pod; });
    if (!pod->ended) ++counts[seat.domain];
  }
  Json list = Json::array();
  for (const auto& [values, count] : counts) list.push_back({{"values", values}, {"count", count}});
  return list;
}

}  // namespace

void CheckKueueRankOrder(const Json& peer_case, const std::string&, PeerCase& result) {
  std::map<std::string, Json> by_name;
  const std::vector<KueuePodSet> podsets = PodSetsOf(peer_case, by_name);
  const std::vector<KueuePod> pods = PodsOf(peer_case, by_name);
  KueueOrder order;
  if (!peer_case.at("admitted").get<bool>()) {
    order = NothingMoves(pods, "");
  } else if (peer_case.at("unconfirmed_releases").get<int>() > 0) {
    order = NothingMoves(pods, "releases_unconfirmed");
  } else {
    order = inventory::OrderPods(podsets, pods, peer_case.at("unhealthy_nodes").get<std::vector<std::string>>());
  }
  const Json& expected = peer_case.at("expected");
  for (const Json& word : peer_case.at("must")) {
    if (word == "error") {
      result.differences.Expect("error", expected.at("error"), order.error.empty() ? Json() : Json(order.error));
    } else if (word == "held") {
      std::sort(order.held.begin(), order.held.end());
      Json held = expected.at("held");
      std::sort(held.begin(), held.end());
      result.differences.Expect("held", held, Json(order.held));
    } else if (word == "counts") {
      Json counts = expected.at("counts");
      std::sort(counts.begin(), counts.end(), [](const Json& a, const Json& b) { return a["values"] < b["values"]; });
      result.differences.Expect("counts", counts, Counts(order, pods));
    } else if (word == "placed") {
      Json placed = Json::object();
      for (const inventory::KueueSeat& seat : order.placed) placed[seat.pod] = seat.domain;
      result.differences.Expect("placed", expected.at("placed"), placed);
    } else {
      result.differences.Unknown(absl::StrCat("must: ", word.dump()));
    }
  }
  // Informative, but where an order is told, it is told for the same reason.
  const Json& orderings = expected.at("ordering");
  for (size_t i = 0; i < order.ordering.size(); ++i) {
    result.differences.Expect(absl::StrCat("ordering of ", podsets[i].name), orderings.at(podsets[i].name),
                              inventory::KueueOrderingName(order.ordering[i]));
  }
}

}  // namespace muster::conformance
