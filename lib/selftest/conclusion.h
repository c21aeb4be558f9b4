#pragma once
// What a self-test concludes.

#include <set>
#include <string>
#include <vector>

#include "lib/base/ids.h"
#include "lib/selftest/error_kind.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

struct Conclusion {
  enum class Outcome {
    kPassed,        // release is allowed
    kAccused,       // the job must go on without `accused`
    kInconclusive,  // failed or missing, and no node can be named
    kConfig,        // the job's or node's configuration, by the errors' own words: trying again changes nothing
    kInternal,      // Muster's own fault
  };
  Outcome outcome = Outcome::kInconclusive;
  v1::TestVerdict verdict = v1::INCONCLUSIVE;
  // One sentence with numbers.
  std::string summary;
  std::set<NodeUid> accused;
  std::vector<v1::Accusation> accusations;
  std::vector<v1::FamilyResult> families;
  // Every group, carried ones included, ordered by family, collective, size and index.
  std::vector<v1::GroupResult> groups;
  // What localisation tested, those of accused nodes first, at most 1,024. Empty if nothing is accused.
  std::vector<v1::PairProbe> probes;
};

}  // namespace muster::selftest
