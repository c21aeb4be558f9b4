#include "lib/base/errors.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace muster {
namespace {

constexpr absl::string_view kDetailUrl = "type.googleapis.com/muster.v1.OutcomeDetail";

// Levenshtein distance with swaps of neighbours counted as one, over words cut to 64 letters.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  a = a.substr(0, 64);
  b = b.substr(0, 64);
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

absl::Status FieldError(absl::string_view field, absl::string_view problem, absl::string_view way_out) {
  absl::Status status = absl::InvalidArgumentError(
      absl::StrCat(field, field.empty() ? "" : ": ", problem, way_out.empty() ? "" : "; ", way_out));
  v1::OutcomeDetail detail;
  detail.set_outcome(v1::BAD_REQUEST);
  detail.set_field(std::string(field));
  detail.set_way_out(std::string(way_out));
  SetDetail(status, detail);
  return status;
}

absl::Status OutcomeError(absl::StatusCode code, v1::Outcome outcome, absl::string_view message,
                          absl::string_view way_out) {
  absl::Status status(code, absl::StrCat(message, way_out.empty() ? "" : "; ", way_out));
  v1::OutcomeDetail detail;
  detail.set_outcome(outcome);
  detail.set_way_out(std::string(way_out));
  SetDetail(status, detail);
  return status;
}

absl::optional<v1::OutcomeDetail> DetailOf(const absl::Status& status) {
  absl::optional<absl::Cord> payload = status.GetPayload(kDetailUrl);
  v1::OutcomeDetail detail;
  if (!payload || !detail.ParseFromString(std::string(*payload))) return absl::nullopt;
  return detail;
}

void SetDetail(absl::Status& status, const v1::OutcomeDetail& detail) {
  status.SetPayload(kDetailUrl, absl::Cord(detail.SerializeAsString()));
}

std::string FewNames(const std::vector<std::string>& names, size_t shown) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < shown; ++i) absl::StrAppend(&out, i == 0 ? "" : ", ", names[i]);
  if (names.size() > shown) absl::StrAppend(&out, " and ", names.size() - shown, " more");
  return out;
}

std::string NearestName(absl::string_view word, const std::vector<std::string>& candidates) {
  size_t best = std::max<size_t>(1, std::min<size_t>(3, word.size() / 2)) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace muster
