#include "lib/selftest/diagnose.h"

#include <algorithm>
#include <map>
#include <utility>

namespace muster::selftest {
namespace {

// Independent partners and tests that an accusation needs.
constexpr int kPartners = 3;
constexpr int kTests = 3;
constexpr int kFewestPartners = 2;
// Of one pair on one rail: there are many more of those to be hit by chance than nodes.
constexpr int kLinkTests = 4;
// Share of bad tests from which a whole rail or border counts as bad, and up to which the rest counts as good.
constexpr double kNearlyAll = 0.75;
constexpr double kNearlyNone = 0.25;
// Few pairs are inside a domain: one or two of them may be bad by chance.
constexpr double kMostlyGood = 0.5;

struct Share {
  int bad = 0, all = 0;
  void Add(Seen seen) {
    if (seen == Seen::kUnknown) return;
    ++all;
    bad += seen == Seen::kBad;
  }
  double value() const { return all == 0 ? 0 : static_cast<double>(bad) / all; }
};

class Diagnoser {
 public:
  Diagnoser(const Fabric& fabric, const std::vector<PairResult>& results) : fabric_(fabric) {
    for (const PairResult& r : results) {
      const bool inside = r.a >= 0 && r.b >= 0 && r.a < fabric.nodes && r.b < fabric.nodes && r.a != r.b;
      if (inside && fabric.rails > 0) results_.push_back(&r);
    }
  }

  Diagnosis Run() {
    FindRails();
    FindDomains();
    Clear();
    Accuse();
    FindLinks();
    return std::move(out_);
  }

 private:
  Seen At(const PairResult& r, int rail) const {
    const auto i = static_cast<size_t>(rail);
    return i < r.rails.size() && out_.rails.count(rail) == 0 ? r.rails[i] : Seen::kUnknown;
  }

  // Over the rails that are not at fault themselves: bad if half of them are.
  Seen Whole(const PairResult& r) const {
    Share share;
    for (int i = 0; i < fabric_.rails; ++i) share.Add(At(r, i));
    if (share.all == 0) return Seen::kUnknown;
    return share.bad * 2 >= share.all ? Seen::kBad : Seen::kGood;
  }

  void FindRails() {
    if (fabric_.rails < 2) return;
    std::vector<Share> shares(static_cast<size_t>(fabric_.rails));
    std::set<int> nodes;
    for (const PairResult* r : results_) {
      for (int i = 0; i < fabric_.rails; ++i) shares[static_cast<size_t>(i)].Add(At(*r, i));
      nodes.insert(r->a);
      nodes.insert(r->b);
    }
    if (nodes.size() < 4) return;  // two pairs that share no node
    std::set<int> bad;
    bool rest_good = true;
    for (int i = 0; i < fabric_.rails; ++i) {
      const Share& share = shares[static_cast<size_t>(i)];
      if (share.all >= 2 && share.value() >= kNearlyAll) {
        bad.insert(i);
      } else {
        rest_good &= share.value() <= kNearlyNone;
      }
    }
    if (rest_good && static_cast<int>(bad.size()) * 2 <= fabric_.rails) out_.rails = std::move(bad);
  }

  struct Border {
    Share crossing, inside, outside;
    std::set<int> ends_in, ends_out;  // of bad tests across
    std::set<int> good_in, good_out;  // nodes with a good test on their own side
  };

  // Bad tests across a border count only with an outer end that is good elsewhere, so that a bad node is no domain.
  void FindDomains() {
    for (size_t tier = fabric_.domains.size(); tier-- > 0;) {
      std::set<int> ids;
      for (int id : fabric_.domains[tier]) {
        if (id >= 0) ids.insert(id);
      }
      if (ids.size() < 2) continue;
      std::vector<Diagnosis::Domain> found;
      for (int id : ids) {
        const Border border = BorderOf(tier, id);
        if (!BadBorder(border)) continue;
        Diagnosis::Domain domain{
            static_cast<int>(tier), id, -1, {}, border.crossing.bad, border.inside.all - border.inside.bad};
        for (int n = 0; n < fabric_.nodes; ++n) {
          if (DomainOf(tier, n) == id) domain.nodes.insert(n);
        }
        if (ids.size() == 2) domain.other = *ids.begin() == id ? *ids.rbegin() : *ids.begin();
        found.push_back(std::move(domain));
      }
      // Of two sides of one border the first stands for both.
      if (ids.size() == 2 && found.size() == 2) found.pop_back();
      for (Diagnosis::Domain& domain : found) out_.domains.push_back(std::move(domain));
      if (!out_.domains.empty()) return;  // the finest tier that explains it
    }
  }

  int DomainOf(size_t tier, int node) const {
    const auto& ids = fabric_.domains[tier];
    return static_cast<size_t>(node) < ids.size() ? ids[static_cast<size_t>(node)] : -1;
  }

  Border BorderOf(size_t tier, int id) const {
    Border border;
    for (const PairResult* r : results_) {
      const Seen seen = Whole(*r);
      const bool a = DomainOf(tier, r->a) == id, b = DomainOf(tier, r->b) == id;
      if (a != b) {
        border.crossing.Add(seen);
        if (seen != Seen::kBad) continue;
        border.ends_in.insert(a ? r->a : r->b);
        border.ends_out.insert(a ? r->b : r->a);
        continue;
      }
      (a ? border.inside : border.outside).Add(seen);
      if (seen == Seen::kGood) (a ? border.good_in : border.good_out).insert({r->a, r->b});
    }
    return border;
  }

