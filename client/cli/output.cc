#include "client/cli/output.h"

#include <google/protobuf/util/json_util.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/escape.h"
#include "client/cli/exit_code.h"
#include "lib/base/errors.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

Json JsonOf(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string text;
  // Fails only for google.protobuf.Any of an unknown type; no message that is printed here has one.
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) return Json::object();
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// A word that YAML 1.1 and 1.2 both read as this very string.
bool IsPlainWord(const std::string& text) {
  static const std::set<std::string> kTaken = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  if (text.empty() || !std::isalpha(static_cast<unsigned char>(text[0])) || kTaken.count(absl::AsciiStrToLower(text))) {
    return false;
  }
  for (const char c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.' && c != '/') return false;
  }
  return true;
}

std::string Scalar(const Json& value) {
  if (value.is_string() && IsPlainWord(value.get_ref<const std::string&>())) return value.get<std::string>();
  // A JSON string is a double-quoted YAML string.
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool IsScalar(const Json& value) { return !value.is_structured() || value.empty(); }

void AppendYaml(const Json& value, size_t depth, std::string* out) {
  const std::string indent(depth * 2, ' ');
  bool first = true;
  if (value.is_object()) {
    for (const auto& [key, entry] : value.items()) {
      // The first key of a list's entry stands on the dash's line.
      absl::StrAppend(out, first && !out->empty() && out->back() == ' ' ? "" : indent, Scalar(Json(key)), ":");
      first = false;
      if (IsScalar(entry)) {
        absl::StrAppend(out, " ", Scalar(entry), "\n");
      } else {
        out->push_back('\n');
        AppendYaml(entry, depth + 1, out);
      }
    }
    return;
  }
  for (const Json& entry : value) {
    absl::StrAppend(out, indent, "- ");
    if (IsScalar(entry)) {
      absl::StrAppend(out, Scalar(entry), "\n");
    } else if (entry.is_array()) {
      out->back() = '\n';
      AppendYaml(entry, depth + 1, out);
    } else {
      AppendYaml(entry, depth + 1, out);
    }
  }
}

std::string JsonText(const Json& json) {
  return PrintableJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

std::string YamlText(const Json& json) {
  if (IsScalar(json)) return Scalar(json) + "\n";
  std::string out;
  AppendYaml(json, 0, &out);
  return PrintableJson(out);
}

}  // namespace

absl::StatusOr<Format> ParseFormat(const std::string& text) {
  static const std::vector<std::pair<std::string, Format>> kFormats = {{"table", Format::kTable},
                                                                       {"wide", Format::kWide},
                                                                       {"json", Format::kJson},
                                                                       {"yaml", Format::kYaml},
                                                                       {"name", Format::kName}};
  std::vector<std::string> names;
  for (const auto& [name, format] : kFormats) {
    if (name == text) return format;
    names.push_back(name);
  }
  const std::string nearest = NearestName(text, names);
  return UsageError(absl::StrCat("--output ", text, ": unknown format",
                                 nearest.empty() ? "" : absl::StrCat("; did you mean \"", nearest, "\"?")),
                    "formats: table, wide, json, yaml, name");
}

std::string ToJson(const google::protobuf::Message& message) { return JsonText(JsonOf(message)); }

std::string ToYamlText(const google::protobuf::Message& message) { return YamlText(JsonOf(message)); }

void PrintJson(Screen& out, Format format, const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  out.Raw(format == Format::kYaml ? YamlText(json) : JsonText(json));
}

void PrintDocument(Screen& out, Format format, const google::protobuf::Message& message) {
  out.Raw(format == Format::kYaml ? ToYamlText(message) : ToJson(message));
}

}  // namespace muster::cli
