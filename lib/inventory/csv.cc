#include "lib/inventory/csv.h"

#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "lib/base/errors.h"
#include "lib/base/proto_time.h"
#include "lib/inventory/source_error.h"
#include "lib/inventory/tree_values.h"

namespace muster::inventory {
namespace {

constexpr size_t kMaxLine = 1 << 20;
constexpr size_t kMaxColumns = 64;

struct Row {
  int line = 0;
  std::vector<std::string> fields;
};

// Takes the next row off `text`; a quoted field may hold separators and line ends.
absl::StatusOr<Row> NextRow(absl::string_view& text, char separator, int& line, absl::string_view file) {
  Row row;
  row.line = line;
  std::string field;
  bool quoted = false;
  bool was_quoted = false;
  size_t at = 0;
  const auto add = [&] {
    row.fields.push_back(was_quoted ? field : std::string(absl::StripAsciiWhitespace(field)));
    field.clear();
    was_quoted = false;
  };
  for (;; ++at) {
    if (at > kMaxLine) {
      return SourceError("too_long", file, row.line, absl::StrCat("the line has more than ", kMaxLine, " characters"),
                         "one node a line; a label value has at most 256");
    }
    if (at == text.size()) break;
    const char c = text[at];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        field += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"' && absl::StripAsciiWhitespace(field).empty()) {
      quoted = was_quoted = true;
      field.clear();
    } else if (c == separator) {
      add();
    } else if (c == '\n') {
      break;
    } else if (!was_quoted || !absl::ascii_isspace(static_cast<unsigned char>(c))) {
      field += c;
    }
  }
  if (quoted) {
    return SourceError("bad_value", file, row.line, "a quote is not closed", "close it, or write \"\" for a quote");
  }
  add();
  text.remove_prefix(at == text.size() ? at : at + 1);
  return row;
}

bool IsBlank(const Row& row) { return row.fields.size() == 1 && row.fields[0].empty(); }

struct Columns {
  enum class What { kNode, kGpus, kAccelerator, kState, kReason, kUntil, kJob, kEnds, kUid, kAddress, kTier };
  std::vector<What> what;
  std::vector<std::string> label;  // of tiers
};

using What = Columns::What;

What WhatOf(const std::string& heading) {
  static const auto& known = *new std::map<std::string, What>{
      {"node", What::kNode},      {"name", What::kNode},       {"hostname", What::kNode},
      {"host", What::kNode},      {"gpus", What::kGpus},       {"gpu", What::kGpus},
      {"state", What::kState},    {"condition", What::kState}, {"nvlink", What::kAccelerator},
      {"job", What::kJob},        {"reason", What::kReason},   {"uid", What::kUid},
      {"until", What::kUntil},    {"ends", What::kEnds},       {"accelerator", What::kAccelerator},
      {"address", What::kAddress}};
  const auto found = known.find(absl::AsciiStrToLower(heading));
  return found == known.end() ? What::kTier : found->second;
}

absl::StatusOr<Columns> ReadHeading(const Row& row, absl::string_view file, Inventory& inventory) {
  Columns columns;
  std::vector<Tier> tiers;
  std::map<std::string, int> seen;
  bool has_node = false;
  if (row.fields.size() > kMaxColumns) {
    return SourceError("too_many", file, row.line, absl::StrCat("there are ", row.fields.size(), " columns"),
                       absl::StrCat("at most ", kMaxColumns, " are allowed"));
  }
  for (const std::string& heading : row.fields) {
    const What what = WhatOf(heading);
    const std::string key = what == What::kTier ? heading : absl::StrCat(static_cast<int>(what));
    if (heading.empty() || !seen.emplace(key, 0).second) {
      return SourceError("duplicate_name", file, row.line,
                         heading.empty() ? std::string("a column has no heading")
                                         : absl::StrCat("column \"", Brief(heading), "\" is there twice"),
                         "name each column once");
    }
    has_node |= what == What::kNode;
    columns.what.push_back(what);
    // A heading may be a whole label key.
    const size_t slash = heading.rfind('/');
    const std::string label = slash == std::string::npos ? LabelKey(heading) : heading;
    columns.label.push_back(what == What::kTier ? label : "");
    if (what == What::kTier) tiers.push_back({heading.substr(slash == std::string::npos ? 0 : slash + 1), label});
    if (what == What::kGpus) inventory.has_capacity = true;
    if (what == What::kAccelerator) inventory.accelerator_label = LabelKey("nvlink");
  }
  if (!has_node) {
    return SourceError("unknown_key", file, row.line, "no column is called node",
                       "begin with a heading: node,block,rack,gpus");
  }
  auto made = Tiers::Create(std::move(tiers), "columns");
  if (!made.ok()) return SourceError("too_many", file, row.line, made.status().message(), "");
  inventory.tiers = *std::move(made);
  return columns;
}

absl::Status SetState(const std::string& text, const Row& row, absl::string_view file, v1::Node& node) {
  static const auto& states = *new std::map<std::string, v1::NodeCondition>{
      {"", v1::NODE_OK},         {"ok", v1::NODE_OK},     {"idle", v1::NODE_OK}, {"draining", v1::DRAINING},
      {"drained", v1::DRAINING}, {"drain", v1::DRAINING}, {"lost", v1::LOST},    {"quarantined", v1::QUARANTINED},
      {"down", v1::LOST}};
  const auto found = states.find(absl::AsciiStrToLower(text));
  if (found == states.end()) {
    return SourceError("bad_value", file, row.line, absl::StrCat("state \"", Brief(text), "\" is unknown"),
                       "write ok, draining, quarantined or lost");
  }
  node.set_condition(found->second);
  return absl::OkStatus();
}

absl::Status ReadField(const Columns& columns, size_t column, const Row& row, absl::string_view file,
                       Inventory& inventory, v1::Node& node, absl::Time& ends) {
  const std::string& text = row.fields[column];
  v1::NodeInfo& info = *node.mutable_info();
  if (text.size() > kMaxValue) {
    return SourceError("too_long", file, row.line,
                       absl::StrCat("\"", Brief(text), "\" has ", text.size(), " characters"),
                       absl::StrCat("at most ", kMaxValue, " are allowed"));
  }
  switch (columns.what[column]) {
    case What::kNode:
      info.set_name(text);
      break;
    case What::kGpus: {
      const auto gpus = Quantity(text);
      if (!gpus.ok())
        return SourceError("bad_value", file, row.line, absl::StrCat("gpus: ", gpus.status().message()),
                           "give a whole number");
      (*info.mutable_capacity())["gpu"] = *gpus;
      break;
    }
    case What::kAccelerator:
      if (!text.empty()) (*info.mutable_labels())[inventory.accelerator_label] = text;
      break;
    case What::kState:
      return SetState(text, row, file, node);
    case What::kReason:
      node.set_reason(text);
      break;
    case What::kUntil:
    case What::kEnds: {
      if (text.empty()) break;
      absl::Time time;
      std::string why;
      if (!absl::ParseTime(absl::RFC3339_full, text, &time, &why)) {
        return SourceError("bad_value", file, row.line, absl::StrCat("\"", Brief(text), "\" is no time"),
                           "write 2026-11-30T15:40:00Z");
      }
      if (columns.what[column] == What::kUntil) {
        *node.mutable_until() = ToProto(time);
      } else {
        ends = time;
      }
      break;
    }
    case What::kJob:
      node.set_job(text);
      if (!text.empty()) node.set_use(v1::ASSIGNED);
      break;
    case What::kUid:
      info.set_uid(text);
      break;
    case What::kAddress:
      info.set_address(text);
      break;
    case What::kTier:
      if (!text.empty()) (*info.mutable_labels())[columns.label[column]] = text;
      break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Inventory> ParseCsv(absl::string_view text, absl::string_view file) {
  Inventory inventory;
  const absl::string_view heading = text.substr(0, text.find('\n'));
  const char separator = heading.find('\t') != absl::string_view::npos  ? '\t'
                         : heading.find(';') != absl::string_view::npos ? ';'
                                                                        : ',';
  int line = 1;
  absl::optional<Columns> columns;
  std::map<std::string, int> lines;
  while (!text.empty()) {
    auto row = NextRow(text, separator, line, file);
    if (!row.ok()) return row.status();
    if (IsBlank(*row) || (!row->fields[0].empty() && row->fields[0][0] == '#')) continue;
    if (!columns) {
      auto read = ReadHeading(*row, file, inventory);
      if (!read.ok()) return read.status();
      columns = *std::move(read);
      continue;
    }
    if (row->fields.size() != columns->what.size()) {
      return SourceError(
          "bad_value", file, row->line,
          absl::StrCat("the row has ", row->fields.size(), " fields, the heading ", columns->what.size()),
          "leave unknown ones empty: n1,b1,,8");
    }
    v1::Node& node = inventory.nodes.emplace_back();
    absl::Time ends = absl::InfiniteFuture();
    for (size_t i = 0; i < row->fields.size(); ++i) {
      if (absl::Status status = ReadField(*columns, i, *row, file, inventory, node, ends); !status.ok()) return status;
    }
    const std::string& name = node.info().name();
    if (ends < absl::InfiniteFuture()) inventory.ends[name] = ends;
    if (name.empty()) return SourceError("bad_value", file, row->line, "a node has no name", "name every one");
    if (absl::Status status = CheckNewName(name, row->line, file, lines); !status.ok()) return status;
  }
  if (inventory.nodes.empty()) {
    return SourceError("empty", file, line, "there are no nodes", "one row a node, below the heading");
  }
  return inventory;
}

}  // namespace muster::inventory
