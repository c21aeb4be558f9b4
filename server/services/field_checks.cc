#include "server/services/field_checks.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/job/validate.h"

namespace muster::services {
namespace {

// As much of a bad value as an error shows.
std::string Shown(const std::string& value) {
  return absl::StrCat("\"", absl::CHexEscape(value.substr(0, 40)), value.size() > 40 ? "\"…" : "\"");
}

bool Printable(const std::string& value) {
  for (unsigned char c : value)
    if (c < 0x20 || c == 0x7f) return false;
  return true;
}

}  // namespace

absl::Status CheckText(absl::string_view field, const std::string& value, int64_t longest) {
  if (static_cast<int64_t>(value.size()) > longest) {
    return FieldError(field, absl::StrCat(Shown(value), " has ", value.size(), " characters"),
                      absl::StrCat("give at most ", longest));
  }
  if (!Printable(value))
    return FieldError(field, absl::StrCat(Shown(value), " has control characters"), "leave them out");
  return absl::OkStatus();
}

absl::Status CheckRequired(absl::string_view field, const std::string& value, int64_t longest) {
  if (value.empty()) return FieldError(field, "is empty", absl::StrCat("give 1 to ", longest, " characters"));
  return CheckText(field, value, longest);
}

absl::Status CheckRange(absl::string_view field, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return FieldError(field, absl::StrCat(value, " is out of range"), absl::StrCat("give ", least, "..", most));
}

absl::Status CheckCount(absl::string_view field, int64_t count, int64_t most) {
  if (count <= most) return absl::OkStatus();
  return FieldError(field, absl::StrCat("has ", count, " entries"), absl::StrCat("give at most ", most));
}

absl::Status CheckDuration(absl::string_view field, const google::protobuf::Duration& duration) {
  const bool whole = duration.nanos() > -1'000'000'000 && duration.nanos() < 1'000'000'000 &&
                     duration.seconds() <= 315'576'000'000 && duration.seconds() >= -315'576'000'000;
  if (whole && duration.seconds() >= 0 && duration.nanos() >= 0) return absl::OkStatus();
  return FieldError(field, absl::StrCat(duration.seconds(), " s and ", duration.nanos(), " ns is no waiting time"),
                    "give a duration of 0 or more");
}

absl::Status CheckPage(int32_t page_size, const std::string& page_token) {
  return AllOf(CheckRange("page_size", page_size, 0, 1000), CheckText("page_token", page_token, kLongestName));
}

absl::Status CheckJob(absl::string_view field, const v1::JobRef& job) {
  if (job.uid().empty() && job.name().empty())
    return FieldError(field, "neither uid nor name is given", "give the job's name or its uid");
  if (absl::Status uid = CheckText(absl::StrCat(field, ".uid"), job.uid(), kLongestId); !uid.ok()) return uid;
  if (!job.namespace_().empty()) {
    if (absl::Status ns = ValidateDnsLabel(absl::StrCat(field, ".namespace"), job.namespace_()); !ns.ok()) return ns;
  }
  return job.name().empty() ? absl::OkStatus() : ValidateDnsLabel(absl::StrCat(field, ".name"), job.name());
}

absl::Status CheckIncarnation(absl::string_view field, bool given, const v1::Incarnation& incarnation) {
  if (!given) return FieldError(field, "is absent", "give the incarnation that this process was started as");
  return AllOf(
      CheckText(absl::StrCat(field, ".uid"), incarnation.uid(), kLongestId),
      CheckRange(absl::StrCat(field, ".restart_attempt"), incarnation.restart_attempt(), 0, INT64_MAX),
      CheckRange(absl::StrCat(field, ".ordinal"), incarnation.ordinal(), 0, INT64_MAX),
      CheckRange(absl::StrCat(field, ".created.seconds"), incarnation.created().seconds(), -62135596800, 253402300799),
      CheckRange(absl::StrCat(field, ".created.nanos"), incarnation.created().nanos(), 0, 999'999'999));
}

absl::Status CheckNode(absl::string_view field, const v1::NodeInfo& node) {
  const auto at = [&](absl::string_view name) { return absl::StrCat(field, ".", name); };
  absl::Status status =
      AllOf(CheckRequired(at("name"), node.name(), kLongestName), CheckText(at("uid"), node.uid(), kLongestName),
            CheckText(at("boot_id"), node.boot_id(), kLongestId), CheckCount(at("labels"), node.labels_size(), 128),
            CheckText(at("address"), node.address(), kLongestName),
            CheckCount(at("accelerators"), node.accelerators_size(), 1024),
            CheckCount(at("capacity"), node.capacity_size(), 64),
            CheckText(at("agent_version"), node.agent_version(), kLongestId),
            CheckCount(at("backends"), node.backends_size(), 16));
  if (!status.ok()) return status;
  if (node.name().find_first_of(" /,") != std::string::npos)
    return FieldError(at("name"), absl::StrCat(Shown(node.name()), " has a space, slash or comma"), "give a host name");
  for (const auto& [key, value] : node.labels()) {
    status = AllOf(CheckRequired(at("labels"), key, kLongestLabelKey),
                   CheckText(at(absl::StrCat("labels.", key.substr(0, 64))), value, kLongestLabelValue));
    if (!status.ok()) return status;
  }
  for (const auto& [key, value] : node.capacity()) {
    status = AllOf(CheckRequired(at("capacity"), key, kLongestName),
                   CheckRange(at(absl::StrCat("capacity.", key.substr(0, 64))), value, 0, 1'000'000'000'000'000));
    if (!status.ok()) return status;
  }
  for (int i = 0; i < node.accelerators_size(); ++i) {
    const v1::Accelerator& accelerator = node.accelerators(i);
    const std::string here = at(absl::StrCat("accelerators[", i, "]"));
    status = AllOf(CheckText(absl::StrCat(here, ".kind"), accelerator.kind(), kLongestId),
                   CheckText(absl::StrCat(here, ".uuid"), accelerator.uuid(), kLongestId),
                   CheckText(absl::StrCat(here, ".pci"), accelerator.pci(), kLongestId));
    if (!status.ok()) return status;
  }
  for (const std::string& backend : node.backends())
    if (status = CheckRequired(at("backends"), backend, 64); !status.ok()) return status;
  return absl::OkStatus();
}

}  // namespace muster::services