  static bool BadBorder(const Border& border) {
    const auto cleared = [](const std::set<int>& ends, const std::set<int>& good) {
      return std::count_if(ends.begin(), ends.end(), [&](int n) { return good.count(n) > 0; });
    };
    return border.crossing.bad >= kTests && border.crossing.value() >= kNearlyAll && border.inside.all > 0 &&
           border.inside.value() <= kMostlyGood && border.outside.value() <= kNearlyNone &&
           cleared(border.ends_in, border.good_in) >= 2 && cleared(border.ends_out, border.good_out) >= 2;
  }

  // What a bad border explains says nothing of the two nodes.
  bool Explained(const PairResult& r) const {
    return std::any_of(out_.domains.begin(), out_.domains.end(),
                       [&](const Diagnosis::Domain& d) { return d.nodes.count(r.a) != d.nodes.count(r.b); });
  }

  using End = std::pair<int, int>;  // node, rail

  void Clear() {
    for (const PairResult* r : results_) {
      for (int i = 0; i < fabric_.rails; ++i) {
        if (At(*r, i) == Seen::kGood) cleared_.insert({{r->a, i}, {r->b, i}});
        if (At(*r, i) == Seen::kBad && !Explained(*r)) {
          for (const auto& [end, partner] : {std::pair(r->a, r->b), std::pair(r->b, r->a)}) {
            Bad& bad = bad_[{end, i}];
            bad.partners.push_back(partner);
            bad.rounds.insert(r->round);
          }
        }
      }
    }
    for (const End& end : cleared_) out_.good.insert(end.first);
    for (const auto& [end, bad] : bad_) {
      if (cleared_.count(end) == 0) out_.good.erase(end.first);
    }
  }

  void Accuse() {
    std::map<int, Diagnosis::Culprit> culprits;
    for (const auto& [end, bad] : bad_) {
      if (cleared_.count(end) > 0) continue;
      const auto& [node, rail] = end;
      std::set<int> witnesses;
      int tests = 0;
      for (int partner : bad.partners) {
        if (cleared_.count({partner, rail}) == 0) continue;
        witnesses.insert(partner);
        ++tests;
      }
      const int there_are = static_cast<int>(out_.good.size());
      const int needed = std::max(kFewestPartners, std::min(kPartners, there_are));
      if (static_cast<int>(witnesses.size()) < needed || tests < kTests || bad.rounds.size() < 2) {
        out_.suspects.insert(node);
        continue;
      }
      Diagnosis::Culprit& culprit = culprits[node];
      culprit.node = node;
      culprit.rails.insert(rail);
      culprit.partners.insert(witnesses.begin(), witnesses.end());
      culprit.tests = std::max(culprit.tests, tests);
    }
    for (auto& [node, culprit] : culprits) out_.culprits.push_back(std::move(culprit));
  }

  // Rail by rail: with many rails some is hit by chance in every test of a pair, but not the same one three times.
  void FindLinks() {
    std::map<PairTest, std::map<int, Share>> pairs;
    std::map<End, std::set<int>> friends;  // good together
    for (const PairResult* r : results_) {
      for (int i = 0; i < fabric_.rails; ++i) {
        if (At(*r, i) == Seen::kGood) {
          friends[{r->a, i}].insert(r->b);
          friends[{r->b, i}].insert(r->a);
        }
        if (At(*r, i) == Seen::kBad && Explained(*r)) continue;
        pairs[{std::min(r->a, r->b), std::max(r->a, r->b)}][i].Add(At(*r, i));
      }
    }
    for (const auto& [pair, rails] : pairs) {
      if (out_.good.count(pair.a) == 0 || out_.good.count(pair.b) == 0) continue;
      Diagnosis::Link link{pair.a, pair.b, {}, 0};
      bool open = false;
      for (const auto& [rail, share] : rails) {
        if (share.bad == 0 || share.bad < share.all) continue;
        open |= share.bad < kLinkTests;
        const bool witnessed =
            friends[{pair.a, rail}].size() >= kFewestPartners && friends[{pair.b, rail}].size() >= kFewestPartners;
        if (share.bad < kLinkTests || !witnessed) continue;
        link.rails.insert(rail);
        link.tests = std::max(link.tests, share.bad);
      }
      if (!link.rails.empty()) {
        out_.links.push_back(std::move(link));
      } else if (open) {
        out_.open_links.push_back(pair);
      }
    }
  }

  const Fabric& fabric_;
  std::vector<const PairResult*> results_;
  std::set<End> cleared_;
  struct Bad {
    std::vector<int> partners;  // one a test
    std::set<int> rounds;
  };
  std::map<End, Bad> bad_;
  Diagnosis out_;
};

}  // namespace

Diagnosis Diagnose(const Fabric& fabric, const std::vector<PairResult>& results) {
  return Diagnoser(fabric, results).Run();
}

}  // namespace muster::selftest
