#include "lib/inventory/source_error.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "lib/base/errors.h"
#include "lib/job/yaml_tree.h"

namespace muster::inventory {
namespace {
constexpr char kKindPayload[] = "muster.v1/source-error";
}  // namespace

absl::Status SourceError(absl::string_view kind, absl::string_view file, int line, absl::string_view problem,
                         absl::string_view way_out) {
  return WithKind(AtLine(FieldError("", problem, way_out), file, line), kind);
}

absl::Status WithKind(absl::Status status, absl::string_view kind) {
  status.SetPayload(kKindPayload, absl::Cord(kind));
  return status;
}

std::string KindOf(const absl::Status& status) {
  const absl::optional<absl::Cord> kind = status.GetPayload(kKindPayload);
  return kind ? std::string(*kind) : std::string();
}

std::string Brief(absl::string_view text) { return absl::StrCat(text.substr(0, 64), text.size() > 64 ? "…" : ""); }

}  // namespace muster::inventory
