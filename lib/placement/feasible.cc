#include "lib/placement/feasible.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/placement/eligible.h"
#include "lib/placement/likes.h"
#include "lib/placement/room.h"

namespace muster::placement {
namespace {

constexpr size_t kMaxShortfalls = 8;

std::string Nodes(int64_t count) { return absl::StrCat(count, count == 1 ? " node" : " nodes"); }

std::string TierName(const Question& q, int tier) { return q.cluster->topology->tiers()[tier].name; }

// "the cluster" or "block b2".
std::string DomainName(const Question& q, DomainIndex domain) {
  const Domain& d = q.cluster->topology->domain(domain);
  return d.tier == kNoTier ? d.path : absl::StrCat(TierName(q, d.tier), " ", d.path);
}

// "8 nodes", "8 nodes and 1 spare".
std::string Demand(const Question& q) {
  const std::string nodes = Nodes(q.request->units);
  return q.spares == 0 ? nodes : absl::StrCat(nodes, " and ", q.spares, q.spares == 1 ? " spare" : " spares");
}

int TierOf(const std::string& name, const Tiers& tiers) {
  const absl::optional<size_t> found = tiers.Find(name);
  return found ? static_cast<int>(*found) : kNoTier;
}

absl::optional<Never> FindTier(const Tiers& tiers, const std::string& name, const char* field) {
  if (name.empty() || name == "none" || tiers.Find(name)) return absl::nullopt;
  const std::string known = tiers.size() == 0 ? "this cluster has no tiers"
                                              : absl::StrCat("its tiers are ", absl::StrJoin(tiers.Names(), ", "));
  const std::string nearest = NearestName(name, tiers.Names());
  Never never;
  never.whatever_comes = true;
  never.reason = absl::StrCat("spec.placement.", field, ": the cluster has no tier \"", name, "\"; ", known);
  never.ways_out.push_back(nearest.empty() ? absl::StrCat("placement.", field, ": none")
                                           : absl::StrCat("placement.", field, ": ", nearest));
  return never;
}

// Traffic that goes from rail to rail where only nodes join them.
absl::optional<Never> MissingPath(const UnitTraffic& traffic, const Tiers& tiers) {
  if (tiers.fabric() != Fabric::kRailOnly) return absl::nullopt;
  for (const ItemTraffic& item : traffic.items) {
    const int64_t others = item.other_rail_hops();
    if (others == 0) continue;
    Never never;
    never.whatever_comes = true;
    never.reason =
        absl::StrCat(item.family, ": ", others, " of its ", item.hops,
                     " hops go to another rail of another node, and this fabric is rail-only: it joins rails "
                     "within nodes only");
    never.ways_out = {"axes whose neighbours sit at the same place in every node: let the inner axes fill whole nodes",
                      "--fabric any or rail-optimised, if there is such a path after all"};
    return never;
  }
  return absl::nullopt;
}

// The domain that comes nearest to holding the gang: most units, then most nodes, then tree order.
DomainIndex BestOf(const std::vector<DomainIndex>& domains, const Room& room) {
  return *std::max_element(domains.begin(), domains.end(), [&](DomainIndex a, DomainIndex b) {
    if (room.units(a) != room.units(b)) return room.units(a) < room.units(b);
    if (room.nodes(a) != room.nodes(b)) return room.nodes(a) < room.nodes(b);
    return b < a;
  });
}

const char* Are(const Question& q) { return q.needed() == 1 ? " is " : " are "; }

std::string CountText(const Question& q, const CountRule& rule) {
  const std::string each = absl::StrCat(" in each ", TierName(q, rule.tier), " used");
  if (rule.least <= 1) return absl::StrCat("at most ", Nodes(rule.most), each);
  if (rule.most >= q.request->units) return absl::StrCat("at least ", Nodes(rule.least), each);
  return absl::StrCat(rule.least, " to ", Nodes(rule.most), each);
}

// "slices of 4 nodes in one rack and at most 8 nodes in each block used".
std::string RulesText(const Question& q) {
  std::vector<std::string> texts;
  for (const SliceRule& rule : q.rules.slices) {
    texts.push_back(absl::StrCat("slices of ", Nodes(rule.units), " in one ", TierName(q, rule.tier)));
  }
  for (const CountRule& rule : q.rules.counts) texts.push_back(CountText(q, rule));
  if (q.rules.apart.tier != kNoTier) {
    texts.push_back(absl::StrCat(q.rules.apart.replicas, " replicas (", q.request->spec.placement().apart().axis(),
                                 ") of ", Nodes(q.rules.apart.units), " that share no ",
                                 TierName(q, q.rules.apart.tier)));
  }
  return absl::StrJoin(texts, " and ");
}

// "32 nodes in one block are required; the best block, b2, has 29 free and healthy"; `kind` is "free and healthy" or
// "in all".
std::string ShortSentence(const Question& q, const Room& room, const std::vector<DomainIndex>& allowed,
                          const char* kind) {
  const bool required = q.required_tier != kNoTier;
  const std::string where = required ? absl::StrCat(" in one ", TierName(q, q.required_tier)) : "";
  if (allowed.empty()) {
    return absl::StrCat(Demand(q), where, Are(q), "required; no node knows its ", TierName(q, q.required_tier));
  }
  const DomainIndex best = BestOf(allowed, room);
  const std::string best_name = required ? absl::StrCat("the best ", TierName(q, q.required_tier), ", ",
                                                        q.cluster->topology->domain(best).path, ",")
                                         : "the cluster";
  if (room.nodes(best) < q.needed() || q.rules.empty()) {
    return absl::StrCat(Demand(q), where, Are(q), required ? "required; " : "needed; ", best_name, " has ",
                        room.nodes(best), " ", kind);
  }
  const bool slices = q.rules.plain();
  const std::string needed = absl::StrCat(Demand(q), where, slices ? " in " : ", ", RulesText(q), slices ? "" : ",",
                                          Are(q), "needed; ", best_name, " has ", room.nodes(best), " ", kind);
  const int64_t held = room.units(best);
  if (slices) return absl::StrCat(needed, ", and whole slices of them hold ", held);
  if (q.rules.apart.tier != kNoTier) {
    return absl::StrCat(needed, ", and whole ", TierName(q, q.rules.apart.tier), "s of them hold ",
                        held / q.rules.apart.units, " of the replicas");
  }
  return absl::StrCat(needed, ", of which these bounds let it have ", held);
}

// Who has, or what ails, the nodes of a domain that fit but can't be had.
Shortfall ShortfallOf(const Question& q, DomainIndex index) {
  const Topology& topology = *q.cluster->topology;
  const Domain& domain = topology.domain(index);
  Shortfall shortfall;
  shortfall.domain = DomainName(q, index);
  std::map<std::string, int64_t> holders;
  std::vector<std::string> ailing;
  for (int32_t at = domain.first_node; at < domain.last_node; ++at) {
    const NodeIndex node = topology.tree_order()[at];
    if (!q.eligible[node.value()]) continue;
    const NodeState& state = q.cluster->state_of(node);
    if (!state.ok) {
      ++shortfall.unhealthy;
      ailing.push_back(absl::StrCat(topology.node(node).name, " ", state.reason));
    } else if (!state.free) {
      ++shortfall.held;
      ++holders[state.holder.empty() ? "another job" : state.holder];
    } else {
      ++shortfall.free;
    }
  }
  if (!ailing.empty()) {
    shortfall.notes.push_back(absl::StrCat(shortfall.unhealthy, " unhealthy (", FewNames(ailing), ")"));
  }
  std::vector<std::string> held;
  for (const auto& [holder, count] : holders) held.push_back(absl::StrCat(holder, " has ", count));
  if (!held.empty()) shortfall.notes.push_back(absl::StrCat(shortfall.held, " held (", FewNames(held), ")"));
  return shortfall;
}

NotNow NotNowOf(const Question& q, const Room& room, std::vector<DomainIndex> allowed) {
  NotNow not_now;
  not_now.needed = q.needed();
  not_now.reason = ShortSentence(q, room, allowed, "free and healthy");
  std::stable_sort(allowed.begin(), allowed.end(), [&](DomainIndex a, DomainIndex b) {
    return room.units(a) != room.units(b) ? room.units(a) > room.units(b) : room.nodes(a) > room.nodes(b);
  });
  for (const DomainIndex domain : allowed) {
    if (not_now.shortfalls.size() == kMaxShortfalls) break;
    not_now.shortfalls.push_back(ShortfallOf(q, domain));
  }
  return not_now;
}

// What keeps nodes of the cluster from being eligible, in words; empty if all are.
std::string WhyFewer(const Question& q, int64_t eligible) {
  const int64_t others = static_cast<int64_t>(q.eligible.size()) - eligible;
  if (others <= 0) return "";
  const v1::PlacementSpec& wanted = q.request->spec.placement();
  std::vector<std::string> missing;
  for (const std::string& name : wanted.nodes()) {
    if (!q.cluster->topology->Find(name)) missing.push_back(name);
  }
  if (!missing.empty()) {
    return absl::StrCat(" (spec.placement.nodes names ", FewNames(missing), ", which the cluster does not have)");
  }
  return absl::StrCat(" (", others, others == 1 ? " other has" : " others have", " less than ", q.request->slots,
                      " slots", wanted.node_selector().empty() ? "" : " or not the labels of nodeSelector",
                      wanted.nodes().empty() ? "" : " or not a name of placement.nodes", ")");
}

Never NeverOf(const Question& q, const Room& room, const std::vector<DomainIndex>& allowed) {
  Never never;
  const int64_t eligible = room.nodes(Topology::root());
  never.reason = ShortSentence(q, room, allowed, "in all that fit");
  if (eligible < q.needed()) absl::StrAppend(&never.reason, WhyFewer(q, eligible));
  if (eligible >= q.needed() && q.required_tier != kNoTier) {
    std::string coarser = "none";
    for (int tier = 0; tier < q.required_tier; ++tier) {
      for (const DomainIndex domain : DomainsAllowed(*q.cluster->topology, tier)) {
        if (room.Holds(domain)) coarser = TierName(q, tier);
      }
    }
    if (coarser != "none" || room.Holds(Topology::root())) {
      never.ways_out.push_back(absl::StrCat("placement.required: ", coarser));
    }
  }
  if (!q.rules.slices.empty()) never.ways_out.push_back("smaller slices, or slices of a coarser tier");
  if (!q.rules.counts.empty()) never.ways_out.push_back("other bounds: placement.perDomain");
  if (q.rules.apart.tier != kNoTier) {
    never.ways_out.push_back(q.rules.apart.tier + 1 < static_cast<int>(q.cluster->topology->tiers().size())
                                 ? absl::StrCat("placement.apart.tier: ", TierName(q, q.rules.apart.tier + 1))
                                 : "remove placement.apart");
  }
  if (q.spares > 0) never.ways_out.push_back("placement.spares: 0");
  const int64_t most = allowed.empty() ? 0 : room.units(BestOf(allowed, room));
  if (most > 0 && most < q.request->units && q.rules.plain()) {
    never.ways_out.push_back(absl::StrCat("members: at most ", most * q.request->members_per_node));
  }
  never.ways_out.push_back(absl::StrCat("add nodes with at least ", q.request->slots, " slots"));
  return never;
}

}  // namespace

absl::optional<Never> Refusal(const Request& request, const Tiers& tiers) {
  const v1::PlacementSpec& wanted = request.spec.placement();
  if (auto never = FindTier(tiers, wanted.required(), "required")) return never;
  if (auto never = FindTier(tiers, wanted.preferred(), "preferred")) return never;
  if (auto never = FindTier(tiers, wanted.apart().tier(), "apart.tier")) return never;
  for (const v1::PlacementSpec::Slice& slice : wanted.slices()) {
    if (auto never = FindTier(tiers, slice.tier(), "slices.tier")) return never;
  }
  for (const v1::PlacementSpec::PerDomain& counts : wanted.per_domain()) {
    if (auto never = FindTier(tiers, counts.tier(), "perDomain.tier")) return never;
  }
  return MissingPath(request.traffic, tiers);
}

absl::optional<Never> Ask(const Request& request, const Cluster& cluster, Question& question) {
  question.request = &request;
  question.cluster = &cluster;
  const Tiers& tiers = cluster.topology->tiers();
  if (auto never = Refusal(request, tiers)) return never;
  const v1::PlacementSpec& wanted = request.spec.placement();
  question.spares = std::max(wanted.spares(), 0);
  question.required_tier = TierOf(wanted.required(), tiers);
  question.preferred_tier = TierOf(wanted.preferred(), tiers);
  question.rules = RulesOf(request, *cluster.topology);
  question.likes = LikesOf(request, cluster);
  question.eligible = EligibleNodes(request, cluster);
  question.usable = question.eligible;
  for (int32_t i = 0; i < cluster.topology->size(); ++i) {
    if (!cluster.Available(NodeIndex(i))) question.usable[i] = false;
  }
  return absl::nullopt;
}

absl::optional<Decision> WhyNot(const Question& question) {
  const Topology& topology = *question.cluster->topology;
  const std::vector<DomainIndex> allowed = DomainsAllowed(topology, question.required_tier);
  const Room now(topology, question.usable, question.rules, question.request->units, question.spares);
  if (std::any_of(allowed.begin(), allowed.end(), [&](DomainIndex domain) { return now.Holds(domain); })) {
    return absl::nullopt;
  }
  const Room ever(topology, question.eligible, question.rules, question.request->units, question.spares);
  if (std::none_of(allowed.begin(), allowed.end(), [&](DomainIndex domain) { return ever.MayHold(domain); })) {
    return NeverOf(question, ever, allowed);
  }
  return NotNowOf(question, now, allowed);
}

void LeaveOutAvoided(Question& question) {
  if (question.likes.avoided.empty()) return;
  const Topology& topology = *question.cluster->topology;
  std::vector<bool> others = question.usable;
  for (size_t i = 0; i < others.size(); ++i) others[i] = others[i] && !question.likes.avoided[i];
  const Room room(topology, others, question.rules, question.request->units, question.spares);
  const std::vector<DomainIndex> allowed = DomainsAllowed(topology, question.required_tier);
  if (std::any_of(allowed.begin(), allowed.end(), [&](DomainIndex domain) { return room.Holds(domain); })) {
    question.usable = std::move(others);
    question.likes.avoided.clear();
  }
}

}  // namespace muster::placement
