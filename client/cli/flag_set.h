#pragma once
// The flags and arguments of one command. CLI11 parses; this says its errors in Muster's way (the nearest known name,
// the way out) and lists what there is, for help and completion.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace muster::cli {

struct FlagInfo {
  std::string name;    // "namespace"
  std::string letter;  // "n", or empty
  std::string value;   // "NAME"; empty: a switch
  std::string help;
};

class FlagSet {
 public:
  // `command` is how messages call it: "muster get jobs".
  explicit FlagSet(std::string command);
  ~FlagSet();
  FlagSet(const FlagSet&) = delete;
  FlagSet& operator=(const FlagSet&) = delete;

  // `name` is "namespace" or "namespace,n". Targets outlive the set and keep their value where the flag isn't given.
  void Text(std::string* target, const std::string& name, const std::string& value, const std::string& help);
  void Texts(std::vector<std::string>* target, const std::string& name, const std::string& value,
             const std::string& help);
  void Switch(bool* target, const std::string& name, const std::string& help);
  // Refused outside of least..most.
  void Integer(absl::optional<int64_t>* target, const std::string& name, const std::string& value, int64_t least,
               int64_t most, const std::string& help);
  // "90s", "2h", "7d".
  void Time(absl::optional<absl::Duration>* target, const std::string& name, const std::string& value,
            const std::string& help);
  // Everything that is no flag, at least..most pieces. At most once a set.
  void Arguments(std::vector<std::string>* target, const std::string& name, size_t least, size_t most);
  // Everything from the first piece that is no flag on, or after "--", as it is: a command to run.
  void Rest(std::vector<std::string>* target, const std::string& name);

  // The pieces after the command's name. Usage errors only.
  absl::Status Parse(const std::vector<std::string>& pieces);

  const std::vector<FlagInfo>& flags() const { return flags_; }
  // "NAME", "[NAME…]", "NODE NODE…", "-- COMMAND…"; empty where the command takes none.
  std::string ArgumentsText() const;
  // "--namespace/-n NAME   help", aligned.
  std::string FlagsText() const;

 private:
  struct Parser;

  absl::Status Unknown(const std::string& piece) const;
  absl::Status CheckArguments() const;
  std::string Usage() const;

  const std::string command_;
  std::vector<FlagInfo> flags_;
  std::unique_ptr<Parser> parser_;
  std::vector<std::string>* arguments_ = nullptr;
  std::string arguments_name_;
  size_t least_ = 0, most_ = 0;
  bool rest_ = false;
};

}  // namespace muster::cli
