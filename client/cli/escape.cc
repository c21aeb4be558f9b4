#include "client/cli/escape.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace muster::cli {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 1;
  bool valid = false;
};

// The code point that starts at text[0]: overlong forms, surrogates and values past U+10FFFF are invalid, one byte
// long.
CodePoint Decode(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {lead, 1, false};
  uint32_t value = lead & (0xff >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 1, false};
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  if (overlong || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff) return {lead, 1, false};
  return {value, bytes, true};
}

// Beyond ASCII: C1 controls, soft hyphen, zero-width and bidirectional marks, line separators, the byte order mark and
// tags.
bool ActsOnTerminals(uint32_t c) {
  return (c >= 0x80 && c < 0xa0) || c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xe0000 && c <= 0xe007f);
}

std::string Escaped(uint32_t c) {
  if (c > 0xffff) {
    return absl::StrFormat("\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
  }
  return absl::StrFormat("\\u%04x", c);
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = Decode(text);
    if (!point.valid) {
      absl::StrAppend(&out, absl::StrFormat("\\x%02x", point.value));
    } else if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (point.value == '\r') {
      out += "\\r";
    } else if (point.value < 0x20 || point.value == 0x7f) {
      absl::StrAppend(&out, absl::StrFormat("\\x%02x", point.value));
    } else if (ActsOnTerminals(point.value)) {
      out += Escaped(point.value);
    } else {
      out.append(text.data(), point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string PrintableJson(absl::string_view document) {
  std::string out;
  out.reserve(document.size());
  while (!document.empty()) {
    const CodePoint point = Decode(document);
    if (!point.valid) {
      out += Escaped(0xfffd);
    } else if (point.value == 0x7f || ActsOnTerminals(point.value)) {
      out += Escaped(point.value);
    } else {
      out.append(document.data(), point.bytes);
    }
    document.remove_prefix(point.bytes);
  }
  return out;
}

size_t Width(absl::string_view text) {
  size_t width = 0;
  for (const char c : text) width += (static_cast<uint8_t>(c) & 0xc0) != 0x80;
  return width;
}

std::string CutTo(absl::string_view text, size_t columns) {
  if (Width(text) <= columns) return std::string(text);
  std::string out;
  for (size_t width = 0; width + 1 < columns; ++width) {
    const size_t bytes = Decode(text).bytes;
    out.append(text.data(), bytes);
    text.remove_prefix(bytes);
  }
  return columns > 0 ? out + "…" : out;
}

}  // namespace muster::cli
