// Identity: golden vectors, the three normalisations, and what never changes a digest.
#include "manifest/manifest.h"

#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/testing.h"
#include "support/places.h"

namespace ki::manifest {
namespace {

using json::Member;
using json::Value;
using testing::document;

std::string digest_of_text(std::string_view text) {
  const auto manifest = decode_json(text);
  return manifest ? to_string(manifest->digest()) : to_string(manifest.error());
}

std::string project_digest(std::string_view spec) {
  return digest_of_text(document("SoftwareProject", spec));
}

// Each line: {"kind", "spec", "digest"}.
std::size_t expect_vectors(std::string_view lines) {
  std::size_t count = 0;
  std::istringstream in{std::string(lines)};
  for (std::string line; std::getline(in, line);) {
    const auto vector = json::parse(line);
    EXPECT_TRUE(vector) << line;
    if (!vector) continue;
    const auto kind = vector->root.find("kind")->string();
    EXPECT_EQ(digest_of_text(document(kind, *vector->root.find("spec"))),
              vector->root.find("digest")->string())
        << kind;
    ++count;
  }
  return count;
}

std::string vectors() {
  return testing::read(places::source_dir() / "tests/golden/manifest/vectors.jsonl");
}

TEST(Digest, OfEveryKindIsThatOfAnIndependentImplementation) {
  EXPECT_EQ(expect_vectors(vectors()), all_kinds().size());
}

TEST(Digest, OfEveryVectorInTheContract) {
  const auto path = places::shared_data("contract/manifests.md");
  if (!path) GTEST_SKIP() << "the shared folder is absent";
  const std::string page = testing::read(*path);
  constexpr std::string_view kFence = "```jsonl manifest-vectors\n";
  const auto begin = page.find(kFence) + kFence.size();
  const auto end = page.find("```", begin);
  EXPECT_EQ(expect_vectors(page.substr(begin, end - begin)), 13U);
}

TEST(Digest, OfASmallDocumentIsTakenOverItsCanonicalBody) {
  const auto manifest = decode_json(document(
      "SoftwareProject", R"({"repository":"https://example.org/pebble","name":"Pebble"})"));
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->canonical_body(),
            R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject",)"
            R"("spec":{"name":"Pebble","repository":"https://example.org/pebble"}})");
  EXPECT_EQ(to_string(manifest->digest()),
            "sha256:75dd9a3aeeffbf879f3db032276bcf54eb67b9e9023917731e06f70588432c42");
}

TEST(Digest, DoesNotComposeCharacters) {
  EXPECT_EQ(project_digest("{\"name\":\"e\u0301\"}"),
            "sha256:63e4525bcfc46b205cef7237a1a46186cdccca6d418274853c872bab55e512b2");
  EXPECT_EQ(project_digest("{\"name\":\"\u00e9\"}"),
            "sha256:1ae2217d2005eaa986cad44f01e9853140a4386223e1fdc94b8716a5c295b7e1");
}

TEST(Digest, IgnoresMetadata) {
  const auto plain = decode_json(document("SoftwareProject", R"({"name":"a"})"));
  const auto titled = decode_json(
      R"({"apiVersion":"kernelindex.dev/v1alpha1","kind":"SoftwareProject","metadata":
      {"name":"other","title":"T","labels":{"role":"baseline"},"authors":[{}],
       "sourceRefs":[{"url":"https://example.org"}]},"spec":{"name":"a"}})");
  ASSERT_TRUE(plain && titled);
  EXPECT_EQ(plain->digest(), titled->digest());
  EXPECT_EQ(titled->title(), "T");
  EXPECT_EQ(titled->label("role"), "baseline");
  EXPECT_EQ(titled->label("author"), "");
  EXPECT_EQ(plain->title(), "");
  EXPECT_EQ(plain->name(), "sample");
}

// ---- the edge table of the format

std::string implementation(std::string_view support, std::string_view revision = "{}") {
  return digest_of_text(document(
      "ImplementationRevision",
      fmt::format(R"({{"projectRevision":{},"operation":{{"specDigest":"sha256:{:0>64}"}},)"
                  R"("callable":{{"language":"cuda"}},"support":{},"licensing":{{}}}})",
                  revision, 1, support)));
}

std::string run(std::string_view timing, std::string_view observed = "2026-01-01T12:00:00Z") {
  const std::string digest = fmt::format("sha256:{:0>64}", 1);
  return digest_of_text(document(
      "BenchmarkRun",
      fmt::format(R"({{"implementationDigest":"{0}","workloadDigest":"{0}","protocolDigest":"{0}",)"
                  R"("environmentDigest":"{0}","status":"passed","timing":{{)"
                  R"("primaryStatistic":"median","latencyNs":{1}}},"observedAt":"{2}"}})",
                  digest, timing, observed)));
}

TEST(Digest, OfSetsIgnoresOrderAndRepetition) {
  const auto plain = implementation(R"({"hardwareArchitectures":[],"dtypes":["bf16","fp16"]})");
  EXPECT_THAT(plain, ::testing::StartsWith("sha256:"));
  EXPECT_EQ(implementation(R"({"hardwareArchitectures":[],"dtypes":["fp16","bf16","fp16"]})"),
            plain);
  EXPECT_NE(implementation(R"({"hardwareArchitectures":[],"dtypes":["bf16","fp16"],"layouts":[]})"),
            plain);
  EXPECT_NE(implementation(R"({"hardwareArchitectures":[],"dtypes":["bf16","fp16"]})",
                           R"({"version":"1"})"),
            plain);
}

TEST(Digest, OfDurationsIgnoresTheUnit) {
  const auto plain = run(R"({"median":8000})");
  EXPECT_THAT(plain, ::testing::StartsWith("sha256:"));
  EXPECT_EQ(run(R"({"median":"0.008 ms"})"), plain);
  EXPECT_EQ(run(R"({"median":"8us"})"), plain);
  EXPECT_EQ(run(R"({"median":8e3})"), plain);
}

TEST(Digest, KeepsInstantsAsWritten) {
  const auto plain = run(R"({"median":8000})", "2026-01-01T12:00:00Z");
  EXPECT_NE(run(R"({"median":8000})", "2026-01-01T12:00:00.000Z"), plain);
  EXPECT_NE(run(R"({"median":8000})", "2026-01-01T12:00Z"), plain);
}

TEST(Digest, OfListsDependsOnTheirOrder) {
  const auto packages = [](std::string_view list) {
    return project_digest(fmt::format(R"({{"name":"n","packages":{}}})", list));
  };
  EXPECT_NE(packages(R"([{"ecosystem":"a","name":"x"},{"ecosystem":"b","name":"x"}])"),
            packages(R"([{"ecosystem":"b","name":"x"},{"ecosystem":"a","name":"x"}])"));
}

// ---- what explain shows

TEST(Normalisation, SaysWhatItChanged) {
  const auto manifest = decode_json(document(
      "ImplementationRevision",
      fmt::format(R"({{"projectRevision":{{}},"operation":{{"specDigest":"sha256:{:0>64}"}},)"
                  R"("callable":{{"language":"cuda"}},"support":{{"productsTested":)"
                  R"(["b","B","a","B"],"hardwareArchitectures":["sm_90","gfx942","sm_100"],)"
                  R"("dtypes":["bf16"]}},"licensing":{{}}}})",
                  1)));
  ASSERT_TRUE(manifest) << to_string(manifest.error());
  ASSERT_EQ(manifest->changes().size(), 2U);
  const Change& first = manifest->changes()[0];
  EXPECT_EQ(first.pointer, "/spec/support/hardwareArchitectures");
  EXPECT_EQ(first.rule, "set");
  EXPECT_EQ(first.before, R"(["sm_90","gfx942","sm_100"])");
  EXPECT_EQ(first.after, R"(["gfx942","sm_100","sm_90"])");
  EXPECT_EQ(manifest->changes()[1].after, R"(["B","a","b"])");
}

TEST(Normalisation, OfANormalDocumentChangesNothing) {
  std::istringstream in(vectors());
  for (std::string line; std::getline(in, line);) {
    const auto vector = json::parse(line);
    const auto once =
        decode_json(document(vector->root.find("kind")->string(), *vector->root.find("spec")));
    ASSERT_TRUE(once);
    const auto twice = decode_json(once->to_json());
    ASSERT_TRUE(twice) << to_string(twice.error());
    EXPECT_TRUE(twice->changes().empty());
    EXPECT_EQ(twice->to_json(), once->to_json());
    EXPECT_EQ(twice->digest(), once->digest());
  }
}

// ---- properties: another spelling of the same values

class Speller {
 public:
  explicit Speller(unsigned seed) : random_(seed) {}

  std::string spell(const Value& value) {
    switch (value.type()) {
      case json::Type::null:
        return "null";
      case json::Type::boolean:
        return value.boolean() ? "true" : "false";
      case json::Type::number:
        return number(value.number());
      case json::Type::string:
        return string(value.string());
      case json::Type::array: {
        std::string out = "[" + blank();
        for (const Value& item : value.items()) {
          if (&item != value.items().data()) out += "," + blank();
          out += spell(item) + blank();
        }
        return out + "]";
      }
      case json::Type::object: {
        std::vector<Member> members(value.members().begin(), value.members().end());
        std::ranges::shuffle(members, random_);
        std::string out = "{" + blank();
        for (const Member& member : members) {
          if (&member != members.data()) out += "," + blank();
          out += string(member.key) + blank() + ":" + blank() + spell(member.value) + blank();
        }
        return out + "}";
      }
    }
    KI_UNREACHABLE();
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  std::string blank() {
    constexpr std::array<std::string_view, 5> kBlanks = {"", "", " ", "\n", "\t \r\n"};
    return std::string(kBlanks[pick(kBlanks.size())]);
  }
  std::string number(double value) {
    std::string plain;
    json::append_number(plain, value);
    if (pick(2) == 0) return plain;
    // 17 significant digits always read back as the same double.
    return fmt::format("{:.16e}", value);
  }
  std::string string(std::string_view text) {
    std::string plain;
    json::append_string(plain, text);
    if (pick(2) == 0) return plain;
    std::string out = "\"";
    for (const char c : text) {
      const bool ascii = static_cast<unsigned char>(c) < 0x80;
      out += ascii ? fmt::format("\\u{:04X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return out + "\"";
  }
  std::mt19937 random_;
};

TEST(Digest, NeverDependsOnSpelling) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Speller speller(seed);
  std::istringstream in(vectors());
  for (std::string line; std::getline(in, line);) {
    const auto vector = json::parse(line);
    const std::string text =
        document(vector->root.find("kind")->string(), *vector->root.find("spec"));
    const auto whole = json::parse(text);
    for (int i = 0; i < 50; ++i) {
      const std::string other = speller.spell(whole->root);
      EXPECT_EQ(digest_of_text(other), vector->root.find("digest")->string()) << other;
    }
  }
}

TEST(Digest, DependsOnTheOrderOfInputs) {
  const auto operation = [](std::string_view inputs) {
    return digest_of_text(
        document("OperationSpec",
                 fmt::format(R"({{"family":"f","axes":{{}},"inputs":{},"outputs":[{{"name":"y",)"
                             R"("scalar":{{"dtype":"fp32"}}}}],"semantics":{{"mutation":"none",)"
                             R"("determinism":"unspecified"}}}})",
                             inputs)));
  };
  const auto ab = operation(
      R"([{"name":"a","scalar":{"dtype":"fp32"}},{"name":"b","scalar":{"dtype":"fp32"}}])");
  const auto ba = operation(
      R"([{"name":"b","scalar":{"dtype":"fp32"}},{"name":"a","scalar":{"dtype":"fp32"}}])");
  EXPECT_THAT(ab, ::testing::StartsWith("sha256:"));
  EXPECT_NE(ab, ba);
}

}  // namespace
}  // namespace ki::manifest
