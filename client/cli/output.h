#pragma once
// The same facts for people and for programs: -o table, wide, json, yaml, name.

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/screen.h"
#include "google/protobuf/message.h"

namespace muster::cli {

enum class Format { kTable, kWide, kJson, kYaml, kName };

// Usage error, with the nearest name.
absl::StatusOr<Format> ParseFormat(const std::string& text);

inline bool ForPrograms(Format format) { return format == Format::kJson || format == Format::kYaml; }

// Protobuf's JSON mapping: lowerCamelCase names, 64-bit integers as strings, every plain field present also where it
// has its default value. Ends with a newline.
std::string ToJson(const google::protobuf::Message& message);
// The same data as YAML.
std::string ToYamlText(const google::protobuf::Message& message);

// Preconditions: ForPrograms(format); `json` is JSON of our own making.
void PrintJson(Screen& out, Format format, const std::string& json);
void PrintDocument(Screen& out, Format format, const google::protobuf::Message& message);

}  // namespace muster::cli
