#include "lib/placement/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <map>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace muster::placement {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string Quoted(const std::string& text) { return absl::StrCat(text.size(), ":", text); }

void AppendFields(const Message& message, const std::string& path, std::string& out);

// One value; `index` < 0 for a field that isn't repeated.
void AppendValue(const Message& message, const FieldDescriptor& field, int index, const std::string& path,
                 std::string& out) {
  const Reflection& r = *message.GetReflection();
  const bool one = index < 0;
  const std::string at = absl::StrCat(path, ".", std::string(field.name()));
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      absl::StrAppend(&out, at, "\n");
      AppendFields(one ? r.GetMessage(message, &field) : r.GetRepeatedMessage(message, &field, index), at, out);
      return;
    case FieldDescriptor::CPPTYPE_STRING:
      absl::StrAppend(&out, at, " ",
                      Quoted(one ? r.GetString(message, &field) : r.GetRepeatedString(message, &field, index)), "\n");
      return;
    case FieldDescriptor::CPPTYPE_INT64:
      absl::StrAppend(&out, at, " ", one ? r.GetInt64(message, &field) : r.GetRepeatedInt64(message, &field, index),
                      "\n");
      return;
    case FieldDescriptor::CPPTYPE_INT32:
      absl::StrAppend(&out, at, " ", one ? r.GetInt32(message, &field) : r.GetRepeatedInt32(message, &field, index),
                      "\n");
      return;
    case FieldDescriptor::CPPTYPE_BOOL:
      absl::StrAppend(&out, at, " ",
                      one                                         ? r.GetBool(message, &field)
                      : r.GetRepeatedBool(message, &field, index) ? 1
                                                                  : 0,
                      "\n");
      return;
    case FieldDescriptor::CPPTYPE_ENUM:
      absl::StrAppend(&out, at, " ",
                      one ? r.GetEnumValue(message, &field) : r.GetRepeatedEnumValue(message, &field, index), "\n");
      return;
    default:  // the mesh has no fields of other types
      absl::StrAppend(&out, at, " ?\n");
      return;
  }
}

void AppendFields(const Message& message, const std::string& path, std::string& out) {
  std::vector<const FieldDescriptor*> set;
  message.GetReflection()->ListFields(message, &set);
  std::map<int, const FieldDescriptor*> by_number;
  for (const FieldDescriptor* field : set) by_number[field->number()] = field;
  for (const auto& [number, field] : by_number) {
    if (!field->is_repeated()) {
      AppendValue(message, *field, -1, path, out);
      continue;
    }
    const int size = message.GetReflection()->FieldSize(message, field);
    for (int i = 0; i < size; ++i) AppendValue(message, *field, i, path, out);
  }
}

}  // namespace

std::string CanonicalText(const v1::JobSpec& spec, const std::vector<NodeUid>& node_of_rank) {
  std::string text = absl::StrCat("muster placement 1\nmembers ", spec.members(), " workers_per_member ",
                                  std::max(spec.workers_per_member(), 1), "\n");
  if (spec.has_mesh()) {
    v1::MeshSpec mesh = spec.mesh();
    if (mesh.dialect().empty()) mesh.set_dialect("megatron");
    AppendFields(mesh, "mesh", text);
  }
  for (const NodeUid& node : node_of_rank) absl::StrAppend(&text, "rank ", Quoted(node.value()), "\n");
  return text;
}

std::string Digest(const v1::JobSpec& spec, const std::vector<NodeUid>& node_of_rank) {
  const std::string text = CanonicalText(spec, node_of_rank);
  std::array<unsigned char, 32> hash{};
  EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(hash.data()), hash.size()));
}

}  // namespace muster::placement
