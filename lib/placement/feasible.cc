#include "lib/placement/feasible.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/placement/eligible.h"
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

absl::optional<Never> FindTier(const Question& q, const std::string& name, const char* field, int& tier) {
  if (name.empty() || name == "none") return absl::nullopt;
  const Tiers& tiers = q.cluster->topology->tiers();
  if (const absl::optional<size_t> found = tiers.Find(name)) {
    tier = static_cast<int>(*found);
    return absl::nullopt;
  }
  const std::string known = tiers.size() == 0 ? "this cluster has no tiers"
                                              : absl::StrCat("its tiers are ", absl::StrJoin(tiers.Names(), ", "));
  const std::string nearest = NearestName(name, tiers.Names());
  Never never;
  never.reason = absl::StrCat("spec.placement.", field, ": the cluster has no tier \"", name, "\"; ", known);
  never.ways_out.push_back(nearest.empty() ? absl::StrCat("placement.", field, ": none")
                                           : absl::StrCat("placement.", field, ": ", nearest));
  return never;
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

std::string SliceText(const Question& q) {
  std::vector<std::string> texts;
  for (const SliceRule& rule : q.rules) {
    texts.push_back(absl::StrCat("slices of ", Nodes(rule.units), " in one ", TierName(q, rule.tier)));
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
  return absl::StrCat(Demand(q), where, " in ", SliceText(q), Are(q), "needed; ", best_name, " has ", room.nodes(best),
                      " ", kind, ", and whole slices of them hold ", room.units(best));
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
        if (room.Holds(domain, q.request->units, q.spares)) coarser = TierName(q, tier);
      }
    }
    if (coarser != "none" || room.Holds(Topology::root(), q.request->units, q.spares)) {
      never.ways_out.push_back(absl::StrCat("placement.required: ", coarser));
    }
  }
  if (!q.rules.empty()) never.ways_out.push_back("smaller slices, or slices of a coarser tier");
  if (q.spares > 0) never.ways_out.push_back("placement.spares: 0");
  const int64_t most = allowed.empty() ? 0 : room.units(BestOf(allowed, room));
  if (most > 0 && most < q.request->units) {
    never.ways_out.push_back(absl::StrCat("members: at most ", most * q.request->members_per_node));
  }
  never.ways_out.push_back(absl::StrCat("add nodes with at least ", q.request->slots, " slots"));
  return never;
}

}  // namespace

absl::optional<Never> Ask(const Request& request, const Cluster& cluster, Question& question) {
  question.request = &request;
  question.cluster = &cluster;
  const v1::PlacementSpec& wanted = request.spec.placement();
  question.spares = std::max(wanted.spares(), 0);
  if (auto never = FindTier(question, wanted.required(), "required", question.required_tier)) return never;
  if (auto never = FindTier(question, wanted.preferred(), "preferred", question.preferred_tier)) return never;
  for (const v1::PlacementSpec::Slice& slice : wanted.slices()) {
    int tier = kNoTier;
    if (auto never = FindTier(question, slice.tier(), "slices.tier", tier)) return never;
  }
  question.rules = SliceRulesOf(request, *cluster.topology);
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
  const auto fits = [&](const Room& room) {
    return std::any_of(allowed.begin(), allowed.end(), [&](DomainIndex domain) {
      return room.Holds(domain, question.request->units, question.spares);
    });
  };
  const Room now(topology, question.usable, question.rules);
  if (fits(now)) return absl::nullopt;
  const Room ever(topology, question.eligible, question.rules);
  if (!fits(ever)) return NeverOf(question, ever, allowed);
  return NotNowOf(question, now, allowed);
}

}  // namespace muster::placement
