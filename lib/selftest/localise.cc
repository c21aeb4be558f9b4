#include "lib/selftest/localise.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/selftest/accuse.h"
#include "lib/selftest/node_groups.h"

namespace muster::selftest {
namespace {

class Localiser {
 public:
  explicit Localiser(const Findings& findings) : f_(findings), parties_(findings.parties) {}

  Localised Run() {
    AccuseCorrupting();  // first: that data is wrong says more than that a pair is bad
    for (const auto& culprit : f_.diagnosis.culprits) {
      if (out_.accused.count(parties_[culprit.node].uid) > 0) continue;
      const auto inside = f_.inside.find(culprit.node);
      Add(AccuseEnd(f_, culprit, inside == f_.inside.end() ? nullptr : &inside->second), {culprit.node});
    }
    for (const auto& [node, finding] : f_.inside) {
      // A group slow in two rounds may be chance; that an accelerator is bad with all others is not.
      if (finding.rails.empty() || out_.accused.count(parties_[node].uid) > 0) continue;
      Add(AccuseInside(f_, node, finding), {node});
    }
    for (const auto& domain : f_.diagnosis.domains) {
      // Leaving it helps only where the rest is the larger part, and only if it is known which side is at fault.
      const bool leave = domain.other < 0 && static_cast<int>(domain.nodes.size()) * 2 < parties_.size();
      Add(AccuseDomain(f_, domain, leave), leave ? domain.nodes : std::set<int>());
    }
    for (const auto& link : f_.diagnosis.links) Add(AccuseLink(f_, link), {link.b});
    for (int rail : f_.diagnosis.rails) Add(AccuseRail(f_, rail), {});
    if (out_.accusations.empty()) ExplainNobody();
    return std::move(out_);
  }

 private:
  void Add(v1::Accusation accusation, const std::set<int>& nodes) {
    for (int node : nodes) out_.accused.insert(parties_[node].uid);
    out_.accusations.push_back(std::move(accusation));
  }

  // Wrong data is never chance, so two different partners are enough.
  void AccuseCorrupting() {
    std::map<int, std::set<int>> receivers, senders;
    std::map<int, std::vector<std::string>> lines;
    std::set<int> inside;
    for (const auto& [key, group] : f_.merged) {
      for (const CorruptEdge& edge : group.corrupt) {
        const int from = parties_.OfNodeRank(edge.sender), to = parties_.OfNodeRank(edge.receiver);
        if (from < 0 || to < 0) continue;
        const std::string line =
            absl::StrCat(GroupLine(f_, group), "; sent by ", parties_[from].name, ", received by ", parties_[to].name);
        lines[from].push_back(line);
        if (from == to) {
          inside.insert(from);
          continue;
        }
        lines[to].push_back(line);
        receivers[from].insert(to);
        senders[to].insert(from);
      }
    }
    std::set<int> culprits = inside;
    for (const auto& [node, others] : receivers) {
      if (others.size() >= 2) culprits.insert(node);
    }
    for (const auto& [node, others] : senders) {
      // Who gets wrong data from culprits only is their victim.
      const auto guilty = [&](int sender) { return culprits.count(sender) > 0; };
      if (others.size() >= 2 && !std::all_of(others.begin(), others.end(), guilty)) culprits.insert(node);
    }
    for (int node : culprits) {
      Add(AccuseCorruption(f_, node, receivers[node], senders[node], lines[node]), {node});
    }
  }

  void ExplainNobody() {
    std::vector<const JudgedGroup*> slow, other;
    for (const auto& [key, group] : f_.merged) {
      const v1::TestVerdict verdict = group.result.verdict();
      if (verdict != v1::FAIL && verdict != v1::INCONCLUSIVE) continue;
      (group.slow || group.wrong_data ? slow : other).push_back(&group);
    }
    if (slow.empty() && other.empty()) return;
    out_.accusations.push_back(slow.empty() ? NobodyForErrors(f_, other) : NobodyForSlow(f_, slow));
  }

  const Findings& f_;
  const Parties& parties_;
  Localised out_;
};

}  // namespace

Localised Localise(const Findings& findings) { return Localiser(findings).Run(); }

}  // namespace muster::selftest
