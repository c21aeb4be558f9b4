// peers_conformance FILE...: compares Muster with what neighbouring projects do with given inputs (schema:
// peers/README.md). Exit code 0: all that must be equal is. 1: something differs. 2: wrong usage, or a file that can't
// be read or is of another schema.

#include <iostream>

#include "tests/conformance/peers.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: peers_conformance FILE...\n";
    return 2;
  }
  int exit_code = 0;
  for (int i = 1; i < argc; ++i) {
    const auto result = muster::conformance::CheckPeerFile(argv[i]);
    if (!result.ok()) {
      std::cerr << "peers_conformance: " << result.status().message() << "\n";
      exit_code = 2;
      continue;
    }
    std::cout << muster::conformance::Report(*result) << std::flush;
    if (!result->differing.empty() && exit_code == 0) exit_code = 1;
  }
  return exit_code;
}
