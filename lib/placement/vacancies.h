#pragma once
// Which slots vacated units go to while all others stay: branch and bound, cheapest slot first.

#include <cstdint>
#include <vector>

#include "lib/placement/site.h"
#include "lib/placement/unit_graph.h"
#include "lib/placement/wishes.h"

namespace muster::placement {

// Slot of a unit that has none yet.
inline constexpr int32_t kVacant = -1;

struct Vacancies {
  const Site* site = nullptr;
  const UnitGraph* graph = nullptr;
  Wishes wishes;                   // of the preferred tier only
  Layout layout;                   // kVacant: to be filled
  std::vector<int32_t> free;       // nodes to be had, by slot
  std::vector<int32_t> spares;     // those of them that are the job's spares, by slot
  std::vector<int32_t> preferred;  // those of the others that go first, by slot
};

struct Filled {
  Layout layout;         // empty: no way was found
  bool gave_up = false;  // the steps ran out: there may be another way, or a better one
};

// The least traffic and penalty; then the most spares used; then the most preferred nodes; then the fewest domains that
// become broken; then the first slots in tree order. All rules of the site hold. `steps`: looks at links.
Filled Fill(const Vacancies& vacancies, int64_t steps);

}  // namespace muster::placement
