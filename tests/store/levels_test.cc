// Levels of evidence, from the signatures under runs and the decisions about runners: in rows,
// lists, dossiers, filters and counts, in what `ki verify` recomputes, and through an export.

#include "catalog/dump.h"
#include "catalog/read_index.h"
#include "catalog/trust.h"
#include "import/export/export.h"
#include "import/importer.h"
#include "publish/attestations.h"
#include "publish/corrections.h"
#include "publish/trust.h"
#include "publish/verify.h"
#include "query/resolver.h"
#include "store/store_test.h"
#include "support/signed.h"

namespace ki::test {
namespace {

using signing::SigningKey;
using testing::HasSubstr;
using testing::IsEmpty;

class Levels : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    catalog_.emplace(open());
  }
  void TearDown() override {
    resolver_.reset();
    catalog_.reset();
    StoreTest::TearDown();
  }

  void tick() { clock_.set(clock_.now() + std::chrono::seconds(1)); }

  // Publishes a run of "a" that a runner measured and signed; its digest.
  std::string measure(const SigningKey& key, std::int64_t latency_ns, const Signing& how = {}) {
    tick();
    publish::Bundle bundle = bundle_of({{"a", latency_ns, to_iso(clock_.now()), "", 0.01}});
    bundle.statements.push_back(sealed(key, bundle, how));
    publish_ok(*catalog_, bundle);
    return to_string(bundle.runs.front().run.digest());
  }
  void approve(const SigningKey& key) {
    tick();
    const auto done = publish::approve_runner(*catalog_, to_string(key.id()), why_, clock_);
    EXPECT_TRUE(done) << to_string(done.error());
  }
  void revoke(const SigningKey& key) {
    tick();
    const auto done = publish::revoke_runner(*catalog_, to_string(key.id()), why_, clock_);
    EXPECT_TRUE(done) << to_string(done.error());
  }

  // The level of a run wherever one is said; "" where two places say two things. The reader lives
  // on, with all that it keeps, as a server's does.
  std::string level(const std::string& digest) {
    if (!resolver_) resolver_.emplace(std::move(query::Resolver::open(path(), clock_)).value());
    const query::Resolver* const resolver = &*resolver_;
    const auto dossier = resolver->run(digest);
    EXPECT_TRUE(dossier) << to_string(dossier.error());
    std::string said = dossier->evidence;
    const auto agree = [&](const std::string& place, const std::string& other) {
      EXPECT_EQ(other, dossier->evidence) << place;
      if (other != said) said.clear();
    };
    const auto list = resolver->runs({});
    for (const auto& run : list->runs) {
      if (run.digest == digest) agree("list", run.evidence);
    }
    const auto answer = resolver->search("axpy");
    for (const auto& row : answer->groups.exact) {
      if (row.run_digest == digest) agree("row", row.evidence.value_or("none"));
    }
    const auto narrowed = [&](const char* trust) {
      const auto of = resolver->runs({.trust = trust});
      EXPECT_TRUE(of) << to_string(of.error());
      return std::ranges::any_of(of->runs, [&](const auto& run) { return run.digest == digest; });
    };
    EXPECT_EQ(narrowed("verified"), said == "verified" || said == "replicated");
    EXPECT_EQ(narrowed("replicated"), said == "replicated");
    const auto records = resolver->records({.trust = "verified"});
    for (const auto& record : records->records) {
      EXPECT_NE(record.current.evidence, "reported");
      if (record.current.run_digest == digest) agree("record", *record.current.evidence);
    }
    const bool filtered =
        std::ranges::any_of(resolver->search("axpy trust:verified")->groups.exact,
                            [&](const auto& row) { return row.run_digest == digest; });
    const bool high = said == "verified" || said == "replicated";
    EXPECT_EQ(filtered, high) << "trust:verified";
    const auto comparison = resolver->compare(std::vector<std::string>{digest, digest});
    if (comparison) agree("comparison", comparison->runs.front().evidence);
    return said;
  }

