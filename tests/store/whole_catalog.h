// A small catalog in which no table of evidence is empty.
#pragma once

#include "manifest/documents.h"
#include "manifest/examples.h"
#include "publish/attestations.h"
#include "publish/corrections.h"
#include "publish/trust.h"
#include "store/store_test.h"
#include "support/signed.h"

namespace ki::test {

inline manifest::Manifest example(manifest::Kind kind) {
  auto documents = manifest::read_documents(manifest::example_of(kind), "example");
  if (documents.entries.empty()) stop("an example is not valid", __FILE__, __LINE__);
  return std::move(documents.entries.front().manifest);
}

class WholeCatalogTest : public StoreTest {
 protected:
  catalog::Catalog catalog_at(const std::string& name) {
    auto opened =
        catalog::Catalog::open((folder_ / name).string(), clock_, {.mode = db::Mode::create});
    EXPECT_TRUE(opened) << to_string(opened.error());
    return std::move(opened).value();
  }

  void tick() { clock_.set(clock_.now() + std::chrono::seconds(1)); }

  // Runs published, unpublished, pending and pending no more; with input files, links, artifacts,
  // aliases, tags, an equivalent operation, a policy, corrections, a run that an approved runner
  // signed, and results of serving: a model
  // alone, and a run with all it is about.
  void fill(catalog::Catalog& catalog) {
    publish::Bundle first = bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "row/1"},
                                       {"b", 900, "2026-01-02T00:00:00Z", "row/2"},
                                       {"d", 2000, "2026-01-04T00:00:00Z"}});
    first.source.policy_json = R"({"license":"MIT","freshnessDays":30})";
    first.operations[0].tags = {"blas", "level one"};
    first.operations[0].external_id = "operation/axpy";
    first.operations.push_back({.manifest = operation("level-one"), .slug = "001-axpy"});
    first.snapshots.push_back(snapshot("first"));
    first.runs[0].source_row = 3;
    first.runs[0].source_line = 4;
    first.runs[0].artifacts.push_back({.role = "logs",
                                       .kind = "log",
                                       .media_type = "text/plain",
                                       .digest = sha256("hello\n"),
                                       .size_bytes = 6,
                                       .content = "hello\n"});
    first.implementations[0].artifacts.push_back({.role = "source",
                                                  .kind = "source",
                                                  .media_type = "text/x-cuda",
                                                  .digest = sha256("elsewhere"),
                                                  .uri = "https://example.org/kernel.cu"});
    first.runs[2].preset = publish::RunPreset{.row = {.id = "01a00328-723d-752f-b21f-bccbae31e001",
                                                      .created_at = "2026-01-05T00:00:00.000Z"}};
    first.serving.push_back({.manifest = example(manifest::Kind::model_revision)});
    add_served(first, {.source_native = R"(,"sourceNative":{"source":"lab","benchmark":"b",
      "scenario":"server","division":"closed","category":"available","externalId":"s/1"})"});
    first.serving.back().slug = "another-slug";
    first.serving.back().name = "Another name";
    publish_ok(catalog, first);
    tick();
    publish::Bundle seed = bundle_of(
        {{"c", 950, "2026-01-03T00:00:00Z", "row/3"}, {"e", 940, "2026-01-03T01:00:00Z", "row/4"}});
    auto by = std::move(seed.implementations);
    seed.implementations.clear();
    seed.snapshots.push_back(snapshot("second"));
    publish_ok(catalog, seed);  // two pending runs
    tick();
    publish::Bundle completing = bundle_of({});
    completing.implementations.push_back(std::move(by[0]));
    publish_ok(catalog, completing);
    tick();
    const publish::Justification why{.actor = "curator", .reason = "a wrong clock"};
    EXPECT_TRUE(publish::retract(catalog, run_of(catalog, "b"), why, clock_));
    tick();
    const auto key = signing::SigningKey::generate();
    publish::Bundle measured = bundle_of({{"a", 1001, "2026-01-06T00:00:00Z", "", 0.01}});
    measured.statements.push_back(sealed(*key, measured));
    publish_ok(catalog, measured);
    tick();
    EXPECT_TRUE(publish::approve_runner(catalog, to_string(key->id()), why, clock_));
    tick();
    EXPECT_TRUE(publish::attest(catalog, run_of(catalog, "a"),
                                {.type = "reproduced",
                                 .body = "two lines\nof it",
                                 .evidence_url = "https://example.org/run/1",
                                 .observed_ns = 1010.5,
                                 .environment_summary = "the same GPU"},
                                "curator", clock_));
    tick();
  }

 private:
  static publish::SnapshotEntry snapshot(std::string_view content) {
    return {.locator = std::string(content) + ".csv",
            .content_digest = sha256(content),
            .media_type = "text/csv",
            .size_bytes = static_cast<std::int64_t>(content.size()),
            .parser_name = "p",
            .parser_version = "p/1"};
  }
};

}  // namespace ki::test
