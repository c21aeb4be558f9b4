#include "lib/inventory/slurm_conf.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/errors.h"
#include "lib/inventory/host_list.h"
#include "lib/inventory/source_error.h"

namespace muster::inventory {
namespace {

constexpr size_t kMaxLine = 1 << 20;
constexpr size_t kMaxParts = 20'000;  // switches or blocks

struct Pair {
  std::string key;  // lower case
  std::string as_written;
  std::string value;
};

struct Line {
  int number = 0;
  std::vector<Pair> pairs;
};

// A logical line: comments cut, continued lines joined, keys and values apart.
absl::StatusOr<std::vector<Line>> SplitLines(absl::string_view text, absl::string_view file) {
  std::vector<Line> lines;
  std::string joined;
  int number = 0;
  int first = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    absl::string_view line = text.substr(0, end);
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
    ++number;
    if (joined.empty()) first = number;
    if (line.size() > kMaxLine || joined.size() > kMaxLine) {
      return SourceError("too_long", file, number,
                         absl::StrCat("the line has ", line.size() + joined.size(), " characters"),
                         absl::StrCat("at most ", kMaxLine, " are allowed; use ranges like node[1-16]"));
    }
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    const bool continued = !line.empty() && line.back() == '\\';
    if (continued) line.remove_suffix(1);
    absl::StrAppend(&joined, line, " ");
    if (continued && !text.empty()) continue;
    Line split{first, {}};
    for (const absl::string_view token : absl::StrSplit(joined, absl::ByAnyChar(" \t\r"), absl::SkipEmpty())) {
      const size_t equals = token.find('=');
      if (equals == absl::string_view::npos || equals == 0) {
        return SourceError("unknown_key", file, first, absl::StrCat("\"", Brief(token), "\" is no Key=Value"),
                           "write SwitchName=… Nodes=…, or BlockName=… Nodes=…");
      }
      const absl::string_view key = token.substr(0, equals);
      split.pairs.push_back({absl::AsciiStrToLower(key), std::string(key), std::string(token.substr(equals + 1))});
    }
    joined.clear();
    if (!split.pairs.empty()) lines.push_back(std::move(split));
  }
  return lines;
}

class Reader {
 public:
  Reader(absl::string_view file, SlurmTopology& topology) : file_(file), topology_(topology) {}

  absl::Status Read(const Line& line) {
    const std::string& first = line.pairs.front().key;
    const bool tree = first == "switchname";
    if (!tree && first != "blockname" && first != "blocksizes" && first != "blocksize")
      return Unknown(line, line.pairs[0]);
    if (begun_ && tree != (topology_.type == SlurmTopology::Type::kTree)) {
      return SourceError("mixed_formats", file_, line.number,
                         absl::StrCat("a ", tree ? "switch in a file of blocks" : "block in a file of switches"),
                         "one kind a file: topology/tree or topology/block");
    }
    begun_ = true;
    topology_.type = tree ? SlurmTopology::Type::kTree : SlurmTopology::Type::kBlock;
    if (topology_.line == 0) topology_.line = line.number;
    if (std::max(topology_.switches.size(), topology_.blocks.size()) >= kMaxParts) {
      return SourceError("too_many", file_, line.number, absl::StrCat("more than ", kMaxParts, " switches or blocks"),
                         "leave some out");
    }
    return tree ? ReadSwitch(line) : first == "blockname" ? ReadBlock(line) : ReadSizes(line);
  }

 private:
  absl::Status Unknown(const Line& line, const Pair& pair) const {
    const std::vector<std::string> known = {"SwitchName", "Switches", "Nodes", "LinkSpeed", "BlockName", "BlockSizes"};
    const std::string nearest = NearestName(pair.as_written, known);
    return SourceError("unknown_key", file_, line.number, absl::StrCat("unknown key \"", Brief(pair.as_written), "\""),
                       nearest.empty() ? absl::StrCat("known are ", FewNames(known, known.size()))
                                       : absl::StrCat("did you mean ", nearest, "?"));
  }

