#include "lib/selftest/accuse.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/selftest/node_groups.h"

namespace muster::selftest {
namespace {

// Lines of evidence with one accusation; the receipt has every group and probe.
constexpr size_t kEvidenceLines = 8;

std::string NamesOf(const Parties& parties, const std::set<int>& nodes) {
  std::vector<std::string> names;
  for (int node : nodes) names.push_back(parties[node].name);
  return FewNames(names);
}

// "rail 3", "rails 0, 3"
std::string RailsText(const std::set<int>& rails) {
  return absl::StrCat(rails.size() == 1 ? "rail " : "rails ", absl::StrJoin(rails, ", "));
}

void AddLines(const std::vector<std::string>& lines, v1::Accusation& accusation) {
  for (size_t i = 0; i < lines.size() && i < kEvidenceLines; ++i) accusation.add_evidence(lines[i]);
  if (lines.size() > kEvidenceLines)
    accusation.add_evidence(absl::StrCat("and ", lines.size() - kEvidenceLines, " more"));
}

// One a test: its slowest rail among those wanted.
std::vector<std::string> PairLines(const Findings& f, const std::function<bool(const PairEvidence&)>& wanted) {
  std::map<std::tuple<int, int, int, int>, const PairEvidence*> tests;
  for (const PairEvidence& e : f.pairs) {
    if (!wanted(e)) continue;
    const PairEvidence*& slowest = tests[{e.round, e.step, e.a, e.b}];
    if (slowest == nullptr || e.gbps < slowest->gbps) slowest = &e;
  }
  std::vector<std::string> lines;
  for (const auto& [test, slowest] : tests) lines.push_back(LineOf(f.parties, *slowest));
  return lines;
}

// "46.8–47.9 GB/s" over what is measured; empty for nothing.
std::string RangeOf(const Findings& f, const std::function<bool(const PairEvidence&)>& wanted) {
  double least = 0, most = 0;
  for (const PairEvidence& e : f.pairs) {
    if (e.gbps <= 0 || !wanted(e)) continue;
    least = least == 0 ? e.gbps : std::min(least, e.gbps);
    most = std::max(most, e.gbps);
  }
  return most == 0 ? "" : absl::StrFormat("%.3g–%.3g GB/s", least, most);
}

bool Touches(const PairEvidence& e, int node) { return e.a == node || e.b == node; }

int RailsOfNode(const Findings& f, int node) { return static_cast<int>(f.parties[node].workers.size()); }

// What the rest of the node's rails, and what tests of one rail at a time, say.
void AddRailLines(const Findings& f, const Diagnosis::Culprit& c, v1::Accusation& accusation) {
  const int node = c.node;
  if (const std::string good =
          RangeOf(f, [&](const PairEvidence& e) { return Touches(e, node) && !e.alone && c.rails.count(e.rail) == 0; });
      !good.empty()) {
    accusation.add_evidence(absl::StrCat("its other rails: ", good));
  }
  const auto alone = [&](const PairEvidence& e) { return Touches(e, node) && e.alone; };
  const auto bad = [&](const PairEvidence& e) { return alone(e) && e.seen == Seen::kBad; };
  if (std::none_of(f.pairs.begin(), f.pairs.end(), alone)) return;
  if (std::none_of(f.pairs.begin(), f.pairs.end(), bad)) {
    accusation.add_evidence(absl::StrCat("one rail at a time all are good (", RangeOf(f, alone),
                                         "): slow is what they share when all run at once"));
  } else {
    AddLines(PairLines(f, bad), accusation);
  }
}

v1::Accusation New(v1::Accusation::Kind kind, v1::Accusation::Confidence confidence, const std::string& hint) {
  v1::Accusation accusation;
  accusation.set_kind(kind);
  accusation.set_confidence(confidence);
  accusation.set_hint(hint);
  return accusation;
}

}  // namespace

std::string GroupLine(const Findings& f, const JudgedGroup& group) {
  const v1::GroupResult& r = group.result;
  const std::vector<int> nodes = f.parties.OfNodeRanks(r.node_ranks());
  return absl::StrCat(r.family(), " group ", r.group_index(), " ", v1::Collective_Name(r.collective()), " (",
                      NamesOf(f.parties, std::set<int>(nodes.begin(), nodes.end())), "): ", r.why());
}

v1::Accusation AccuseEnd(const Findings& f, const Diagnosis::Culprit& c, const InsideFinding* inside) {
  const std::string& name = f.parties[c.node].name;
  const bool whole = static_cast<int>(c.rails.size()) >= RailsOfNode(f, c.node);
  const bool accelerator = !whole && inside != nullptr && inside->rails == c.rails;
  v1::Accusation a = New(v1::Accusation::NODE, c.partners.size() >= 3 ? v1::Accusation::HIGH : v1::Accusation::MEDIUM,
                         "look at its links, PCIe width and CPU load; then test it beside a good node");
  a.set_node(name);
  if (accelerator) {
    a.set_kind(v1::Accusation::ACCELERATOR);
    a.set_part(absl::StrJoin(c.rails, ", "));
    a.set_hint("slow inside the node and across it: look at the accelerator's clocks, PCIe width and Xid errors");
  } else if (!whole) {
    a.set_kind(v1::Accusation::NIC);
    a.set_part(RailsText(c.rails));
    a.set_hint("look at that NIC: cable, port errors, link speed, PCIe width, firmware");
  }
  const auto bad = [&](const PairEvidence& e) {
    const int partner = e.a == c.node ? e.b : e.a;
    return Touches(e, c.node) && !e.alone && e.seen == Seen::kBad && c.rails.count(e.rail) > 0 &&
           c.partners.count(partner) > 0;
  };
  const std::string range = RangeOf(f, bad);
  a.add_evidence(absl::StrCat(name, whole ? "" : absl::StrCat(" on ", RailsText(c.rails)), " is bad with ",
                              NamesOf(f.parties, c.partners), range.empty() ? "" : absl::StrCat(" (", range, ")"),
                              ", which are good with others"));
  AddLines(PairLines(f, bad), a);
  AddRailLines(f, c, a);
  if (accelerator) AddLines(inside->lines, a);
  return a;
}

v1::Accusation AccuseInside(const Findings& f, int node, const InsideFinding& finding) {
  const bool part = static_cast<int>(finding.rails.size()) < RailsOfNode(f, node);
  v1::Accusation a = New(part ? v1::Accusation::ACCELERATOR : v1::Accusation::NODE, v1::Accusation::HIGH,
                         part ? "look at the accelerator's clocks, link errors and Xid errors"
                              : "look at the links between its accelerators, clocks, temperature and other load");
  a.set_node(f.parties[node].name);
  if (part) a.set_part(absl::StrJoin(finding.rails, ", "));
  a.add_evidence(absl::StrCat("groups inside ", f.parties[node].name,
                              " are slow, confirmed alone; of its accelerators ",
                              part ? absl::StrCat(absl::StrJoin(finding.rails, ", "), " are bad with all others")
                                   : std::string("all are bad with each other"),
                              " (", finding.pairs, " pairs)"));
  AddLines(finding.lines, a);
  std::vector<std::string> lines;
  for (const auto& [key, group] : f.merged) {
    const std::vector<int> nodes = f.parties.OfNodeRanks(group.result.node_ranks());
    if (group.slow && nodes == std::vector<int>{node}) lines.push_back(GroupLine(f, group));
  }
  AddLines(lines, a);
  return a;
}

v1::Accusation AccuseCorruption(const Findings& f, int node, const std::set<int>& receivers,
                                const std::set<int>& senders, const std::vector<std::string>& lines) {
  const std::string& name = f.parties[node].name;
  v1::Accusation a =
      New(v1::Accusation::NODE,
          std::max(receivers.size(), senders.size()) >= 3 ? v1::Accusation::HIGH : v1::Accusation::MEDIUM,
          "don't train on it: look at memory (ECC), PCIe and NIC errors, and at the library's version");
  a.set_node(name);
  const bool sends = receivers.size() >= 2;
  a.add_evidence(absl::StrCat(
      "wrong data: ", receivers.size() < 2 && senders.size() < 2 ? absl::StrCat("inside ", name)
                      : sends
                          ? absl::StrCat("what ", name, " sends is wrong at ", NamesOf(f.parties, receivers))
                          : absl::StrCat("what ", name, " receives from ", NamesOf(f.parties, senders), " is wrong")));
  AddLines(lines, a);
  return a;
}

v1::Accusation AccuseLink(const Findings& f, const Diagnosis::Link& link) {
  const std::string &from = f.parties[link.a].name, &to = f.parties[link.b].name;
  v1::Accusation a = New(v1::Accusation::LINK, v1::Accusation::HIGH,
                         "look at the route between the two: switch ports, ECMP hashing, firewalls, routing tables");
  a.set_node(from);
  a.set_part(to);
  a.add_evidence(absl::StrCat(from, " and ", to, " are good with others and bad with each other in ", link.tests,
                              " tests; the job goes on without ", to));
  AddLines(PairLines(f,
                     [&](const PairEvidence& e) {
                       return e.a == link.a && e.b == link.b && e.seen == Seen::kBad && link.rails.count(e.rail) > 0;
                     }),
           a);
  return a;
}

v1::Accusation AccuseRail(const Findings& f, int rail) {
  v1::Accusation a = New(v1::Accusation::RAIL, v1::Accusation::HIGH,
                         "look at that rail's switches; no choice of nodes on this fabric avoids them");
  a.set_part(absl::StrCat("rail ", rail));
  const auto here = [&](const PairEvidence& e) { return !e.alone && e.rail == rail && e.seen == Seen::kBad; };
  const auto elsewhere = [&](const PairEvidence& e) { return !e.alone && e.rail != rail && e.seen == Seen::kGood; };
  a.add_evidence(absl::StrCat("rail ", rail, " is bad between nearly all pairs: ", RangeOf(f, here),
                              "; the other rails: ", RangeOf(f, elsewhere)));
  AddLines(PairLines(f, here), a);
  return a;
}

v1::Accusation AccuseDomain(const Findings& f, const Diagnosis::Domain& domain, bool leave) {
  const std::string name = f.parties.DomainName(domain.tier, domain.id);
  v1::Accusation a = New(v1::Accusation::SWITCH_DOMAIN, v1::Accusation::HIGH,
                         "look at the uplinks of its switches; jobs that stay inside it are not touched");
  a.set_part(domain.other < 0 ? name : absl::StrCat(name, " ↔ ", f.parties.DomainName(domain.tier, domain.other)));
  a.add_evidence(absl::StrCat("nodes of ", name, " are good with each other (", domain.inside,
                              domain.inside == 1 ? " test" : " tests", ") and bad across its border (", domain.crossing,
                              ")", leave ? "; the job goes on without them" : ""));
  AddLines(PairLines(f,
                     [&](const PairEvidence& e) {
                       return e.seen == Seen::kBad && domain.nodes.count(e.a) != domain.nodes.count(e.b);
                     }),
           a);
  return a;
}

v1::Accusation NobodyForSlow(const Findings& f, const std::vector<const JudgedGroup*>& slow) {
  // The placement: what is slow crosses more of the topology than any sibling that is not.
  std::map<std::string, int> widest_good;
  for (const auto& [key, group] : f.merged) {
    if (group.result.verdict() != v1::PASS) continue;
    int& widest = widest_good[key.first.family];
    widest = std::max(widest, group.span);
  }
  const bool wider = std::all_of(slow.begin(), slow.end(), [&](const JudgedGroup* group) {
    const auto good = widest_good.find(group->result.family());
    return !group->wrong_data && good != widest_good.end() && good->second < group->span;
  });
  std::vector<std::string> lines;
  for (const JudgedGroup* group : slow) lines.push_back(GroupLine(f, *group));
  const bool pairs = std::any_of(f.pairs.begin(), f.pairs.end(), [](const auto& e) { return e.seen == Seen::kGood; });
  v1::Accusation a = New(v1::Accusation::INFRASTRUCTURE, v1::Accusation::LOW,
                         "look at the switches' counters and other traffic; then run the test again");
  if (wider) {
    a = New(v1::Accusation::PLACEMENT, v1::Accusation::MEDIUM,
            "ask for a closer placement (placement.required), or lower selfTest.minSiblingRatio if this is expected");
    a.add_evidence("every slow group crosses more of the topology than any good one of its family");
  } else if (f.diagnosis.Open()) {
    a.add_evidence(
        absl::StrCat(NamesOf(f.parties, f.diagnosis.suspects),
                     " can't be cleared or confirmed: too few nodes are good with others; one partner's word "
                     "accuses nobody"));
  } else if (pairs) {
    a.add_evidence("slow together, but all nodes are good in pairs: what they share, or something that has passed");
  } else {
    a.add_evidence("there are no pairs of nodes to tell them apart");
  }
  AddLines(lines, a);
  return a;
}

v1::Accusation NobodyForErrors(const Findings& f, const std::vector<const JudgedGroup*>& failed) {
  v1::Accusation a = New(v1::Accusation::KIND_UNSPECIFIED, v1::Accusation::LOW, "");
  a.add_evidence("errors, absences and what was slow only once accuse nobody");
  std::vector<std::string> lines;
  for (const JudgedGroup* group : failed) {
    lines.push_back(GroupLine(f, *group));
    if (a.hint().empty()) a.set_hint(group->result.hint());
  }
  AddLines(lines, a);
  return a;
}

}  // namespace muster::selftest
