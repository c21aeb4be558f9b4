#include "server/main/config.h"

#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "lib/base/errors.h"
#include "lib/queue/policy_text.h"
#include "lib/topology/fabric.h"
#include "server/net/listening.h"

namespace muster::musterd {
namespace {

constexpr char kInsecure[] = "i-know-this-is-insecure-listen";

// Every setting once: its flag, what it is, and where it goes.
struct Setting {
  const char* name;
  const char* help;
  std::string Config::*text = nullptr;
  int64_t Config::*number = nullptr;
  bool Config::*flag = nullptr;
  // "a=1,b=2"; a map in a file.
  bool pairs = false;
};

const std::vector<Setting>& Settings() {
  static const auto& settings = *new std::vector<Setting>{
      {.name = "listen", .help = "gRPC address, host:port; port 0 picks one", .text = &Config::listen},
      {.name = "metrics", .help = "HTTP address of /metrics; empty: none", .text = &Config::metrics},
      {.name = "data", .help = "folder of the durable state", .text = &Config::data},
      {.name = "store", .help = "sqlite, or memory (nothing survives)", .text = &Config::store},
      {.name = "tier-labels",
       .help = "node labels that say the topology, coarse to fine, comma-separated; name=label names a tier",
       .text = &Config::tier_labels},
      {.name = "fabric",
       .help = "how rails are joined: any, rail-optimised (another rail is one tier up) or rail-only (within nodes)",
       .text = &Config::fabric},
      {.name = "may-waive",
       .help = "namespaces whose jobs may waive the self-test, comma-separated; *: all",
       .text = &Config::may_waive},
      {.name = "log-level", .help = "debug, info, warn or error", .text = &Config::log_level},
      {.name = "port-file", .help = "file to write the ports into that were chosen", .text = &Config::port_file},
      {.name = "ageing", .help = "waiting that a point of priority is worth", .text = &Config::ageing},
      {.name = "shares",
       .help = "weights of namespaces among jobs of equal priority, NAMESPACE=WEIGHT, comma-separated; others have 1",
       .text = &Config::shares,
       .pairs = true},
      {.name = "quotas",
       .help = "nodes that a namespace may have at once, NAMESPACE=NODES, comma-separated; *: all others",
       .text = &Config::quotas,
       .pairs = true},
      {.name = "preemption",
       .help = "the first that waits may stop jobs of less priority",
       .flag = &Config::preemption},
      {.name = "priority-classes",
       .help = "names that jobs may give as their priority, NAME=PRIORITY, comma-separated",
       .text = &Config::priority_classes,
       .pairs = true},
      {.name = "agent-lease", .help = "an agent that isn't heard for this long is lost", .text = &Config::agent_lease},
      {.name = "member-lease",
       .help = "a member of a running gang that isn't heard for this long may be lost",
       .text = &Config::member_lease},
      {.name = "retry-period",
       .help = "how long a member counts as waiting after its call has ended",
       .text = &Config::retry_period},
      {.name = "quarantine", .help = "how long an accused node is kept from new gangs", .text = &Config::quarantine},
      {.name = "max-jobs", .help = "jobs that haven't finished", .number = &Config::max_jobs},
      {.name = "max-job-bytes",
       .help = "memory that unfinished jobs may come to take, by an estimate; one namespace has at most half",
       .number = &Config::max_job_bytes},
      {.name = "max-nodes", .help = "registered nodes", .number = &Config::max_nodes},
      {.name = "max-waiting-calls", .help = "calls that are held at once", .number = &Config::max_waiting_calls},
      {.name = "max-watchers", .help = "streams that watch jobs", .number = &Config::max_watchers},
      {.name = "keep-finished", .help = "finished jobs that are kept to look at", .number = &Config::keep_finished},
      {.name = "keep-receipts", .help = "receipts that are kept", .number = &Config::keep_receipts},
      {.name = kInsecure,
       .help = "listen beyond loopback without TLS: anyone who reaches the port owns the cluster",
       .flag = &Config::insecure_beyond_loopback},
  };
  return settings;
}

const Setting* Find(const std::string& name) {
  for (const Setting& setting : Settings())
    if (setting.name == name) return &setting;
  return nullptr;
}

absl::Status UnknownName(const std::string& where, const std::string& name) {
  std::vector<std::string> names;
  for (const Setting& setting : Settings()) names.push_back(setting.name);
  const std::string nearest = NearestName(name, names);
  return FieldError(where, absl::StrCat("unknown setting \"", name.substr(0, 64), "\""),
                    nearest.empty() ? "see musterd --help" : absl::StrCat("did you mean \"", nearest, "\"?"));
}

absl::Status Take(const Setting& setting, const std::string& where, const std::string& value, Config& config) {
  if (setting.text != nullptr) {
    config.*setting.text = value;
  } else if (setting.number != nullptr) {
    if (!absl::SimpleAtoi(value, &(config.*setting.number)) || config.*setting.number < 1)
      return FieldError(where, absl::StrCat("\"", value.substr(0, 64), "\" is no count"),
                        "give a whole number of 1 or more");
  } else if (value == "true" || value == "false") {
    config.*setting.flag = value == "true";
  } else {
    return FieldError(where, absl::StrCat("\"", value.substr(0, 64), "\" is neither true nor false"),
                      "give one of them");
  }
  return absl::OkStatus();
}

absl::Status ReadFile(const std::string& path, Config& config) {
  std::ifstream in(path);
  std::error_code none;
  // A folder opens, and reads as if it were empty.
  if (!in || std::filesystem::is_directory(path, none))
    return FieldError("config", absl::StrCat("can't read ", path), "give a file that is there");
  std::stringstream text;
  text << in.rdbuf();
  YAML::Node root;
  try {
    root = YAML::Load(text.str());
  } catch (const YAML::Exception& e) {
    return FieldError(absl::StrCat(path, ":", e.mark.line + 1), absl::StrCat("no YAML: ", e.msg),
                      "write lines of \"name: value\"");
  }
  if (root.IsNull()) return absl::OkStatus();
  if (!root.IsMap()) return FieldError(path, "is no map", "write lines of \"name: value\"");
  std::set<std::string> seen;
  for (const auto& entry : root) {
    const std::string where = absl::StrCat(path, ":", entry.first.Mark().line + 1);
    if (!entry.first.IsScalar()) return FieldError(where, "a name is no text", "write lines of \"name: value\"");
    const std::string name = entry.first.Scalar();
    const Setting* setting = Find(name);
    if (setting == nullptr) return UnknownName(where, name);
    const std::string at = absl::StrCat(where, ": ", name);
    if (!seen.insert(name).second) return FieldError(at, "is given twice", "give it once");
    std::string value;
    if (entry.second.IsSequence()) {
      std::vector<std::string> items;
      for (const auto& item : entry.second) items.push_back(item.IsScalar() ? item.Scalar() : "");
      value = absl::StrJoin(items, ",");
    } else if (entry.second.IsMap() && setting->pairs) {
      std::vector<std::string> items;
      for (const auto& item : entry.second) {
        if (!item.first.IsScalar() || !item.second.IsScalar())
          return FieldError(at, "holds more than names and values", "write it as {NAME: VALUE}");
        items.push_back(absl::StrCat(item.first.Scalar(), "=", item.second.Scalar()));
      }
      value = absl::StrJoin(items, ",");
    } else if (entry.second.IsScalar()) {
      value = entry.second.Scalar();
    } else if (!entry.second.IsNull()) {
      return FieldError(at, "is no value", "give a text, a number or a list");
    }
    if (absl::Status taken = Take(*setting, at, value, config); !taken.ok()) return taken;
  }
  return absl::OkStatus();
}

absl::Status DurationFlag(const char* name, const std::string& value, absl::Duration least, absl::Duration* out) {
  const std::string flag = absl::StrCat("--", name);
  if (!absl::ParseDuration(value, out))
    return FieldError(flag, absl::StrCat("\"", value.substr(0, 64), "\" is no duration"),
                      "write it as 90s, 10m or 1h30m");
  if (*out < least || *out > absl::Hours(24 * 365))
    return FieldError(flag, absl::StrCat(value, " is out of range"),
                      absl::StrCat("give ", absl::FormatDuration(least), " to a year"));
  return absl::OkStatus();
}

absl::Status SetQueue(const Config& config, core::Options& options) {
  if (absl::Status status = DurationFlag("ageing", config.ageing, absl::Seconds(1), &options.queue.ageing);
      !status.ok())
    return status;
  auto shares = queue::ReadNumbers("--shares", config.shares, 1, 1'000'000);
  if (!shares.ok()) return shares.status();
  options.queue.shares = *std::move(shares);
  auto quotas = queue::ReadNumbers("--quotas", config.quotas, 0, 1'000'000);
  if (!quotas.ok()) return quotas.status();
  options.queue.quotas = *std::move(quotas);
  const auto classes = queue::ReadNumbers("--priority-classes", config.priority_classes, -1'000'000, 1'000'000);
  if (!classes.ok()) return classes.status();
  options.priority_classes.insert(classes->begin(), classes->end());
  options.queue.preempt = config.preemption;
  return absl::OkStatus();
}

absl::StatusOr<Tiers> TiersOf(const std::string& text) {
  std::vector<Tier> tiers;
  std::vector<std::string> labels;
  bool named = false;
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::vector<std::string> parts = absl::StrSplit(absl::StripAsciiWhitespace(item), absl::MaxSplits('=', 1));
    named |= parts.size() == 2;
    labels.push_back(parts.back());
    tiers.push_back({parts.front(), parts.back()});
  }
  if (tiers.empty())
    return FieldError("--tier-labels", absl::StrCat("\"", text.substr(0, 64), "\" names no label"),
                      "give label keys, coarse to fine, or leave the flag out");
  if (!named) return Tiers::FromLabels(labels, "--tier-labels");
  for (Tier& tier : tiers) tier.name = tier.name.substr(tier.name.rfind('/') + 1);
  return Tiers::Create(std::move(tiers), "--tier-labels");
}

}  // namespace

