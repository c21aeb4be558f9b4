#include "lib/selftest/localise.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "lib/base/errors.h"

namespace muster::selftest {
namespace {

// Lines of evidence with one accusation; the receipt has every group.
constexpr size_t kEvidenceLines = 8;

using Nodes = std::set<NodeUid>;

// A failing group or a corrupt edge: the nodes that may be the cause, and the line that says so.
struct Failure {
  Nodes nodes;
  std::string line;
};

class Localiser {
 public:
  Localiser(const Setting& setting, const Judged& judged) : setting_(setting), judged_(judged) {}

  Localised Run() {
    Sort();
    Localised out;
    if (slow_.empty() && corrupt_.empty()) {
      if (!other_.empty())
        out.accusations.push_back(Nobody("errors, absences and what was slow only once accuse nobody", other_));
      return out;
    }
    Accuse(SharedNode(corrupt_), "wrong data", corrupt_, out);
    // A single slow group may be slow by chance twice; wrong data is never chance.
    if (slow_.size() >= 2) Accuse(SharedNode(slow_), "too slow, confirmed", slow_, out);
    if (!out.accused.empty()) return out;
    std::vector<Failure> all = corrupt_;
    all.insert(all.end(), slow_.begin(), slow_.end());
    out.accusations.push_back(Nobody(WhyNobody(all), all));
    return out;
  }

 private:
  NodeUid UidOf(int32_t node_rank) const {
    const auto& placement = setting_.placement;
    if (placement == nullptr || node_rank < 0 || node_rank >= placement->ranks_size()) return NodeUid{};
    return NodeUid{placement->ranks(node_rank).node_uid()};
  }

  std::string NameOf(const NodeUid& uid) const {
    if (setting_.placement != nullptr) {
      for (const v1::PlacedNode& node : setting_.placement->ranks()) {
        if (node.node_uid() == uid.value()) return node.node();
      }
    }
    return uid.value();
  }

  std::string NamesOf(const Nodes& nodes) const {
    std::vector<std::string> names;
    for (const NodeUid& uid : nodes) names.push_back(NameOf(uid));
    return FewNames(names);
  }

  void Sort() {
    for (const auto& [key, group] : judged_) {
      const v1::GroupResult& r = group.result;
      if (r.verdict() == v1::PASS || r.verdict() == v1::WARN || r.verdict() == v1::SKIPPED) continue;
      Nodes nodes;
      for (int32_t rank : r.node_ranks()) nodes.insert(UidOf(rank));
      const std::string line = absl::StrCat(r.family(), " group ", r.group_index(), " ",
                                            v1::Collective_Name(r.collective()), " (", NamesOf(nodes), "): ", r.why());
      if (group.wrong_data) {
        AddCorrupt(group, nodes, line);
      } else if (group.slow) {
        slow_.push_back({nodes, line});
      } else {
        other_.push_back({nodes, line});
      }
    }
  }

  // Where the sender is known the edge counts, else the group as a whole.
  void AddCorrupt(const JudgedGroup& group, const Nodes& nodes, const std::string& line) {
    if (group.corrupt.empty()) return corrupt_.push_back({nodes, line});
    for (const CorruptEdge& edge : group.corrupt) {
      const NodeUid sender = UidOf(edge.sender), receiver = UidOf(edge.receiver);
      corrupt_.push_back(
          {{sender, receiver}, absl::StrCat(line, "; sent by ", NameOf(sender), ", received by ", NameOf(receiver))});
    }
  }

  // The one node that `failures` share. Chance adds strays, so of five and more it may be in all but a fifth.
  static absl::optional<NodeUid> SharedNode(const std::vector<Failure>& failures) {
    std::map<NodeUid, size_t> counts;
    for (const Failure& failure : failures) {
      for (const NodeUid& node : failure.nodes) ++counts[node];
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == counts.end() || most->first.value().empty()) return absl::nullopt;
    const size_t all = failures.size(), with = most->second;
    if (with < all && (with < 5 || with * 5 < all * 4)) return absl::nullopt;
    // A partner in nearly all of those failures is as likely the cause: one partner's word accuses nobody. Where none
    // is, failures that span nodes have two different partners; a failure of one node alone needs none.
    const auto rival = [&](const auto& c) { return c.first != most->first && c.second * 5 > with * 4; };
    if (std::any_of(counts.begin(), counts.end(), rival)) return absl::nullopt;
    return most->first;
  }

  void Accuse(const absl::optional<NodeUid>& node, const char* what, const std::vector<Failure>& failures,
              Localised& out) const {
    if (!node || !out.accused.insert(*node).second) return;
    Nodes partners;
    size_t with = 0;
    for (const Failure& failure : failures) {
      if (failure.nodes.count(*node) == 0) continue;
      ++with;
      partners.insert(failure.nodes.begin(), failure.nodes.end());
    }
    partners.erase(*node);
    v1::Accusation accusation;
    accusation.set_kind(v1::Accusation::NODE);
    accusation.set_node(NameOf(*node));
    accusation.set_confidence(partners.size() >= 2 && Everywhere(*node) ? v1::Accusation::HIGH
                                                                        : v1::Accusation::MEDIUM);
    accusation.add_evidence(absl::StrCat(
        what, ": ", NameOf(*node), " is the one node in ", with, " of ", failures.size(), " failures",
        partners.empty() ? std::string(", which it has with itself") : absl::StrCat(", with ", NamesOf(partners))));
    AddLines(failures, accusation);
    out.accusations.push_back(std::move(accusation));
  }

  // Whether every group of the failing kinds that crosses out of `node` fails: the node as a whole, not a part of it.
  bool Everywhere(const NodeUid& node) const {
    std::set<SiblingKey> failing;
    for (const auto& [key, group] : judged_) {
      if (group.slow || group.wrong_data) failing.insert(key.first);
    }
    for (const auto& [key, group] : judged_) {
      if (failing.count(key.first) == 0 || group.result.verdict() != v1::PASS) continue;
      for (int32_t rank : group.result.node_ranks()) {
        if (UidOf(rank) == node) return false;
      }
    }
    return true;
  }

  std::string WhyNobody(const std::vector<Failure>& failures) const {
    Nodes shared = failures.front().nodes;
    for (const Failure& failure : failures) {
      for (auto it = shared.begin(); it != shared.end();) {
        it = failure.nodes.count(*it) > 0 ? std::next(it) : shared.erase(it);
      }
    }
    if (failures.size() == 1) return "one slow group names nobody";
    if (shared.size() > 1) {
      return absl::StrCat(NamesOf(shared), " are in every failing group; one partner's word accuses nobody");
    }
    return absl::StrCat("no single node is in all ", failures.size(), " failures");
  }

  static v1::Accusation Nobody(const std::string& why, const std::vector<Failure>& failures) {
    v1::Accusation accusation;
    accusation.set_confidence(v1::Accusation::LOW);
    accusation.add_evidence(why);
    AddLines(failures, accusation);
    return accusation;
  }

  static void AddLines(const std::vector<Failure>& failures, v1::Accusation& accusation) {
    for (size_t i = 0; i < failures.size() && i < kEvidenceLines; ++i) accusation.add_evidence(failures[i].line);
    if (failures.size() > kEvidenceLines) {
      accusation.add_evidence(absl::StrCat("and ", failures.size() - kEvidenceLines, " more"));
    }
  }

  const Setting& setting_;
  const Judged& judged_;
  std::vector<Failure> slow_, corrupt_, other_;
};

}  // namespace

Localised Localise(const Setting& setting, const Judged& judged) { return Localiser(setting, judged).Run(); }

}  // namespace muster::selftest
