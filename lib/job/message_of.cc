#include "lib/job/message_of.h"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/job/duration_text.h"
#include "proto/muster/v1/mesh.pb.h"

namespace muster {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Kind = YamlNode::Kind;

std::string Shown(const YamlNode& node) {
  if (node.kind != Kind::kScalar) return node.KindName();
  return absl::StrCat("\"", node.text.substr(0, 64), node.text.size() > 64 ? "…" : "", "\"");
}

// "010": eight to some readers of YAML, ten to others.
bool HasLeadingZero(absl::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && absl::ascii_isdigit(static_cast<unsigned char>(text[1]));
}

std::string Squeezed(const std::string& name) {
  std::string squeezed;
  for (const char c : name) {
    if (c != '_' && c != '-') squeezed += absl::ascii_tolower(static_cast<unsigned char>(c));
  }
  return squeezed;
}

const FieldDescriptor* FindField(const Descriptor& type, const std::string& key) {
  for (int i = 0; i < type.field_count(); ++i) {
    if (type.field(i)->name() == key || type.field(i)->json_name() == key) return type.field(i);
  }
  return nullptr;
}

// One message's fields from one map.
class Reader {
 public:
  Reader(FileContext& context, Message& message) : context_(context), message_(message) {}

  absl::Status Read(const YamlNode& tree, const std::string& path) {
    if (tree.kind != Kind::kMap) {
      return FileError(context_, tree, path, absl::StrCat(Shown(tree), " where a map of fields belongs"),
                       absl::StrCat("it knows ", FewNames(FieldNames(), 8)));
    }
    std::set<int> seen;
    for (const auto& [key, value] : tree.entries) {
      const std::string field_path = absl::StrCat(path, path.empty() ? "" : ".", key.text.substr(0, 128));
      const FieldDescriptor* field = FindField(*message_.GetDescriptor(), key.text);
      if (field == nullptr) return Unknown(key, field_path);
      if (!seen.insert(field->number()).second) {
        return FileError(context_, key, field_path, "the field is there twice", "keep one");
      }
      context_.lines[absl::StrCat(path, path.empty() ? "" : ".", field->json_name())] = key.line;
      if (value.kind == Kind::kNull) continue;
      const std::string at = absl::StrCat(path, path.empty() ? "" : ".", field->json_name());
      if (absl::Status status = ReadField(value, at, *field); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  std::vector<std::string> FieldNames() const {
    std::vector<std::string> names;
    const Descriptor& type = *message_.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->json_name());
    return names;
  }

  absl::Status Unknown(const YamlNode& key, const std::string& path) {
    const std::string nearest = NearestName(key.text, FieldNames());
    return FileError(context_, key, path, "unknown field",
                     absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean \"", nearest, "\"? "),
                                  "(known here: ", FewNames(FieldNames(), 12), ")"));
  }

