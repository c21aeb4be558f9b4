#pragma once
// lib/mesh's arithmetic written out as the tables of the golden files.

#include <string>
#include <utility>

#include "lib/mesh/family.h"
#include "lib/mesh/group.h"
#include "tests/conformance/tables.h"

namespace muster::conformance {

inline Table TableOf(const mesh::Family& family) {
  Table table;
  for (int64_t g = 0; g < family.count(); ++g) table.push_back(family.group(g).Members());
  return table;
}

inline NamedTable Named(std::string name, const mesh::Family& family) { return {std::move(name), TableOf(family)}; }

}  // namespace muster::conformance
