#pragma once
// The job that a command line names by a file.

#include <istream>
#include <string>

#include "absl/status/statusor.h"
#include "client/cli/flag_set.h"
#include "lib/job/job_file.h"

namespace muster::cli {

struct JobSource {
  std::string file, ns, name;

  // --file, --namespace and --name.
  void Declare(FlagSet& flags);
  // The job of a valid file. The flags count before the file is judged, so that one without a name may be given one.
  // Errors are AboutFile (exit_code.h).
  absl::StatusOr<JobFile> Read(std::istream& in) const;
};

}  // namespace muster::cli