  absl::Status ReadField(const YamlNode& value, const std::string& path, const FieldDescriptor& field) {
    if (field.is_map()) return ReadMap(value, path, field);
    if (!field.is_repeated()) return ReadOne(value, path, field, false);
    if (field.full_name() == "muster.v1.MeshSpec.axes" && value.kind == Kind::kMap) return ReadAxes(value, path);
    if (value.kind != Kind::kList) {
      return FileError(context_, value, path, absl::StrCat(Shown(value), " where a list belongs"), "write it as [ … ]");
    }
    for (size_t i = 0; i < value.items.size(); ++i) {
      const std::string at = absl::StrCat(path, "[", i, "]");
      context_.lines[at] = value.items[i].line;
      if (absl::Status status = ReadOne(value.items[i], at, field, true); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadAxes(const YamlNode& value, const std::string& path) {
    auto& mesh = static_cast<v1::MeshSpec&>(message_);
    std::set<std::string> seen;
    for (const auto& [key, size] : value.entries) {
      const std::string at = absl::StrCat(path, ".", key.text.substr(0, 64));
      context_.lines[at] = key.line;
      if (!seen.insert(key.text).second) return FileError(context_, key, at, "the axis is there twice", "keep one");
      int64_t number = 0;
      if (size.kind != Kind::kScalar || size.quoted || HasLeadingZero(size.text) ||
          !absl::SimpleAtoi(size.text, &number)) {
        return FileError(context_, size, at, absl::StrCat(Shown(size), " is not a whole number"),
                         "give the axis' size");
      }
      v1::MeshSpec::Axis& axis = *mesh.add_axes();
      axis.set_name(key.text);
      axis.set_size(number);
    }
    return absl::OkStatus();
  }

  absl::Status ReadMap(const YamlNode& value, const std::string& path, const FieldDescriptor& field) {
    if (value.kind != Kind::kMap) {
      return FileError(context_, value, path, absl::StrCat(Shown(value), " where a map belongs"),
                       "write it as {key: value}");
    }
    const Reflection& reflection = *message_.GetReflection();
    const FieldDescriptor& value_field = *field.message_type()->map_value();
    std::set<std::string> seen;
    for (const auto& [key, entry_value] : value.entries) {
      const std::string at = absl::StrCat(path, ".", key.text.substr(0, 128));
      context_.lines[at] = key.line;
      if (!seen.insert(key.text).second) return FileError(context_, key, at, "the key is there twice", "keep one");
      Message* entry = reflection.AddMessage(&message_, &field);
      entry->GetReflection()->SetString(entry, field.message_type()->map_key(), key.text);
      if (entry_value.kind == Kind::kNull && value_field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        entry->GetReflection()->SetString(entry, &value_field, "");
        continue;
      }
      if (absl::Status status = Reader(context_, *entry).ReadOne(entry_value, at, value_field, false); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  // A value of a field; `add` to a repeated one.
  absl::Status ReadOne(const YamlNode& value, const std::string& path, const FieldDescriptor& field, bool add) {
    const Reflection& r = *message_.GetReflection();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (field.message_type()->full_name() == "google.protobuf.Duration") return ReadDuration(value, path, field);
      Message* child = add ? r.AddMessage(&message_, &field) : r.MutableMessage(&message_, &field);
      return Reader(context_, *child).Read(value, path);
    }
    if (value.kind != Kind::kScalar) {
      return FileError(context_, value, path, absl::StrCat(Shown(value), " where a single value belongs"),
                       "write one value");
    }
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        add ? r.AddString(&message_, &field, value.text) : r.SetString(&message_, &field, value.text);
        return absl::OkStatus();
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_INT64:
        return ReadNumber(value, path, field, add);
      case FieldDescriptor::CPPTYPE_BOOL:
        return ReadBool(value, path, field, add);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return ReadDouble(value, path, field, add);
      case FieldDescriptor::CPPTYPE_ENUM:
        return ReadEnum(value, path, field, add);
      default:
        return FileError(context_, value, path, "a field of this type can't be set from a file", "leave it out");
    }
  }

  absl::Status ReadNumber(const YamlNode& value, const std::string& path, const FieldDescriptor& field, bool add) {
    const Reflection& r = *message_.GetReflection();
    const bool narrow = field.cpp_type() == FieldDescriptor::CPPTYPE_INT32;
    int64_t number = 0;
    if (!value.quoted && HasLeadingZero(value.text))
      return FileError(context_, value, path, absl::StrCat(Shown(value), " begins with 0, which some read as octal"),
                       "write it without");
    if (value.quoted || !absl::SimpleAtoi(value.text, &number)) {
      return FileError(context_, value, path, absl::StrCat(Shown(value), " is not a whole number"),
                       "give one, without quotes and unit");
    }
    if (narrow && (number > std::numeric_limits<int32_t>::max() || number < std::numeric_limits<int32_t>::min())) {
      return FileError(context_, value, path, absl::StrCat(number, " is out of range"),
                       absl::StrCat("at most ", std::numeric_limits<int32_t>::max()));
    }
    const auto small = static_cast<int32_t>(narrow ? number : 0);
    if (narrow) {
      add ? r.AddInt32(&message_, &field, small) : r.SetInt32(&message_, &field, small);
    } else {
      add ? r.AddInt64(&message_, &field, number) : r.SetInt64(&message_, &field, number);
    }
    return absl::OkStatus();
  }

  absl::Status ReadBool(const YamlNode& value, const std::string& path, const FieldDescriptor& field, bool add) {
    if (value.quoted || (value.text != "true" && value.text != "false")) {
      return FileError(context_, value, path, absl::StrCat(Shown(value), " is neither true nor false"),
                       "give one of the two");
    }
    const Reflection& r = *message_.GetReflection();
    const bool yes = value.text == "true";
    add ? r.AddBool(&message_, &field, yes) : r.SetBool(&message_, &field, yes);
    return absl::OkStatus();
  }

  absl::Status ReadDouble(const YamlNode& value, const std::string& path, const FieldDescriptor& field, bool add) {
    double number = 0;
    if (value.quoted || !absl::SimpleAtod(value.text, &number) || !std::isfinite(number)) {
      return FileError(context_, value, path, absl::StrCat(Shown(value), " is not a number"),
                       "give one, without quotes");
    }
    const Reflection& r = *message_.GetReflection();
    add ? r.AddDouble(&message_, &field, number) : r.SetDouble(&message_, &field, number);
    return absl::OkStatus();
  }

  absl::Status ReadEnum(const YamlNode& value, const std::string& path, const FieldDescriptor& field, bool add) {
    const EnumDescriptor& type = *field.enum_type();
    std::vector<std::string> names;
    for (int i = 0; i < type.value_count(); ++i) {
      const EnumValueDescriptor& known = *type.value(i);
      if (absl::EndsWith(known.name(), "_UNSPECIFIED")) continue;
      names.push_back(EnumText(known));
      if (Squeezed(known.name()) != Squeezed(value.text)) continue;
      const Reflection& r = *message_.GetReflection();
      add ? r.AddEnum(&message_, &field, &known) : r.SetEnum(&message_, &field, &known);
      return absl::OkStatus();
    }
    const std::string nearest = NearestName(value.text, names);
    return FileError(context_, value, path, absl::StrCat(Shown(value), " is unknown"),
                     nearest.empty()
                         ? absl::StrCat("use one of ", absl::StrJoin(names, ", "))
                         : absl::StrCat("did you mean \"", nearest, "\"? (known: ", absl::StrJoin(names, ", "), ")"));
  }

  absl::Status ReadDuration(const YamlNode& value, const std::string& path, const FieldDescriptor& field) {
    if (value.kind != Kind::kScalar) {
      return FileError(context_, value, path, absl::StrCat(Shown(value), " where a duration belongs"),
                       "write \"90s\" or \"10m\"");
    }
    const auto duration = ParseDurationText(value.text);
    if (!duration.ok()) {
      return FileError(context_, value, path, std::string(duration.status().message()), "");
    }
    message_.GetReflection()->MutableMessage(&message_, &field)->CopyFrom(*duration);
    return absl::OkStatus();
  }

  FileContext& context_;
  Message& message_;
};

}  // namespace

std::string EnumText(const EnumValueDescriptor& value) {
  std::string text = absl::AsciiStrToLower(value.name());
  return text;
}

absl::Status FileError(const FileContext& context, const YamlNode& node, absl::string_view field,
                       absl::string_view problem, absl::string_view way_out) {
  return AtLine(FieldError(field, problem, way_out), context.file, node.line);
}

absl::Status FillMessage(const YamlNode& tree, const std::string& path, FileContext& context, Message& message) {
  return Reader(context, message).Read(tree, path);
}

}  // namespace muster
