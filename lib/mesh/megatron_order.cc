#include "lib/mesh/megatron_order.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

constexpr char kGtp[] = "gtp_remat";

using Tokens = std::vector<std::string>;

bool Has(const Tokens& tokens, absl::string_view token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

const Axis* AxisNamed(absl::Span<const Axis> sizes, absl::string_view name) {
  for (const Axis& axis : sizes) {
    if (axis.name == name) return &axis;
  }
  return nullptr;
}

// The order as a message shows it: escaped, and not endless.
std::string Quoted(absl::string_view text) {
  constexpr size_t kShown = 64;
  std::string shown = absl::CHexEscape(text.substr(0, kShown));
  if (text.size() > kShown) absl::StrAppend(&shown, "...");
  return absl::StrCat("'", shown, "'");
}

std::string AxisNames(absl::Span<const Axis> sizes) {
  return absl::StrJoin(sizes, ", ", [](std::string* out, const Axis& axis) { absl::StrAppend(out, axis.name); });
}

absl::Status Missing(absl::string_view order, const Axis& axis, const Tokens& tokens, absl::Span<const Axis> sizes) {
  std::string message = absl::StrCat("order: ", Quoted(order), " does not name ", axis.name, ", which has size ",
                                     axis.size, ". Add ", axis.name);
  for (const std::string& token : tokens) {
    if (AxisNamed(sizes, token) != nullptr) continue;
    absl::StrAppend(&message, token.empty() ? "" : absl::StrCat("; ", Quoted(token), " is no axis"));
    break;
  }
  return Refuse("axis_missing_from_order", message);
}

}  // namespace

std::string WithGtpAxis(absl::string_view order, absl::Span<const absl::string_view> anchors, Compat compat) {
  const std::string text = compat == Compat::kUpstream ? std::string(order) : absl::AsciiStrToLower(order);
  Tokens tokens = absl::StrSplit(text, '-');
  if (compat == Compat::kUpstream ? absl::StrContains(text, kGtp) : Has(tokens, kGtp)) return text;
  for (absl::string_view anchor : anchors) {
    const auto found = std::find(tokens.begin(), tokens.end(), anchor);
    if (found == tokens.end()) continue;
    tokens.insert(found + 1, kGtp);
    return absl::StrJoin(tokens, "-");
  }
  tokens.insert(tokens.begin(), kGtp);
  return absl::StrJoin(tokens, "-");
}

absl::StatusOr<Tokens> OrderTokens(absl::string_view order, absl::Span<const Axis> sizes, Compat compat) {
  std::string text = absl::AsciiStrToLower(order);
  Tokens tokens = absl::StrSplit(text, '-');
  for (const Axis& axis : sizes) {
    const bool named = compat == Compat::kUpstream ? absl::StrContains(text, axis.name) : Has(tokens, axis.name);
    if (named) continue;
    if (axis.size != 1) return Missing(order, axis, tokens, sizes);
    absl::StrAppend(&text, "-", axis.name);
    tokens.push_back(axis.name);
  }
  Tokens distinct;
  for (const std::string& token : tokens) {
    const Axis* axis = AxisNamed(sizes, token);
    if (axis == nullptr) {
      return Refuse("order_token_unknown", absl::StrCat("order: ", Quoted(order), " names ", Quoted(token),
                                                        ", which is no axis. Axes: ", AxisNames(sizes)));
    }
    if (!Has(distinct, token)) {
      distinct.push_back(token);
    } else if (compat == Compat::kCareful || axis->size != 1) {
      return Refuse("order_token_duplicate",
                    absl::StrCat("order: ", Quoted(order), " names ", token, " twice; each axis has one place"));
    }
  }
  return distinct;
}

}  // namespace muster::mesh
