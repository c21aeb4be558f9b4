// mesh_conformance FILE...: compares lib/mesh with files of golden rank tables (schema:
// tests/conformance/golden/README.md). Exit code 0: all equal. 1: something differs. 2: wrong usage, or a file that
// can't be read or is of another schema.

#include <iostream>

#include "tests/conformance/conformance.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: mesh_conformance FILE...\n";
    return 2;
  }
  int exit_code = 0;
  for (int i = 1; i < argc; ++i) {
    const absl::StatusOr<muster::conformance::FileResult> result = muster::conformance::CheckFile(argv[i]);
    if (!result.ok()) {
      std::cerr << "mesh_conformance: " << result.status().message() << "\n";
      exit_code = 2;
      continue;
    }
    std::cout << muster::conformance::Report(*result) << std::flush;
    if (!result->differing.empty() && exit_code == 0) exit_code = 1;
  }
  return exit_code;
}
