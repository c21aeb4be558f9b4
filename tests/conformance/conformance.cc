#include "tests/conformance/conformance.h"

#include <algorithm>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/conformance/deepspeed_tables.h"
#include "tests/conformance/megatron_tables.h"
#include "tests/conformance/nemo_tables.h"
#include "tests/conformance/tables.h"
#include "tests/conformance/torch_tables.h"

namespace muster::conformance {
namespace {

constexpr int64_t kSchema = 1;

struct Dialect {
  std::string name;
  std::function<void(const Json&, mesh::Compat, Differences&)> compare;
};

// By the file's "framework".
const std::map<std::string, Dialect>& Dialects() {
  static const auto& dialects = *new std::map<std::string, Dialect>{{"deepspeed", {"deepspeed", CompareDeepSpeed}},
                                                                    {"megatron", {"megatron", CompareMegatron}},
                                                                    {"nemo_rl", {"nemo", CompareNemo}},
                                                                    {"torch_mesh", {"torch", CompareTorch}}};
  return dialects;
}

absl::StatusOr<FileResult> Check(absl::string_view name, const Json& file, mesh::Compat compat) {
  if (!file.is_object() || !file.contains("schema") || file["schema"] != kSchema) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": schema ",
                                                   file.is_object() ? file.value("schema", Json()).dump() : "missing",
                                                   " is unknown; this tool reads golden tables of schema ", kSchema));
  }
  const std::string framework = file.value("framework", "");
  const auto dialect = Dialects().find(framework);
  if (dialect == Dialects().end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": framework '", framework, "' is unknown; there are ",
                     absl::StrJoin(Dialects(), ", ",
                                   [](std::string* out, const auto& entry) { absl::StrAppend(out, entry.first); })));
  }
  if (!file.contains("configs") || !file["configs"].is_array() || file["configs"].empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": configs: a list of at least one configuration is needed"));
  }
  FileResult result{.dialect = dialect->second.name, .configs = 0, .differing = {}};
  std::set<std::string> ids;
  for (const Json& config : file["configs"]) {
    const std::string where = absl::StrCat(name, ": configs[", result.configs++, "]");
    if (!config.is_object() || !config.contains("id") || !config["id"].is_string()) {
      return absl::InvalidArgumentError(absl::StrCat(where, ": has no id"));
    }
    const std::string id = config["id"].get<std::string>();
    if (!ids.insert(id).second) return absl::InvalidArgumentError(absl::StrCat(where, ": id ", id, " is there twice"));
    Differences differences;
    try {
      dialect->second.compare(config, compat, differences);
    } catch (const std::exception& error) {  // Json's, for a field that is missing or of another type
      return absl::InvalidArgumentError(absl::StrCat(where, " (", id, "): not of this schema: ", error.what()));
    }
    if (!differences.empty()) result.differing.emplace_back(id, differences.lines());
  }
  return result;
}

}  // namespace

absl::StatusOr<FileResult> CheckText(absl::string_view name, absl::string_view json, mesh::Compat compat) {
  const Json file = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  if (file.is_discarded()) return absl::InvalidArgumentError(absl::StrCat(name, ": is not JSON"));
  try {
    return Check(name, file, compat);
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": not of this schema: ", error.what()));
  }
}

absl::StatusOr<FileResult> CheckFile(const std::string& path, mesh::Compat compat) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": can't be opened"));
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  } catch (const std::exception& error) {  // libstdc++'s, for a folder
    return absl::NotFoundError(absl::StrCat(path, ": can't be read: ", error.what()));
  }
  return CheckText(path, text, compat);
}

std::string Report(const FileResult& result, size_t named) {
  std::string report = absl::StrCat(result.dialect, ": ", result.equal(), " of ", result.configs, "\n");
  for (size_t i = 0; i < std::min(named, result.differing.size()); ++i) {
    const auto& [id, lines] = result.differing[i];
    absl::StrAppend(&report, "  ", id, ": ", lines.front());
    if (lines.size() > 1) absl::StrAppend(&report, " (and ", lines.size() - 1, " more)");
    absl::StrAppend(&report, "\n");
  }
  if (result.differing.size() > named) {
    absl::StrAppend(&report, "  and ", result.differing.size() - named, " more configurations\n");
  }
  return report;
}

}  // namespace muster::conformance
