#pragma once
// Which node, rail, link or domain explains the tests of pairs. Pure; the order of results does not matter.
//
// A pair is as slow as its slower end, so a good result clears both ends and a bad one only makes suspects. A node
// (more exactly: its end of one rail) is a culprit if it has no good result at all and is bad with three different
// partners that others have cleared (or with all there are, at least two, in three tests). One partner accuses nobody.
// With a share p of innocent tests hit by congestion, an innocent node needs p^3 for that after its first failure;
// without such a rule a single confirmation is where false accusations come from (CHS, DLRover: two passes).

#include <set>
#include <vector>

#include "lib/selftest/pair_result.h"

namespace muster::selftest {

struct Diagnosis {
  struct Culprit {
    int node = 0;
    std::set<int> rails;     // that are bad; all of the fabric's: the node as a whole
    std::set<int> partners;  // cleared by others, bad with this one
    int tests = 0;           // with those partners
  };
  // Two nodes that are good with others, each with two at least, and never with each other on some rail in four tests.
  struct Link {
    int a = 0, b = 0;
    std::set<int> rails;
    int tests = 0;
  };
  // Nodes that are good inside a domain and bad across its border, whatever their partner outside.
  struct Domain {
    int tier = 0;
    int id = 0;
    // Set where only one other domain is known: either side of the border may be at fault.
    int other = -1;
    std::set<int> nodes;
    int crossing = 0;  // tests across the border that are bad
    int inside = 0;    // tests inside that are good
  };

  std::vector<Culprit> culprits;  // ascending by node
  std::vector<Link> links;
  std::vector<Domain> domains;
  // Bad between nearly all pairs while the other rails are good: the rail's switch.
  std::set<int> rails;

  std::set<int> good;                // cleared on every rail that was tested
  std::set<int> suspects;            // neither cleared nor culprits
  std::vector<PairTest> open_links;  // bad so far, with both ends cleared

  bool Open() const { return !suspects.empty() || !open_links.empty(); }
  bool Found() const { return !culprits.empty() || !links.empty() || !domains.empty() || !rails.empty(); }
};

// Results of nodes or rails outside the fabric are ignored.
Diagnosis Diagnose(const Fabric& fabric, const std::vector<PairResult>& results);

}  // namespace muster::selftest
