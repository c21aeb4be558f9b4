#include "tests/conformance/peers.h"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace muster::conformance {
namespace {

constexpr int64_t kSchema = 1;
constexpr size_t kNamed = 5;

using Check = void (*)(const Json&, const std::string&, PeerCase&);

const std::map<std::string, Check>& Subjects() {
  static const auto& subjects = *new std::map<std::string, Check>{{"kueue_tas", CheckKueueTas},
                                                                  {"kueue_rank_order", CheckKueueRankOrder},
                                                                  {"nvrx_ranks", CheckNvrxRanks},
                                                                  {"topology_files", CheckTopologyFile}};
  return subjects;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": can't be opened"));
  try {
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  } catch (const std::exception& error) {  // libstdc++'s, for a folder
    return absl::NotFoundError(absl::StrCat(path, ": can't be read: ", error.what()));
  }
}

absl::Status CheckCases(const Json& file, Check check, const std::string& path, PeerResult& result) {
  const std::string folder = path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
  for (const Json& one : file.at("cases")) {
    const std::string id = one.value("id", "?");
    PeerCase outcome;
    try {
      check(one, folder, outcome);
    } catch (const std::exception& error) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": case ", id, ": not of this schema: ", error.what()));
    }
    if (!outcome.out_of_scope.empty()) {
      ++result.out_of_scope[outcome.out_of_scope];
      continue;
    }
    ++result.cases;
    if (!outcome.decided.empty()) ++result.decided[outcome.decided];
    if (!outcome.differences.empty()) result.differing.emplace_back(id, outcome.differences.lines());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PeerResult> CheckPeerFile(const std::string& path) {
  const auto text = ReadFile(path);
  if (!text.ok()) return text.status();
  const Json file = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!file.is_object()) return absl::InvalidArgumentError(absl::StrCat(path, ": is no JSON object"));
  if (!file.contains("schema") || file["schema"] != kSchema || !file.contains("cases") || !file["cases"].is_array()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": this tool reads peer cases of schema ", kSchema));
  }
  PeerResult result;
  result.subject = file.contains("subject") && file["subject"].is_string() ? file["subject"].get<std::string>() : "";
  const auto check = Subjects().find(result.subject);
  if (check == Subjects().end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": subject '", result.subject, "' is unknown; there are ",
                     absl::StrJoin(Subjects(), ", ",
                                   [](std::string* out, const auto& entry) { absl::StrAppend(out, entry.first); })));
  }
  if (absl::Status status = CheckCases(file, check->second, path, result); !status.ok()) return status;
  return result;
}

std::string Report(const PeerResult& result) {
  std::string report = absl::StrCat(result.subject, ": ", result.equal(), " of ", result.cases, "\n");
  for (size_t i = 0; i < std::min(kNamed, result.differing.size()); ++i) {
    absl::StrAppend(&report, "  ", result.differing[i].first, ": ", absl::StrJoin(result.differing[i].second, "; "),
                    "\n");
  }
  if (result.differing.size() > kNamed) {
    absl::StrAppend(&report, "  and ", result.differing.size() - kNamed, " more cases\n");
  }
  for (const auto& [rule, count] : result.decided) {
    absl::StrAppend(&report, "  of these, ", count, " otherwise by decision: ", rule, "\n");
  }
  for (const auto& [reason, count] : result.out_of_scope) {
    absl::StrAppend(&report, "  not in scope: ", count, ", ", reason, "\n");
  }
  return report;
}

}  // namespace muster::conformance