  absl::StatusOr<std::vector<std::string>> Names(const Line& line, const Pair& pair) {
    auto names = ExpandHostList(pair.value, kMaxNodes - named_);
    if (!names.ok()) {
      return SourceError("bad_hostlist", file_, line.number,
                         absl::StrCat(pair.as_written, ": ", names.status().message()),
                         "write names with commas and ranges: n5,n[7-9]");
    }
    named_ += static_cast<int>(names->size());
    return names;
  }

  absl::Status ReadSwitch(const Line& line) {
    SlurmSwitch one;
    one.line = line.number;
    bool has_nodes = false;
    bool has_children = false;
    for (const Pair& pair : line.pairs) {
      if (pair.key == "switchname") {
        one.name = pair.value;
      } else if (pair.key == "nodes" || pair.key == "switches") {
        bool& has = pair.key == "nodes" ? has_nodes : has_children;
        if (std::exchange(has, true)) return Twice(line, pair);
        auto names = Names(line, pair);
        if (!names.ok()) return names.status();
        (pair.key == "nodes" ? one.nodes : one.children) = *std::move(names);
      } else if (pair.key != "linkspeed") {
        return Unknown(line, pair);
      }
    }
    if (has_nodes && has_children) {
      return SourceError("nodes_and_children", file_, line.number,
                         absl::StrCat("switch ", Brief(one.name), " has Nodes and Switches"),
                         "a switch has one of the two; put the nodes on a leaf switch of their own");
    }
    topology_.switches.push_back(std::move(one));
    return absl::OkStatus();
  }

  absl::Status ReadBlock(const Line& line) {
    SlurmBlock block;
    block.line = line.number;
    bool has_nodes = false;
    for (const Pair& pair : line.pairs) {
      if (pair.key == "blockname") {
        block.name = pair.value;
      } else if (pair.key == "nodes") {
        if (std::exchange(has_nodes, true)) return Twice(line, pair);
        auto names = Names(line, pair);
        if (!names.ok()) return names.status();
        block.nodes = *std::move(names);
      } else {
        return Unknown(line, pair);
      }
    }
    topology_.blocks.push_back(std::move(block));
    return absl::OkStatus();
  }

  absl::Status ReadSizes(const Line& line) {
    if (line.pairs.size() > 1) return Unknown(line, line.pairs[1]);
    if (!topology_.configured_sizes.empty()) return Twice(line, line.pairs[0]);
    for (const absl::string_view text : absl::StrSplit(line.pairs[0].value, ',')) {
      int64_t size = 0;
      if (!absl::SimpleAtoi(text, &size) || size < 1 || size > kMaxNodes) {
        return SourceError("bad_block_sizes", file_, line.number,
                           absl::StrCat("block size \"", Brief(text), "\" is no number of nodes"),
                           absl::StrCat("give 1..", kMaxNodes));
      }
      topology_.configured_sizes.push_back(size);
    }
    return absl::OkStatus();
  }

  absl::Status Twice(const Line& line, const Pair& pair) const {
    return SourceError("bad_value", file_, line.number, absl::StrCat(pair.as_written, " is there twice"), "keep one");
  }

  absl::string_view file_;
  SlurmTopology& topology_;
  bool begun_ = false;
  int named_ = 0;
};

}  // namespace

absl::StatusOr<SlurmTopology> ParseSlurmConf(absl::string_view text, absl::string_view file,
                                             const std::vector<std::string>* known_nodes) {
  if (text.find('\0') != absl::string_view::npos) {
    return SourceError("bad_value", file, 0, "there is a NUL byte", "the file must be text");
  }
  auto lines = SplitLines(text, file);
  if (!lines.ok()) return lines.status();
  if (lines->empty()) {
    return SourceError("empty", file, 0, "the file says nothing", "write SwitchName=… or BlockName=… lines");
  }
  SlurmTopology topology;
  Reader reader(file, topology);
  for (const Line& line : *lines) {
    if (absl::Status status = reader.Read(line); !status.ok()) return status;
  }
  if (absl::Status status = Finish(file, known_nodes, topology); !status.ok()) return status;
  return topology;
}

}  // namespace muster::inventory
