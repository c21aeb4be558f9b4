#include "tests/conformance/tables.h"

#include <openssl/evp.h>

#include <algorithm>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace muster::conformance {
namespace {

// Enough of a value to see what differs.
std::string Shortened(const Json& value) {
  constexpr size_t kLongest = 120;
  std::string text = value.dump();
  if (text.size() > kLongest) {
    text.resize(kLongest);
    absl::StrAppend(&text, "...");
  }
  return text;
}

bool Equal(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a == b;
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), Equal);
  if (a.is_object()) {
    return std::all_of(a.items().begin(), a.items().end(), [&](const auto& item) {
      auto other = b.find(item.key());
      return other != b.end() && Equal(item.value(), *other);
    });
  }
  return a == b;
}

Json Sizes(const Table& table) {
  std::set<size_t> sizes;
  for (const Ranks& group : table) sizes.insert(group.size());
  if (sizes.size() == 1) return *sizes.begin();
  return Json(std::vector<size_t>(sizes.begin(), sizes.end()));
}

}  // namespace

void Differences::Add(absl::string_view field, absl::string_view what) {
  lines_.push_back(absl::StrCat(field, ": ", what));
}

void Differences::Expect(absl::string_view field, const Json& golden, const Json& computed) {
  if (Equal(golden, computed)) return;
  Add(field, absl::StrCat("golden ", Shortened(golden), ", computed ", Shortened(computed)));
}

void Differences::Unknown(absl::string_view field) { Add(field, "no runner knows this field, so it was not compared"); }

std::string Sha256Hex(absl::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr) != 1) return "";
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), length));
}

std::string CanonicalText(const Table& table) {
  std::string text;
  for (const Ranks& group : table) absl::StrAppend(&text, absl::StrJoin(group, ","), "\n");
  return text;
}

void CompareRanks(absl::string_view field, const Json& golden, const Ranks& computed, Differences& differences) {
  if (golden.is_array()) {
    differences.Expect(field, golden, Json(computed));
    return;
  }
  constexpr size_t kShown = 8;
  const size_t shown = std::min(kShown, computed.size());
  differences.Expect(field, golden,
                     Json{{"len", computed.size()},
                          {"head", Ranks(computed.begin(), computed.begin() + shown)},
                          {"tail", Ranks(computed.end() - shown, computed.end())}});
}

bool IsTableKey(absl::string_view key) {
  return key == "n" || key == "size" || key == "sha256" || key == "groups" || key == "first" || key == "middle" ||
         key == "last";
}

void CompareTable(absl::string_view field, const Json& golden, const Table& computed, Differences& differences) {
  differences.Expect(absl::StrCat(field, ".n"), golden.at("n"), computed.size());
  // No groups have no size to speak of: 0, [] and null have all the same meaning.
  if (!computed.empty()) differences.Expect(absl::StrCat(field, ".size"), golden.at("size"), Sizes(computed));
  if (golden.contains("groups")) {
    const Json& groups = golden.at("groups");
    for (size_t i = 0; i < std::min<size_t>(groups.size(), computed.size()); ++i) {
      CompareRanks(absl::StrCat(field, ".groups[", i, "]"), groups[i], computed[i], differences);
    }
    differences.Expect(absl::StrCat(field, ".groups (how many)"), groups.size(), computed.size());
  }
  if (!computed.empty()) {
    if (golden.contains("first")) {
      CompareRanks(absl::StrCat(field, ".first"), golden["first"], computed.front(), differences);
    }
    if (golden.contains("middle")) {
      CompareRanks(absl::StrCat(field, ".middle"), golden["middle"], computed[computed.size() / 2], differences);
    }
    if (golden.contains("last")) {
      CompareRanks(absl::StrCat(field, ".last"), golden["last"], computed.back(), differences);
    }
  }
  differences.Expect(absl::StrCat(field, ".sha256"), golden.at("sha256"), Sha256Hex(CanonicalText(computed)));
}

void CompareTables(absl::string_view field, const Json& golden, const std::vector<NamedTable>& computed,
                   Differences& differences) {
  for (const auto& [name, table] : golden.items()) {
    const std::string path = absl::StrCat(field, ".", name);
    auto found = std::find_if(computed.begin(), computed.end(), [&](const NamedTable& t) { return t.name == name; });
    if (found == computed.end()) {
      differences.Add(path, "in the golden file, not computed");
      continue;
    }
    const Json& target = table.contains("same_as") ? golden.at(table["same_as"].get<std::string>()) : table;
    CompareTable(path, target, found->table, differences);
    for (const auto& [key, value] : table.items()) {
      if (!IsTableKey(key) && key != "same_as") differences.Unknown(absl::StrCat(path, ".", key));
    }
  }
  for (const NamedTable& table : computed) {
    if (!golden.contains(table.name)) {
      differences.Add(absl::StrCat(field, ".", table.name), "computed, not in the golden file");
    }
  }
}

void CompareRefusal(const Json& config, absl::string_view rule, absl::string_view message, Differences& differences) {
  const std::string golden_rule = config.at("error").at("rule").get<std::string>();
  if (rule == golden_rule) return;
  differences.Add("error.rule", absl::StrCat("golden ", golden_rule, ", computed ",
                                             rule.empty() ? "no refusal" : absl::StrCat(rule, " (", message, ")")));
}

}  // namespace muster::conformance
