#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/job/duration_text.h"
#include "lib/job/job_file.h"
#include "lib/job/message_of.h"

namespace muster {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Plain where nothing could take it for something else; else in double quotes, as JSON has them.
std::string Text(const std::string& text) {
  double number = 0;
  const bool safe = !text.empty() && text.size() < 128 && absl::ascii_isalpha(static_cast<unsigned char>(text[0])) &&
                    std::all_of(text.begin(), text.end(), [](unsigned char c) {
                      return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/';
                    });
  const std::string lower = absl::AsciiStrToLower(text);
  const bool word = lower == "true" || lower == "false" || lower == "null" || lower == "yes" || lower == "no" ||
                    lower == "on" || lower == "off" || lower == "y" || lower == "n" || absl::SimpleAtod(text, &number);
  if (safe && !word) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      const char hex[] = "0123456789abcdef";
      absl::StrAppend(&quoted, "\\x", std::string(1, hex[byte >> 4]), std::string(1, hex[byte & 15]));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

class Writer {
 public:
  std::string Take() { return std::move(out_); }
  void Line(int depth, const std::string& text) { absl::StrAppend(&out_, std::string(2 * depth, ' '), text, "\n"); }

  void Fields(const Message& message, int depth) {
    std::vector<const FieldDescriptor*> set;
    message.GetReflection()->ListFields(message, &set);
    for (const FieldDescriptor* field : set) Field(message, *field, depth);
  }

 private:
  void Field(const Message& message, const FieldDescriptor& field, int depth) {
    const Reflection& r = *message.GetReflection();
    const std::string& name = field.json_name();
    if (field.is_map()) {
      Line(depth, name + ":");
      std::map<std::string, std::string> entries;
      for (int i = 0; i < r.FieldSize(message, &field); ++i) {
        const Message& entry = r.GetRepeatedMessage(message, &field, i);
        const std::string key = entry.GetReflection()->GetString(entry, field.message_type()->map_key());
        entries[key] = Value(entry, *field.message_type()->map_value(), -1);
      }
      for (const auto& [key, value] : entries) Line(depth + 1, absl::StrCat(Text(key), ": ", value));
      return;
    }
    const bool message_field = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (message_field && !field.is_repeated() && field.message_type()->full_name() != "google.protobuf.Duration") {
      const Message& child = r.GetMessage(message, &field);
      if (child.ByteSizeLong() == 0) {
        Line(depth, name + ": {}");
        return;
      }
      Line(depth, name + ":");
      Fields(child, depth + 1);
      return;
    }
    if (!field.is_repeated()) {
      Line(depth, absl::StrCat(name, ": ", Value(message, field, -1)));
      return;
    }
    std::vector<std::string> values;
    for (int i = 0; i < r.FieldSize(message, &field); ++i) {
      values.push_back(message_field ? Flow(r.GetRepeatedMessage(message, &field, i)) : Value(message, field, i));
    }
    if (field.full_name() == "muster.v1.MeshSpec.axes") return Axes(message, field, depth);
    Line(depth, name + ":");
    for (const std::string& value : values) Line(depth + 1, "- " + value);
  }

  void Axes(const Message& message, const FieldDescriptor& field, int depth) {
    Line(depth, "axes:");
    const Reflection& r = *message.GetReflection();
    for (int i = 0; i < r.FieldSize(message, &field); ++i) {
      const auto& axis = static_cast<const v1::MeshSpec::Axis&>(r.GetRepeatedMessage(message, &field, i));
      Line(depth + 1, absl::StrCat(Text(axis.name()), ": ", axis.size()));
    }
  }

  // A small message on one line.
  std::string Flow(const Message& message) {
    std::vector<const FieldDescriptor*> set;
    const Reflection& r = *message.GetReflection();
    r.ListFields(message, &set);
    std::string text = "{";
    for (const FieldDescriptor* field : set) {
      absl::StrAppend(&text, text.size() > 1 ? ", " : "", field->json_name(), ": ");
      if (!field->is_repeated()) {
        absl::StrAppend(&text, Value(message, *field, -1));
        continue;
      }
      text += "[";
      for (int i = 0; i < r.FieldSize(message, field); ++i)
        absl::StrAppend(&text, i > 0 ? ", " : "", Value(message, *field, i));
      text += "]";
    }
    return text + "}";
  }

  // One value; `index` < 0 for a field that isn't repeated.
  std::string Value(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& r = *message.GetReflection();
    const bool one = index < 0;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return Text(one ? r.GetString(message, &field) : r.GetRepeatedString(message, &field, index));
      case FieldDescriptor::CPPTYPE_INT32:
        return absl::StrCat(one ? r.GetInt32(message, &field) : r.GetRepeatedInt32(message, &field, index));
      case FieldDescriptor::CPPTYPE_INT64:
        return absl::StrCat(one ? r.GetInt64(message, &field) : r.GetRepeatedInt64(message, &field, index));
      case FieldDescriptor::CPPTYPE_BOOL:
        return (one ? r.GetBool(message, &field) : r.GetRepeatedBool(message, &field, index)) ? "true" : "false";
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return absl::StrCat(one ? r.GetDouble(message, &field) : r.GetRepeatedDouble(message, &field, index));
      case FieldDescriptor::CPPTYPE_ENUM:
        return EnumText(one ? *r.GetEnum(message, &field) : *r.GetRepeatedEnum(message, &field, index));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (field.message_type()->full_name() == "google.protobuf.Duration" && one) {
          google::protobuf::Duration duration;
          duration.CopyFrom(r.GetMessage(message, &field));
          return DurationText(duration);
        }
        return "{}";
      default:
        return "\"\"";
    }
  }

  std::string out_;
};

}  // namespace

std::string ToYaml(absl::string_view ns, absl::string_view name, const v1::JobSpec& spec) {
  Writer writer;
  writer.Line(0, absl::StrCat("name: ", Text(std::string(name))));
  if (!ns.empty()) writer.Line(0, absl::StrCat("namespace: ", Text(std::string(ns))));
  writer.Line(0, "spec:");
  writer.Fields(spec, 1);
  return writer.Take();
}

}  // namespace muster
