#include "policy/licence.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "json/read.h"
#include "support/places.h"

namespace ki::policy {
namespace {

struct Row {
  std::string_view text;
  std::string_view verdict;
  std::string_view normalized;  // "" = none
};

TEST(Licence, VerdictAndNormalForm) {
  const Row rows[] = {
      {"MIT", "valid", "MIT"},
      {" mit ", "valid", "MIT"},
      {"mit or apache-2.0", "valid", "MIT OR Apache-2.0"},
      {"apache-2.0 with llvm-exception", "valid", "Apache-2.0 WITH LLVM-exception"},
      {"MIT OR Apache-2.0 AND ISC", "valid", "MIT OR Apache-2.0 AND ISC"},
      {"MIT OR (Apache-2.0 AND ISC)", "valid", "MIT OR Apache-2.0 AND ISC"},
      {"(MIT OR Apache-2.0) AND ISC", "valid", "(MIT OR Apache-2.0) AND ISC"},
      {"((MIT))", "valid", "MIT"},
      {"(MIT OR ISC) OR Zlib", "valid", "MIT OR ISC OR Zlib"},
      {"Apache-2.0+", "valid", "Apache-2.0+"},
      {"GPL-2.0", "valid-deprecated", "GPL-2.0-only"},
      {"gpl-2.0+", "valid-deprecated", "GPL-2.0-or-later"},
      {"LGPL-2.1+ OR MIT", "valid-deprecated", "LGPL-2.1-or-later OR MIT"},
      {"GPL-2.0-with-classpath-exception", "valid-deprecated",
       "GPL-2.0-only WITH Classpath-exception-2.0"},
      {"GPL-2.0+ WITH Classpath-exception-2.0", "valid-deprecated",
       "GPL-2.0-or-later WITH Classpath-exception-2.0"},
      {"eCos-2.0", "valid-deprecated", "eCos-2.0"},
      {"LicenseRef-X.1-y", "valid", "LicenseRef-X.1-y"},
      {"DocumentRef-d:LicenseRef-X", "valid", "DocumentRef-d:LicenseRef-X"},
      {"MIT WITH AdditionRef-mine", "valid", "MIT WITH AdditionRef-mine"},
      {"NONE", "unknown", ""},
      {"NOASSERTION", "unknown", ""},
      {"  ", "unknown", ""},
      {"MIT AND NONE", "invalid", ""},
      {"MIT Or ISC", "invalid", ""},
      {"OR MIT", "invalid", ""},
      {"MIT AND", "invalid", ""},
      {"MIT AND OR ISC", "invalid", ""},
      {"MIT ISC", "invalid", ""},
      {"(MIT", "invalid", ""},
      {"MIT)", "invalid", ""},
      {"()", "invalid", ""},
      {"(MIT) WITH LLVM-exception", "invalid", ""},
      {"MIT WITH", "invalid", ""},
      {"MIT WITH MIT", "invalid", ""},
      {"LLVM-exception", "invalid", ""},
      {"MIT +", "invalid", ""},
      {"+", "invalid", ""},
      {"GPL-2.0-only+", "invalid", ""},
      {"LicenseRef-", "invalid", ""},
      {"LicenseRef-a b", "invalid", ""},
      {"LicenseRef-a/b", "invalid", ""},
      {"Proprietary", "invalid", ""},
  };
  for (const Row& row : rows) {
    const Licence licence = parse_licence(row.text);
    EXPECT_EQ(name_of(licence.verdict), row.verdict) << row.text << ": " << licence.why;
    EXPECT_EQ(licence.normalized.value_or(""), row.normalized) << row.text;
    EXPECT_EQ(licence.normalized.has_value(), !row.normalized.empty()) << row.text;
    EXPECT_EQ(conclude_licence(row.text), licence.normalized) << row.text;
    if (licence.verdict == LicenceVerdict::invalid) {
      EXPECT_NE(licence.why, "") << row.text;
    }
  }
}

TEST(Licence, NormalisingTwiceChangesNothingMore) {
  for (const std::string_view text :
       {"mit or apache-2.0 and isc", "(mit or isc) and (zlib or bsl-1.0)", "GPL-2.0+",
        "apache-2.0 with llvm-exception", "licenseref-Mine"}) {
    const auto once = conclude_licence(text);
    ASSERT_TRUE(once.has_value()) << text;
    EXPECT_EQ(conclude_licence(*once), once);
    EXPECT_EQ(parse_licence(*once).verdict, LicenceVerdict::valid);
    EXPECT_EQ(parse_licence(*once).why, "");
  }
}

struct Suggestion {
  std::string_view text;
  std::string_view part;  // of the reason
};

TEST(Licence, SaysWhatMayBeMeant) {
  const Suggestion rows[] = {
      {"MIT/Apache-2.0", "MIT OR Apache-2.0"},
      {"Apache 2.0", "did you mean Apache-2.0?"},
      {"Apache License, Version 2.0", "did you mean Apache-2.0?"},
      {"The MIT License", "did you mean MIT?"},
      {"BSD 3-Clause License", "did you mean BSD-3-Clause?"},
      {"BSD", "ambiguous"},
      {"Apach-2.0", "did you mean Apache-2.0?"},
      {"MIT And ISC", "write AND"},
      {"GPL-2.0 +", "no blank may stand before \"+\": write GPL-2.0-or-later"},
      {"GPL-2.0-only +", "write GPL-2.0-or-later"},
      {"Apache-2.0 +", "write Apache-2.0+"},
      {"GPL-2.0-only+", "write GPL-2.0-or-later"},
      {"MIT OR", "missing"},
      {"LLVM-exception", "WITH LLVM-exception"},
      {"Apache-2.0 WITH LLVM-exceptions", "did you mean LLVM-exception?"},
      {"Proprietary", "LicenseRef-"},
  };
  for (const Suggestion& row : rows) {
    const std::string why = parse_licence(row.text).why;
    EXPECT_NE(why.find(row.part), std::string::npos) << row.text << ": " << why;
  }
}

TEST(Licence, StopsAtItsLimits) {
  const std::string deep(kLicenceDepthMax, '(');
  const std::string close(kLicenceDepthMax, ')');
  EXPECT_EQ(parse_licence(deep + "MIT" + close).verdict, LicenceVerdict::valid);
  EXPECT_EQ(parse_licence("(" + deep + "MIT" + close + ")").verdict, LicenceVerdict::invalid);
  const std::string name = "LicenseRef-" + std::string(kLicenceTextMax - 11, 'a');
  EXPECT_EQ(parse_licence(name).verdict, LicenceVerdict::valid);
  EXPECT_EQ(parse_licence(name + "a").verdict, LicenceVerdict::invalid);
}

bool satisfies(std::string_view expression, std::vector<std::string_view> allowed) {
  return licence_satisfies(expression, allowed);
}

TEST(LicenceSatisfies, AndNeedsBothAndBindsTighterThanOr) {
  EXPECT_TRUE(satisfies("MIT OR Apache-2.0 AND BSD-3-Clause", {"MIT"}));
  EXPECT_FALSE(satisfies("MIT OR Apache-2.0 AND BSD-3-Clause", {"Apache-2.0"}));
  EXPECT_FALSE(satisfies("(MIT OR Apache-2.0) AND BSD-3-Clause", {"MIT"}));
  EXPECT_TRUE(satisfies("(MIT OR Apache-2.0) AND BSD-3-Clause", {"MIT", "BSD-3-Clause"}));
}

TEST(LicenceSatisfies, MatchesLicencesAsTheyAreMeant) {
  EXPECT_TRUE(satisfies("mit", {"MIT"}));
  EXPECT_TRUE(satisfies("MIT", {"mit"}));
  EXPECT_TRUE(satisfies("GPL-2.0+", {"GPL-2.0-or-later"}));
  EXPECT_TRUE(satisfies("GPL-2.0-or-later", {"GPL-2.0-only"}));
  EXPECT_FALSE(satisfies("GPL-2.0-only", {"GPL-2.0-or-later"}));
  EXPECT_TRUE(satisfies("Apache-2.0+", {"Apache-2.0"}));
  EXPECT_FALSE(satisfies("Apache-2.0 WITH LLVM-exception", {"Apache-2.0"}));
  EXPECT_TRUE(satisfies("Apache-2.0 WITH LLVM-exception", {"apache-2.0 with llvm-exception"}));
}

TEST(LicenceSatisfies, ReferencesOnlyWhereNamedAndUnknownsNever) {
  EXPECT_FALSE(satisfies("LicenseRef-X", {"MIT", "Apache-2.0"}));
  EXPECT_TRUE(satisfies("LicenseRef-X", {"LicenseRef-X"}));
  EXPECT_FALSE(satisfies("", {"MIT", ""}));
  EXPECT_FALSE(satisfies("NOASSERTION", {"NOASSERTION"}));
  EXPECT_FALSE(satisfies("MIT OR", {"MIT"}));
  EXPECT_FALSE(satisfies("MIT", {}));
}

bool accepts(std::string_view filter, const std::optional<std::string>& concluded) {
  const auto read = read_licence_filter(filter);
  EXPECT_TRUE(read) << filter;
  return read && read->accepts(concluded);
}

TEST(LicenceFilter, PermissiveUnknownOrTheConclusionItself) {
  EXPECT_TRUE(is_permissive("Zlib"));
  EXPECT_FALSE(is_permissive("MIT OR Apache-2.0"));
  EXPECT_TRUE(accepts("permissive", "MIT"));
  EXPECT_FALSE(accepts("permissive", std::nullopt));
  EXPECT_TRUE(accepts("unknown", std::nullopt));
  EXPECT_FALSE(accepts("unknown", "MIT"));
  EXPECT_TRUE(accepts("gpl-3.0-only,Permissive", "Zlib"));
  EXPECT_TRUE(accepts("permissive,GPL-3.0-only", "GPL-3.0-only"));
  EXPECT_FALSE(accepts("permissive,mit", "GPL-3.0-only"));
  EXPECT_FALSE(accepts("permissive,mit", std::nullopt));
  EXPECT_TRUE(accepts("mit,unknown", std::nullopt));
  EXPECT_TRUE(accepts("apache-2.0", "Apache-2.0"));
  EXPECT_FALSE(accepts("apache-2.0", "MIT"));
  EXPECT_TRUE(accepts("mit", "MIT OR Apache-2.0 AND BSD-3-Clause"));
  EXPECT_FALSE(accepts("mit", "(MIT OR Apache-2.0) AND BSD-3-Clause"));
  EXPECT_TRUE(accepts("mit, bsd-3-clause", "(MIT OR Apache-2.0) AND BSD-3-Clause"));
  EXPECT_TRUE(accepts("licenseref-gpumode-reciprocity-1.0", "LicenseRef-GPUMode-Reciprocity-1.0"));
  EXPECT_FALSE(accepts("licenseref-a", "LicenseRef-B"));
}

TEST(LicenceFilter, AClassMeansTheSameAloneAndInAList) {
  for (const std::string concluded :
       {"MIT OR Apache-2.0", "BSD-2-Clause OR Zlib", "ISC AND Zlib"}) {
    EXPECT_FALSE(accepts("permissive", concluded)) << "no single permissive licence";
    EXPECT_FALSE(accepts("permissive,gpl-3.0-only", concluded));
    EXPECT_FALSE(accepts("unknown,permissive", concluded));
  }
  EXPECT_TRUE(accepts("permissive,mit", "MIT OR Apache-2.0")) << "as mit alone";
}

TEST(LicenceFilter, AnExpressionNamesTheLicencesThatAreAccepted) {
  for (const std::string filter : {"MIT OR Apache-2.0", "mit or apache-2.0", "(MIT) OR Apache-2.0",
                                   "MIT,Apache-2.0", "MIT AND Apache-2.0"}) {
    EXPECT_TRUE(accepts(filter, "MIT")) << filter;
    EXPECT_TRUE(accepts(filter, "Apache-2.0")) << filter;
    EXPECT_TRUE(accepts(filter, "MIT AND Apache-2.0")) << filter;
    EXPECT_TRUE(accepts(filter, "Apache-2.0 OR GPL-3.0-only")) << filter;
    EXPECT_FALSE(accepts(filter, "Apache-2.0 AND GPL-3.0-only")) << filter;
    EXPECT_FALSE(accepts(filter, "Apache-2.0 WITH LLVM-exception")) << filter;
    EXPECT_FALSE(accepts(filter, std::nullopt)) << filter;
  }
  EXPECT_TRUE(accepts("MIT OR GPL-2.0+", "GPL-2.0-or-later"));
}

TEST(LicenceFilter, WhatIsNoLicenceIsRefusedWithWhatMayBeMeant) {
  const auto why = [](std::string_view value) {
    const auto filter = read_licence_filter(value);
    return filter ? "accepted" : filter.error().message;
  };
  EXPECT_EQ(why("Apache 2.0"), "'Apache 2.0': " + parse_licence("Apache 2.0").why);
  EXPECT_TRUE(why("Apache 2.0").contains("did you mean Apache-2.0")) << why("Apache 2.0");
  EXPECT_TRUE(why("mit,MIT/Apache-2.0").contains("did you mean MIT OR Apache-2.0"));
  EXPECT_NE(why("foo bar"), "accepted");
  EXPECT_NE(why("MIT OR"), "accepted");
  for (const std::string_view nothing : {"", " ", "mit,", "NOASSERTION"}) {
    EXPECT_TRUE(why(nothing).ends_with("rows without a known licence are 'unknown'")) << nothing;
  }
}

TEST(SpdxList, IsNamed) { EXPECT_NE(spdx_list_version().find("3.0.24"), std::string_view::npos); }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Licence, AgreesWithTheSharedCase) {
  const auto path = places::shared_data("cases/03-manifest-spdx-expressions/expected.json");
  if (!path) GTEST_SKIP() << "the shared cases are not here";
  const std::string text = read_file(*path);
  const auto document = json::parse(text);
  ASSERT_TRUE(document.has_value());
  const auto lines = document->root.find("expected")->find("lines")->items();
  ASSERT_EQ(lines.size(), 17U);
  for (const json::Value& line : lines) {
    const std::string_view expression = line.find("expr")->string();
    const Licence licence = parse_licence(expression);
    EXPECT_EQ(name_of(licence.verdict), line.find("verdict")->string()) << expression;
    const json::Value* normalized = line.find("normalized");
    EXPECT_EQ(licence.normalized, normalized->is_null()
                                      ? std::nullopt
                                      : std::optional<std::string>(normalized->string()))
        << expression;
  }
}

}  // namespace
}  // namespace ki::policy