  std::string version() { return *catalog::read_catalog_version(catalog_->connection()); }

  void expect_clean(catalog::Catalog& catalog) {
    const auto report = publish::verify(catalog);
    ASSERT_TRUE(report) << to_string(report.error());
    for (const auto& finding : report->findings) {
      ADD_FAILURE() << finding.entity << " " << finding.id << " " << finding.field << ": "
                    << finding.stored << ", expected " << finding.expected;
    }
  }

  static std::string dump(catalog::Catalog& catalog) {
    std::string out;
    EXPECT_TRUE(catalog::dump(catalog.connection(), [&](std::string_view line) -> Status {
      out.append(line).append("\n");
      return {};
    }));
    return out;
  }

  importer::Report import_lines(catalog::Catalog& catalog, std::string lines) {
    auto prepared = importer::prepare_export({"export.jsonl", std::move(lines)});
    EXPECT_TRUE(prepared) << to_string(prepared.error());
    auto report = importer::run_import(catalog, std::move(*prepared), clock_,
                                       {.publish = true, .actor = "importer"});
    EXPECT_TRUE(report) << to_string(report.error());
    return std::move(*report);
  }

  // An empty catalog in the place of the other.
  void start_anew() {
    resolver_.reset();
    catalog_.reset();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    catalog_.emplace(open());
  }

  std::optional<catalog::Catalog> catalog_;
  std::optional<query::Resolver> resolver_;
  const publish::Justification why_{.actor = "operator", .reason = "our machine"};
  const SigningKey key_ = *SigningKey::generate();
  const SigningKey other_ = *SigningKey::generate();
};

TEST_F(Levels, FollowApprovalRevocationAndApprovalAgain) {
  const std::string run = measure(key_, 1000);
  EXPECT_EQ(level(run), "reported") << "of an unknown key";
  std::string before = version();
  approve(key_);
  EXPECT_NE(version(), before);
  EXPECT_EQ(level(run), "verified");
  expect_clean(*catalog_);
  before = version();
  revoke(key_);
  EXPECT_NE(version(), before);
  EXPECT_EQ(level(run), "reported");
  expect_clean(*catalog_);
  approve(key_);
  EXPECT_EQ(level(run), "verified");
  expect_clean(*catalog_);
  EXPECT_EQ(counts(*catalog_)["runner_event"], 3) << "nothing is deleted";
}

TEST_F(Levels, ListsAndRecordsAreNarrowedToThem) {
  approve(key_);
  const std::string slow = measure(key_, 2000);
  const std::string fast = measure(key_, 1000);
  publish_ok(*catalog_, bundle_of({{"b", 900, "2026-01-01T00:00:00Z", "", 0.01}}));
  const auto resolver = query::Resolver::open(path(), clock_);
  const auto first = resolver->runs({.trust = "verified", .limit = 1});
  ASSERT_EQ(first->runs.size(), 1U);
  EXPECT_EQ(first->runs.front().digest, fast) << "newest first";
  const auto rest = resolver->runs({.trust = "verified", .cursor = *first->next_cursor});
  ASSERT_EQ(rest->runs.size(), 1U);
  EXPECT_EQ(rest->runs.front().digest, slow);
  EXPECT_EQ(resolver->runs({.cursor = *first->next_cursor}).error().where, "INVALID_CURSOR")
      << "of another list";
  EXPECT_EQ(resolver->runs({.operation = "axpy", .trust = "verified"})->runs.size(), 2U);
  EXPECT_THAT(resolver->runs({.trust = "replicated"})->runs, IsEmpty());
  EXPECT_EQ(resolver->runs({.status = "passed", .trust = "verified"}).error().code, Code::invalid);
  EXPECT_EQ(resolver->runs({.trust = "gold"}).error().code, Code::invalid);
  EXPECT_EQ(resolver->records().value().total, 1);
  EXPECT_EQ(resolver->records({.trust = "verified"})->total, 0) << "b holds it";
  EXPECT_EQ(resolver->records({.trust = "gold"}).error().code, Code::invalid);
  EXPECT_EQ(resolver->counts()->verified_runs, 2);
  EXPECT_EQ(resolver->runners()->runners.front().state, "approved");
}

