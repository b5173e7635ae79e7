// Licence expressions: what people write, read as SPDX means it (SPDX specification, annex D), and
// what follows for filters and for the question "may I use this".
//
// Two points differ from the catalogs we are compatible with, on purpose: identifiers match without
// regard to case inside expressions too (`mit or apache-2.0` is `MIT OR Apache-2.0`, not unknown),
// and deprecated GNU identifiers are written as their successors (`GPL-2.0+` is
// `GPL-2.0-or-later`).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ki::policy {

inline constexpr std::size_t kLicenceTextMax = 1000;  // bytes of an expression
inline constexpr int kLicenceDepthMax = 32;           // nested parentheses

// Which lists of identifiers are built in.
std::string_view spdx_list_version();

enum class LicenceVerdict {
  valid,
  valid_deprecated,  // valid, with an identifier that has a successor or should no longer be used
  unknown,           // nothing, NONE or NOASSERTION: no licence is stated
  invalid,           // not an expression; `why` says what is wrong and what may be meant
};
std::string_view name_of(LicenceVerdict verdict);  // "valid-deprecated"

struct Licence {
  LicenceVerdict verdict = LicenceVerdict::unknown;
  // Official casing and successors, upper-case operators, the parentheses that are needed. Empty
  // unless valid.
  std::optional<std::string> normalized;
  std::string why;  // what was changed, or what is wrong; "" when there is nothing to say
};

// Reads an expression. Operators are AND, OR, WITH, each all upper or all lower case; AND binds
// tighter than OR, WITH tighter than both; identifiers match without regard to case. Never fails:
// the verdict says what came of it.
Licence parse_licence(std::string_view text);

// The expression to store as the conclusion; nullopt when the text is unknown or invalid.
std::optional<std::string> conclude_licence(std::string_view text);

// Whether somebody who accepts exactly the licences in `allowed` may use something under
// `expression`: OR needs one side, AND both. An entry is one licence, with its exception if it has
// one ("MIT", "Apache-2.0 WITH LLVM-exception", "LicenseRef-X"). A licence "or any later version"
// is also met by its own version. False for unknown or invalid expressions: no allow-list has them.
bool licence_satisfies(std::string_view expression, std::span<const std::string_view> allowed);

// Whether the whole expression is one of Apache-2.0, MIT, BSD-2-Clause, BSD-3-Clause, ISC, Zlib,
// BSL-1.0.
bool is_permissive(std::string_view expression);

// The search facet `license:<value>`: what a user accepts, separated by commas, in any case. An
// entry is a class, "permissive" (the whole expression is) or "unknown" (no conclusion), or an SPDX
// expression, which names the licences that are accepted, whatever its operators: "MIT OR
// Apache-2.0" is "MIT,Apache-2.0". An expression is accepted when one entry is a class that it
// belongs to, or when the licences named by all entries satisfy it; so is what an entry spells as a
// whole.
struct LicenceFilter {
  std::string requested;  // lower case
  bool permissive = false;
  bool unknown = false;
  std::vector<std::string> allowed;  // licences, as parse_licence writes them
  std::vector<std::string> spelt;    // the entries that are no class

  bool accepts(const std::optional<std::string>& concluded) const;
};

// Error: Code::invalid, for the first entry that is neither; says what may be meant.
Result<LicenceFilter> read_licence_filter(std::string_view value);

}  // namespace ki::policy