absl::StatusOr<Config> ReadConfig(int argc, const char* const* argv, std::string* help) {
  CLI::App app{"musterd: the coordinator of Muster"};
  app.allow_extras();
  std::string file;
  Config config;
  bool version = false, check_only = false;
  app.add_option("--config", file, "YAML file of the same names as these flags");
  app.add_flag("--check-config", check_only, "print the effective settings, start nothing");
  app.add_flag("--version", version, "print the version");
  // Read as text first: the file's values go in before them.
  std::map<std::string, std::string> given;
  const Config defaults;
  for (const Setting& setting : Settings()) {
    std::string& value = given[setting.name];
    const std::string flag = absl::StrCat("--", setting.name);
    if (setting.flag != nullptr) {
      app.add_flag_function(
          flag, [&value](int64_t) { value = "true"; }, setting.help);
    } else {
      app.add_option(flag, value, setting.help)
          ->default_str(setting.text != nullptr ? defaults.*setting.text : absl::StrCat(defaults.*setting.number))
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    *help = app.help();
    return absl::OutOfRangeError("help");
  } catch (const CLI::ParseError& e) {
    return FieldError("", e.what(), "see musterd --help");
  }
  if (!app.remaining().empty()) {
    std::string name = app.remaining().front();
    name = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    return UnknownName(app.remaining().front(), name.substr(0, name.find('=')));
  }
  if (!file.empty()) {
    if (absl::Status read = ReadFile(file, config); !read.ok()) return read;
  }
  for (const Setting& setting : Settings()) {
    if (app.count(absl::StrCat("--", setting.name)) == 0) continue;
    if (absl::Status taken = Take(setting, absl::StrCat("--", setting.name), given[setting.name], config); !taken.ok())
      return taken;
  }
  config.check_only = check_only;
  config.version = version;
  return config;
}

bool IsLoopback(const std::string& address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]:") || absl::StartsWith(address, "unix:");
}

