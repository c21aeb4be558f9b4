#pragma once
// Runs a file of what neighbouring projects do with given inputs against Muster, and says what differs.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/conformance/tables.h"

namespace muster::conformance {

// What became of one case.
struct PeerCase {
  // What Muster isn't: why the case is not looked at ("no job field offers elastic"). Empty: it is.
  std::string out_of_scope;
  // What `must` asks and Muster does otherwise by decision, by the rule's name (docs/decisions.md, "Peers").
  std::string decided;
  Differences differences;
};

struct PeerResult {
  std::string subject;
  int64_t cases = 0;  // in scope
  // Reasons and counts.
  std::map<std::string, int64_t> out_of_scope;
  std::map<std::string, int64_t> decided;
  std::vector<std::pair<std::string, std::vector<std::string>>> differing;  // id, differences

  int64_t equal() const { return cases - static_cast<int64_t>(differing.size()); }
};

// By the file's `subject`. NOT_FOUND: it can't be read; INVALID_ARGUMENT: it isn't JSON, or of another schema or an
// unknown subject. Text files that a case names lie beside the file.
absl::StatusOr<PeerResult> CheckPeerFile(const std::string& path);

// "kueue_tas: 133 of 133", then what differs, what differs by decision, and what was left out.
std::string Report(const PeerResult& result);

// One for each subject. An exception of Json means a case of another schema.
void CheckKueueTas(const Json& peer_case, const std::string& folder, PeerCase& result);
void CheckKueueRankOrder(const Json& peer_case, const std::string& folder, PeerCase& result);
void CheckNvrxRanks(const Json& peer_case, const std::string& folder, PeerCase& result);
void CheckTopologyFile(const Json& peer_case, const std::string& folder, PeerCase& result);

}  // namespace muster::conformance
