#include "lib/topology/tiers.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/errors.h"

namespace muster {
namespace {

constexpr size_t kMaxNameLength = 317;  // of a Kubernetes label key

absl::Status CheckText(absl::string_view field, absl::string_view what, absl::string_view text) {
  if (text.empty()) return FieldError(field, absl::StrCat("the ", what, " is empty"), "give every tier one");
  if (text.size() <= kMaxNameLength) return absl::OkStatus();
  return FieldError(field,
                    absl::StrCat("the ", what, " \"", text.substr(0, 32), "…\" has ", text.size(), " characters"),
                    absl::StrCat("at most ", kMaxNameLength, " are allowed"));
}

std::string NameOf(absl::string_view label) {
  const size_t slash = label.rfind('/');
  absl::string_view name = slash == absl::string_view::npos ? label : label.substr(slash + 1);
  absl::string_view stripped = absl::StripPrefix(name, "topology-");
  return std::string(stripped.empty() ? name : stripped);
}

}  // namespace

absl::StatusOr<Tiers> Tiers::Create(std::vector<Tier> tiers, absl::string_view field) {
  if (tiers.size() > kMaxTiers) {
    return FieldError(
        field, absl::StrCat("there are ", tiers.size(), " tiers"),
        absl::StrCat("at most ", kMaxTiers, " are allowed; leave out those that no network boundary has"));
  }
  std::set<std::string> names;
  std::set<std::string> labels;
  for (size_t i = 0; i < tiers.size(); ++i) {
    const std::string at = absl::StrCat(field, "[", i, "]");
    if (absl::Status status = CheckText(at, "name", tiers[i].name); !status.ok()) return status;
    if (absl::Status status = CheckText(at, "label", tiers[i].label); !status.ok()) return status;
    if (!labels.insert(tiers[i].label).second) {
      return FieldError(at, absl::StrCat("label \"", tiers[i].label, "\" is there twice"), "one tier a label");
    }
    if (!names.insert(tiers[i].name).second) {
      return FieldError(at, absl::StrCat("name \"", tiers[i].name, "\" is there twice"),
                        "give each tier a name of its own: {name: …, label: …}");
    }
  }
  Tiers created;
  created.tiers_ = std::move(tiers);
  return created;
}

absl::StatusOr<Tiers> Tiers::FromLabels(const std::vector<std::string>& labels, absl::string_view field) {
  std::vector<Tier> tiers;
  for (const std::string& label : labels) tiers.push_back({NameOf(label), label});
  return Create(std::move(tiers), field);
}

absl::optional<size_t> Tiers::Find(absl::string_view name) const {
  for (size_t i = 0; i < tiers_.size(); ++i) {
    if (tiers_[i].name == name) return i;
  }
  for (size_t i = 0; i < tiers_.size(); ++i) {
    if (tiers_[i].label == name) return i;
  }
  return absl::nullopt;
}

std::vector<std::string> Tiers::Names() const {
  std::vector<std::string> names;
  for (const Tier& tier : tiers_) names.push_back(tier.name);
  return names;
}

std::string PathText(absl::Span<const std::string> path) {
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : "/", path[i].empty() ? "-" : path[i]);
  return text;
}

}  // namespace muster