absl::StatusOr<Effective> Resolve(const Config& config) {
  Effective effective;
  core::Options& options = effective.options;
  for (const auto& [name, address] :
       {std::make_pair("--listen", config.listen), std::make_pair("--metrics", config.metrics)}) {
    if (address.empty() && std::string(name) == "--metrics") continue;
    if (absl::Status form = net::CheckAddress(address); !form.ok())
      return absl::Status(form.code(), absl::StrCat(name, ": ", form.message()));
    if (IsLoopback(address) || config.insecure_beyond_loopback) continue;
    return FieldError(name, absl::StrCat(address.substr(0, 64), " is beyond loopback, and connections have no TLS"),
                      absl::StrCat("listen on 127.0.0.1, or say --", kInsecure));
  }
  if (config.store != "sqlite" && config.store != "memory")
    return FieldError("--store", absl::StrCat("\"", config.store.substr(0, 64), "\" is no store"),
                      "give sqlite or memory");
  const std::vector<std::string> levels = {"debug", "info", "warn", "error"};
  if (std::find(levels.begin(), levels.end(), config.log_level) == levels.end())
    return FieldError("--log-level", absl::StrCat("\"", config.log_level.substr(0, 64), "\" is no level"),
                      "give debug, info, warn or error");
  for (const absl::Status& status :
       {DurationFlag("agent-lease", config.agent_lease, absl::Seconds(1), &options.agent_lease),
        DurationFlag("member-lease", config.member_lease, absl::Seconds(1), &options.member_lease),
        DurationFlag("retry-period", config.retry_period, absl::Seconds(1), &options.retry_period),
        DurationFlag("quarantine", config.quarantine, absl::Seconds(1), &options.quarantine)})
    if (!status.ok()) return status;
  if (absl::Status set = SetQueue(config, options); !set.ok()) return set;
  options.max_jobs = config.max_jobs;
  options.max_nodes = config.max_nodes;
  options.max_waiting_calls = config.max_waiting_calls;
  options.max_watchers = config.max_watchers;
  options.keep_finished = config.keep_finished;
  options.keep_finished_bytes = std::max<int64_t>(1, config.max_job_bytes / 4);
  options.max_job_bytes = config.max_job_bytes;
  options.keep_receipts = config.keep_receipts;
  for (absl::string_view ns : absl::StrSplit(config.may_waive, ',', absl::SkipWhitespace()))
    options.may_waive.emplace(ns);
  const std::string defaults = "block=topology.muster.dev/block,rack=topology.muster.dev/rack";
  absl::StatusOr<Tiers> tiers = TiersOf(config.tier_labels.empty() ? defaults : config.tier_labels);
  if (!tiers.ok()) return tiers.status();
  effective.tiers = *std::move(tiers);
  const absl::StatusOr<Fabric> fabric = FabricOf(config.fabric, "--fabric");
  if (!fabric.ok()) return fabric.status();
  effective.tiers.set_fabric(*fabric);
  return effective;
}

std::string ToYaml(const Config& config) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  for (const Setting& setting : Settings()) {
    out << YAML::Key << setting.name << YAML::Value;
    if (setting.text != nullptr) {
      out << YAML::DoubleQuoted << config.*setting.text;
    } else if (setting.number != nullptr) {
      out << config.*setting.number;
    } else {
      out << config.*setting.flag;
    }
  }
  out << YAML::EndMap;
  return absl::StrCat(out.c_str(), "\n");
}

}  // namespace muster::musterd
