#include "client/agent/options.h"

#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/agent/backends.h"
#include "client/agent/process.h"
#include "client/rpc/channel.h"
#include "lib/base/errors.h"

namespace muster::agent {
namespace {

constexpr char kVersion[] = "0.1.0";

struct Flags {
  std::string config, server, node_name, node_uid, address, data, labels_file, muster_binary;
  std::vector<std::string> labels;
  int gpus = 0;  // 0: as many as there are
  bool allow_launch = false, check_config = false, version = false;
  double slow = 1, corrupt = 0;
  bool hang = false;
};

void Declare(CLI::App& app, Flags& f) {
  app.add_option("--config", f.config, "YAML file with the names of these flags; flags win over it");
  app.add_flag("--check-config", f.check_config, "Check flags and file, then exit");
  app.add_option("--server", f.server, "Coordinator, host:port [MUSTER_SERVER, 127.0.0.1:7070]");
  app.add_option("--node-name", f.node_name, "Name of this node [host name]");
  app.add_option("--node-uid", f.node_uid, "Identity of this node over renames [its name]");
  app.add_option("--label", f.labels, "Label of this node, key=value; repeatable");
  app.add_option("--labels-file", f.labels_file, "File with one key=value a line");
  app.add_option("--address", f.address, "Address that other nodes reach this one at, without port [node name]");
  app.add_option("--gpus,--slots", f.gpus, "Workers that fit on this node [its GPUs; 1 without any]")
      ->check(CLI::Range(1, 1024));
  app.add_option("--data", f.data, "Folder for orders taken and members' output [~/.muster/agent]");
  app.add_flag("--allow-launch", f.allow_launch, "Let the coordinator start jobs' commands here, as this user");
  app.add_option("--muster-binary", f.muster_binary, "The muster program that members run under [beside this one]");
  app.add_option("--simulate-slow", f.slow, "Backend simulated: this node's link is so many times slower [1]")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--simulate-corrupt", f.corrupt, "Backend simulated: share of elements that leave here wrong [0]")
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--simulate-hang", f.hang, "Backend simulated: this node's workers never finish");
  app.add_flag("--version", f.version, "Print the version");
}

absl::Status Bad(absl::string_view field, absl::string_view problem, absl::string_view way_out) {
  return FieldError(field, problem, way_out);
}

absl::StatusOr<std::string> ReadFile(const std::string& flag, const std::string& path) {
  std::ifstream in(path);
  std::error_code none;
  // A folder opens, and reading from it throws.
  if (!in || std::filesystem::is_directory(path, none))
    return Bad(flag, absl::StrCat("cannot read ", path), "give the path of a readable file");
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

std::vector<std::string> KnownNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

absl::Status Parse(CLI::App& app, std::vector<std::string> args) {
  // CLI11 takes the last argument first.
  std::reverse(args.begin(), args.end());
  try {
    app.parse(args);
    return absl::OkStatus();
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = app.remaining();
    const std::string word = extras.empty() ? std::string() : extras.front();
    std::string name = word.substr(0, word.find('='));
    name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
    const std::string nearest = NearestName(name, KnownNames(app));
    return Bad(word, "is no flag of muster-agent",
               nearest.empty() ? std::string("see --help") : absl::StrCat("did you mean --", nearest, "?"));
  } catch (const CLI::Error& e) {
    return absl::InvalidArgumentError(absl::StrCat(e.what(), "; see --help"));
  }
}

absl::Status AddLabel(const std::string& flag, const std::string& text, v1::NodeInfo& node) {
  const size_t at = text.find('=');
  if (at == 0 || at == std::string::npos) {
    return Bad(flag, absl::StrCat("'", text, "' is no label"), "write key=value");
  }
  (*node.mutable_labels())[text.substr(0, at)] = text.substr(at + 1);
  return absl::OkStatus();
}

absl::Status AddLabels(const Flags& f, v1::NodeInfo& node) {
  if (!f.labels_file.empty()) {
    absl::StatusOr<std::string> text = ReadFile("--labels-file", f.labels_file);
    if (!text.ok()) return text.status();
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line[0] == '#') continue;
      if (absl::Status s = AddLabel("--labels-file", line, node); !s.ok()) return s;
    }
  }
  for (const std::string& label : f.labels) {
    if (absl::Status s = AddLabel("--label", label, node); !s.ok()) return s;
  }
  if (node.labels_size() > 128) {
    return Bad("--label", absl::StrCat(node.labels_size(), " labels are more than 128"), "leave some out");
  }
  for (const auto& [key, value] : node.labels()) {
    if (key.size() > 317 || value.size() > 256) {
      return Bad(absl::StrCat("--label ", key.substr(0, 40)), "is longer than 317 characters a key, 256 a value",
                 "shorten it");
    }
  }
  return absl::OkStatus();
}

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, HOST_NAME_MAX) == 0 && name[0] != 0 ? name : "localhost";
}

std::string BootId() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(in, id);
  return id;
}

// By the driver's device files.
int GpusFound() {
  int count = 0;
  while (count < 1024 && access(absl::StrCat("/dev/nvidia", count).c_str(), F_OK) == 0) ++count;
  return count;
}

absl::StatusOr<v1::NodeInfo> NodeOf(const Flags& f) {
  v1::NodeInfo node;
  node.set_name(f.node_name.empty() ? HostName() : f.node_name);
  if (node.name().size() > 253) return Bad("--node-name", "is longer than 253 characters", "shorten it");
  node.set_uid(f.node_uid.empty() ? node.name() : f.node_uid);
  node.set_address(f.address.empty() ? node.name() : f.address);
  node.set_boot_id(BootId());
  node.set_agent_version(kVersion);
  node.set_allow_launch(f.allow_launch);
  for (const std::string& backend : BackendNames()) node.add_backends(backend);
  const int found = GpusFound();
  const int slots = f.gpus > 0 ? f.gpus : std::max(found, 1);
  for (int i = 0; i < slots; ++i) {
    v1::Accelerator* accelerator = node.add_accelerators();
    accelerator->set_index(i);
    accelerator->set_kind(found > 0 ? "gpu" : "cpu");
  }
  (*node.mutable_capacity())["gpu"] = slots;
  if (absl::Status s = AddLabels(f, node); !s.ok()) return s;
  return node;
}

