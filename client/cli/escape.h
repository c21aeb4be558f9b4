#pragma once
// Text from elsewhere (names, reasons, labels) made safe to print: nothing in it can move a cursor, change a colour,
// break a line or reorder what stands beside it.

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace muster::cli {

// Control characters (C0 with newline and tab, DEL, C1), bidirectional overrides, zero-width and line-separating
// characters, and bytes that are no UTF-8 are written as \n, \t, \x1b or \u202e; all else is kept.
std::string Printable(absl::string_view text);

// The same for a JSON document: only characters that JSON allows raw inside strings but a terminal acts on are written
// as \u009b, so that the document stays the same data.
std::string PrintableJson(absl::string_view document);

// Columns that printable text takes, counted as one a code point.
size_t Width(absl::string_view text);

// The first `columns` code points; "…" in the last of them where something was cut.
std::string CutTo(absl::string_view text, size_t columns);

}  // namespace muster::cli