TEST_F(Levels, ARunPublishedAfterTheApprovalIsVerifiedAtOnce) {
  approve(key_);
  EXPECT_EQ(level(measure(key_, 1000)), "verified");
}

TEST_F(Levels, TwoIndependentRunnersReplicateAndEitherRevocationTakesItBack) {
  const std::string run = measure(key_, 1000);
  const std::string again = measure(other_, 1010, {.machine = "two"});
  approve(key_);
  EXPECT_EQ(level(run), "verified");
  EXPECT_EQ(level(again), "reported");
  approve(other_);
  EXPECT_EQ(level(run), "replicated");
  EXPECT_EQ(level(again), "replicated");
  const auto resolver = query::Resolver::open(path(), clock_);
  const auto dossier = resolver->run(run);
  EXPECT_EQ(resolver->run(*dossier->trust.agreeing_run_id)->run.digest, again);
  expect_clean(*catalog_);
  revoke(key_);
  EXPECT_EQ(level(run), "reported");
  EXPECT_EQ(level(again), "verified");
  approve(key_);
  EXPECT_EQ(level(again), "replicated");
  tick();
  ASSERT_TRUE(publish::retract(*catalog_, run, why_, clock_));
  EXPECT_EQ(level(again), "verified") << "what is retracted replicates nothing";
  expect_clean(*catalog_);
}

TEST_F(Levels, OneMachineOneKeyOrAnotherResultReplicateNothing) {
  approve(key_);
  approve(other_);
  const std::string run = measure(key_, 1000);
  measure(other_, 1000);                        // two keys, one machine
  measure(key_, 1001, {.machine = "two"});      // one key, two machines
  measure(other_, 2000, {.machine = "three"});  // another result
  EXPECT_EQ(level(run), "verified");
  measure(other_, 1002, {.machine = "four", .protocol = "worker-host/1"});
  EXPECT_EQ(level(run), "verified");
}

TEST_F(Levels, NothingButAnApprovedSignatureRaisesOne) {
  approve(key_);
  const std::string foreign = measure(other_, 1000);
  EXPECT_EQ(level(foreign), "reported") << "an unknown key";
  const std::string worker = measure(key_, 1100, {.protocol = "worker-host/1"});
  EXPECT_EQ(level(worker), "reported") << "a protocol that is not approved";
  const publish::Bundle plain = bundle_of({{"b", 900, "2026-01-01T00:00:00Z", "", 0.01}});
  publish_ok(*catalog_, plain);
  const std::string unsigned_run = to_string(plain.runs.front().run.digest());
  ASSERT_TRUE(publish::attest(*catalog_, unsigned_run, {.type = "reproduced", .body = "me too"},
                              "client", clock_));
  EXPECT_EQ(level(unsigned_run), "reported") << "a note";
  EXPECT_EQ(counts(*catalog_)["run_trust"], 0);
  expect_clean(*catalog_);
}

TEST_F(Levels, AForgedOrChangedSignatureIsRefusedAndWritesNothing) {
  approve(key_);
  publish::Bundle bundle = bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "", 0.01}});
  const auto refused = [&](const std::string& envelope) {
    bundle.statements = {envelope};
    const auto done = publish::publish(*catalog_, bundle, clock_, {});
    EXPECT_FALSE(done);
    EXPECT_EQ(counts(*catalog_)["run"], 0);
    EXPECT_EQ(counts(*catalog_)["signed_statement"], 0);
  };
  const std::string good = sealed(key_, bundle);
  for (std::size_t i = 0; i < good.size(); i += 7) {
    std::string changed = good;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    if (changed != good) refused(changed);
  }
  signing::Statement claims;  // signed by one key in the name of another
  claims.subject.push_back({"evidence", {}});
  claims.predicate.runner = {.key_id = to_string(key_.id()),
                             .public_key = key_.public_key(),
                             .machine = to_string(sha256("one"))};
  claims.predicate.protocol = "paired-cold/1";
  refused(json::to_json(signing::seal(other_, json::to_json(claims))));
}

