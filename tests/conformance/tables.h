#pragma once
// What the golden files hold, and how a computed answer is compared with it: rank tables with their checksums, lists
// that may be shortened, and any other value. Nothing here knows a dialect.
//
// A dialect's runner (megatron_tables.h, deepspeed_tables.h, ...) computes the answer of one configuration by lib/mesh
// under the given compat (golden tables hold under upstream) and tells each difference to a `Differences`. A field that
// no runner knows is a difference too: nothing that a file holds goes uncompared.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace muster::conformance {

// Keys keep the order of the file: it is the creation order in several places.
using Json = nlohmann::ordered_json;
using Ranks = std::vector<int64_t>;
// Groups in upstream's order, ranks in upstream's order.
using Table = std::vector<Ranks>;

// The differences of one configuration.
class Differences {
 public:
  // `field` is the path inside the configuration, e.g. "families.tp.groups[3]".
  void Add(absl::string_view field, absl::string_view what);
  // Adds one unless both are equal. Objects compare without regard to key order.
  void Expect(absl::string_view field, const Json& golden, const Json& computed);
  // The configuration holds `field`, which the runner has no answer to.
  void Unknown(absl::string_view field);

  const std::vector<std::string>& lines() const { return lines_; }
  bool empty() const { return lines_.empty(); }

 private:
  std::vector<std::string> lines_;
};

// Lower-case hex.
std::string Sha256Hex(absl::string_view bytes);

// Ranks joined by `,`, one `\n` after each group; what a table's sha256 is over.
std::string CanonicalText(const Table& table);

// `golden` is a list of ranks, or {"len", "head", "tail"} of a long one.
void CompareRanks(absl::string_view field, const Json& golden, const Ranks& computed, Differences& differences);

// `golden` holds n, size, sha256 and groups, or first, middle and last. Other keys are the caller's (see IsTableKey).
void CompareTable(absl::string_view field, const Json& golden, const Table& computed, Differences& differences);
bool IsTableKey(absl::string_view key);

// Each table of the object `golden`, by name; follows {"same_as": NAME} inside it. A name missing on either side
// differs.
struct NamedTable {
  std::string name;
  Table table;
};
void CompareTables(absl::string_view field, const Json& golden, const std::vector<NamedTable>& computed,
                   Differences& differences);

// The configuration is refused with {"rule"}: `rule` is the computed one, empty if the configuration was accepted.
// error.type, the name of a Python class, is not ours to reproduce and not compared.
void CompareRefusal(const Json& config, absl::string_view rule, absl::string_view message, Differences& differences);

}  // namespace muster::conformance
