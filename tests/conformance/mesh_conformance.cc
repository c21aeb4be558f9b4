// mesh_conformance [--careful] FILE...: compares lib/mesh with files of golden rank tables (schema: golden/README.md).
// With
// --careful what the default computes instead of `compat: upstream`, naming every configuration that differs.
// Exit code 0: all equal. 1: something differs. 2: wrong usage, or a file that can't be read or is of another schema.

#include <iostream>
#include <limits>

#include "absl/strings/string_view.h"
#include "tests/conformance/conformance.h"

int main(int argc, char** argv) {
  using muster::conformance::CheckFile;
  using muster::mesh::Compat;
  const bool careful = argc > 1 && absl::string_view(argv[1]) == "--careful";
  const int first = careful ? 2 : 1;
  if (argc <= first) {
    std::cerr << "usage: mesh_conformance [--careful] FILE...\n";
    return 2;
  }
  int exit_code = 0;
  for (int i = first; i < argc; ++i) {
    const auto result = CheckFile(argv[i], careful ? Compat::kCareful : Compat::kUpstream);
    if (!result.ok()) {
      std::cerr << "mesh_conformance: " << result.status().message() << "\n";
      exit_code = 2;
      continue;
    }
    std::cout << muster::conformance::Report(*result, careful ? std::numeric_limits<size_t>::max() : 3) << std::flush;
    if (!result->differing.empty() && exit_code == 0) exit_code = 1;
  }
  return exit_code;
}
