#pragma once
// Flags of muster-agent, and the YAML file of the same names.

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/agent/agent_setting.h"

namespace muster::agent {

struct Options {
  AgentSetting setting;
  // Stop after the check of flags and file.
  bool check_only = false;
  // Text to print instead of running (help, version); empty: run.
  std::string print;
};

// Flags win over the file (--config); labels of both are joined. Unset: node name = host name, address = that name
// resolved by the peers, a slot a GPU, or one of kind "cpu" without any.
// INVALID_ARGUMENT: an unknown flag or key (with the nearest known one), a bad value, a file that is no YAML map.
absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& args);

// Names and values of a YAML map as flags: {gpus: 2, label: {rack: r1}} -> --gpus=2 --label=rack=r1. Lists repeat the
// flag; true is the flag alone, false nothing. INVALID_ARGUMENT names the key and its line.
absl::StatusOr<std::vector<std::string>> FlagsOfYaml(const std::string& text, const std::vector<std::string>& known);

}  // namespace muster::agent