std::string Absolute(const std::string& path) {
  if (!path.empty() && path[0] == '/') return path;
  char cwd[PATH_MAX];
  return getcwd(cwd, sizeof(cwd)) == nullptr ? path : absl::StrCat(cwd, "/", path);
}

std::string DataFolder(const Flags& f) {
  if (!f.data.empty()) return Absolute(f.data);
  const char* home = std::getenv("HOME");
  return absl::StrCat(home != nullptr ? home : "/tmp", "/.muster/agent");
}

absl::StatusOr<Options> FromFlags(const Flags& f) {
  Options options;
  options.check_only = f.check_config;
  if (f.version) options.print = absl::StrCat("muster-agent ", kVersion, "\n");
  AgentSetting& setting = options.setting;
  setting.server = ServerAddress(f.server);
  absl::StatusOr<v1::NodeInfo> node = NodeOf(f);
  if (!node.ok()) return node.status();
  setting.node = *std::move(node);
  setting.data = DataFolder(f);
  // It is part of what the coordinator is told of members' output.
  if (setting.data.size() > 800) return Bad("--data", "is longer than 800 characters", "shorten it");
  if (std::any_of(setting.data.begin(), setting.data.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
    return Bad("--data", "has control characters", "leave them out");
  }
  setting.agent_program = OwnProgram();
  setting.muster_program = Absolute(f.muster_binary);
  if (f.muster_binary.empty()) {
    setting.muster_program = setting.agent_program.substr(0, setting.agent_program.rfind('/') + 1) + "muster";
  }
  if (f.allow_launch && access(setting.muster_program.c_str(), X_OK) != 0) {
    return Bad("--muster-binary", absl::StrCat(setting.muster_program, " is no program that can be run"),
               "give the path of muster, or leave out --allow-launch");
  }
  setting.faults.set_slow(f.slow);
  setting.faults.set_corrupt(f.corrupt);
  setting.faults.set_hang(f.hang);
  return options;
}

absl::Status AddFlags(const std::string& key, const YAML::Node& value, std::vector<std::string>& flags) {
  const std::string flag = "--" + key;
  if (value.IsSequence()) {
    for (const YAML::Node& item : value) {
      if (absl::Status s = AddFlags(key, item, flags); !s.ok()) return s;
    }
  } else if (value.IsMap()) {
    for (const auto& item : value) {
      if (!item.first.IsScalar() || !item.second.IsScalar()) {
        return Bad(absl::StrCat(key, " (line ", value.Mark().line + 1, ")"), "has an entry that is no word",
                   "write key: value");
      }
      flags.push_back(absl::StrCat(flag, "=", item.first.Scalar(), "=", item.second.Scalar()));
    }
  } else if (value.IsScalar() && value.Scalar() == "true") {
    flags.push_back(flag);
  } else if (value.IsScalar() && value.Scalar() != "false") {
    flags.push_back(absl::StrCat(flag, "=", value.Scalar()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FlagsOfYaml(const std::string& text, const std::vector<std::string>& known) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& e) {
    return Bad("--config", absl::StrCat("is no YAML: ", e.what()), "correct the file");
  }
  std::vector<std::string> flags;
  if (root.IsNull()) return flags;
  if (!root.IsMap()) return Bad("--config", "is no map of names to values", "write one 'name: value' a line");
  for (const auto& entry : root) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
    if (std::find(known.begin(), known.end(), key) == known.end() || key == "config") {
      const std::string nearest = NearestName(key, known);
      return Bad(absl::StrCat("--config line ", entry.first.Mark().line + 1),
                 absl::StrCat("'", key, "' is no name that muster-agent knows"),
                 nearest.empty() ? std::string("see --help") : absl::StrCat("did you mean ", nearest, "?"));
    }
    if (absl::Status s = AddFlags(key, entry.second, flags); !s.ok()) return s;
  }
  return flags;
}

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& args) {
  constexpr char kAbout[] = "muster-agent: stands for one node: registers it, tests it, starts members on it";
  Flags flags;
  CLI::App app(kAbout, "muster-agent");
  Declare(app, flags);
  if (std::find(args.begin(), args.end(), "--help") != args.end() ||
      std::find(args.begin(), args.end(), "-h") != args.end()) {
    Options options;
    options.print = app.help();
    return options;
  }
  if (absl::Status s = Parse(app, args); !s.ok()) return s;
  if (!flags.config.empty()) {
    absl::StatusOr<std::string> text = ReadFile("--config", flags.config);
    if (!text.ok()) return text.status();
    absl::StatusOr<std::vector<std::string>> merged = FlagsOfYaml(*text, KnownNames(app));
    if (!merged.ok()) return merged.status();
    // A flag on the command line stands for all of that name in the file, but labels add up (the later one wins).
    std::vector<std::string> all;
    for (const std::string& flag : *merged) {
      const std::string name = flag.substr(0, flag.find('='));
      const bool given = app.get_option(name)->count() > 0;
      if (!given || name == "--label") all.push_back(flag);
    }
    all.insert(all.end(), args.begin(), args.end());
    flags = Flags();
    app.clear();
    if (absl::Status s = Parse(app, all); !s.ok()) return s;
  }
  return FromFlags(flags);
}

}  // namespace muster::agent
