#pragma once
// One command of `muster`, and what it is given: streams, clock, environment and coordinator all come from outside, so
// that tests run commands in process.

#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/coordinator.h"
#include "client/cli/flag_set.h"
#include "client/cli/output.h"
#include "client/cli/screen.h"

namespace muster::cli {

struct CommandInfo;

struct Context {
  Screen& out;
  Screen& err;
  std::istream& in;
  std::function<absl::Time()> now;
  absl::TimeZone zone;
  std::function<void(absl::Duration)> sleep;
  // Empty: not set.
  std::function<std::string(const std::string& name)> env;
  // Unguessable, for request ids.
  std::function<std::string()> fresh_id;
  std::function<std::unique_ptr<Coordinator>(const std::string& server, absl::Duration timeout)> connect;

  // From the command line, set by Run (run.h).
  std::string server;
  absl::optional<absl::Duration> timeout;
  Format format = Format::kTable;
  // All there are, for help and completion.
  const std::vector<CommandInfo>* commands = nullptr;

  bool wide() const { return format == Format::kWide; }
  // Connected at the first call.
  Coordinator& coordinator();
  // When a watch must end.
  absl::Time until() const { return timeout ? now() + *timeout : absl::InfiniteFuture(); }

  // Made by coordinator().
  std::unique_ptr<Coordinator> connected = nullptr;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void Declare(FlagSet& flags) = 0;
  // The exit code (exit_code.h), having printed its answer; an error is printed by the caller.
  virtual absl::StatusOr<int> Run(Context& context) = 0;
};

struct CommandInfo {
  std::string verb;
  // As it is shown; empty: the verb has none.
  std::string noun;
  // One line.
  std::string summary;
  // Lines for help, each a command that works.
  std::string examples;
  std::unique_ptr<Command> (*make)();
  // Takes --server and --timeout; -o.
  bool calls = true;
  bool prints = true;
};

template <typename T>
std::unique_ptr<Command> Make() {
  return std::make_unique<T>();
}

}  // namespace muster::cli