TEST_F(Levels, DecisionsNeedAReasonAndAChange) {
  const std::string id = to_string(key_.id());
  const auto approve = [&](const std::string& key, const publish::Justification& why) {
    return publish::approve_runner(*catalog_, key, why, clock_);
  };
  EXPECT_EQ(approve("no key", why_).error().where, "keyId");
  EXPECT_EQ(approve(id, {.actor = "me", .reason = " "}).error().where, "reason");
  EXPECT_EQ(approve(id, {.actor = "", .reason = "why not"}).error().where, "actor");
  EXPECT_EQ(publish::revoke_runner(*catalog_, id, why_, clock_).error().code, Code::conflict);
  EXPECT_TRUE(approve(id, why_));
  EXPECT_EQ(approve(id, why_).error().code, Code::conflict);
  EXPECT_TRUE(publish::revoke_runner(*catalog_, id, why_, clock_));
  EXPECT_EQ(publish::revoke_runner(*catalog_, id, why_, clock_).error().code, Code::conflict);
  EXPECT_EQ(text(*catalog_, "SELECT actor || ' ' || entity_id FROM audit WHERE action = $1",
                 std::string_view("revoke_runner")),
            "operator " + id);
}

TEST_F(Levels, AnExportBringsThemToACopyByteForByte) {
  const std::string run = measure(key_, 1000);
  measure(other_, 1010, {.machine = "two"});
  approve(key_);
  approve(other_);
  revoke(other_);
  approve(other_);
  const std::string exported = dump(*catalog_);
  start_anew();
  const auto report = import_lines(*catalog_, exported);
  EXPECT_THAT(report.issues, IsEmpty());
  EXPECT_THAT(report.ambiguities, IsEmpty());
  EXPECT_EQ(dump(*catalog_), exported);
  EXPECT_EQ(level(run), "replicated");
  expect_clean(*catalog_);
  import_lines(*catalog_, exported);
  EXPECT_EQ(dump(*catalog_), exported);
}

TEST_F(Levels, AnImportIntoAnotherCatalogRaisesNothing) {
  const std::string run = measure(key_, 1000);
  approve(key_);
  const std::string exported = dump(*catalog_);
  start_anew();
  publish_ok(*catalog_, bundle_of({{"c", 500, "2026-01-01T00:00:00Z"}}));  // its own history
  approve(other_);
  const auto report = import_lines(*catalog_, exported);
  EXPECT_THAT(report.ambiguities,
              testing::Contains(HasSubstr("decisions about runners are not taken")));
  EXPECT_EQ(level(run), "reported");
  EXPECT_EQ(counts(*catalog_)["runner_event"], 1) << "its own";
  expect_clean(*catalog_);
  // Not even one whose log was cut, into an empty catalog.
  start_anew();
  import_lines(*catalog_, exported.substr(0, exported.find(R"({"table":"audit")")));
  EXPECT_EQ(level(run), "reported");
  expect_clean(*catalog_);
}

TEST_F(Levels, OfARunWhoseWorkloadComesLaterFollowThen) {
  approve(key_);
  publish::Bundle bundle = bundle_of({{"a", 1000, "2026-01-01T00:00:00Z", "", 0.01}});
  const std::string run = to_string(bundle.runs.front().run.digest());
  bundle.statements.push_back(sealed(key_, bundle));
  auto by = std::move(bundle.implementations);
  bundle.implementations.clear();
  EXPECT_EQ(publish_ok(*catalog_, bundle).pending, 1);
  expect_clean(*catalog_);
  tick();
  publish::Bundle completing = bundle_of({});
  completing.implementations = std::move(by);
  publish_ok(*catalog_, completing);
  EXPECT_EQ(level(run), "verified");
  expect_clean(*catalog_);
}

}  // namespace
}  // namespace ki::test
