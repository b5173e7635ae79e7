#include "tests/contract/site.h"

#include <cctype>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "auth/keys.h"
#include "catalog/catalog.h"
#include "catalog/run_samples.h"
#include "import/export/export.h"
#include "import/registry.h"
#include "publish/publish.h"
#include "support/places.h"
#include "web/site.h"

namespace ki::contract {
namespace {

const SystemClock kClock;
constexpr std::string_view kExport = "data/catalog-2026-08-16-94af2ae7.jsonl.zst";

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", to_string(result.error()).c_str());
    std::abort();
  }
  return std::move(*result);
}

// The registry's results of serving: the export has none.
void add_serving(catalog::Catalog& catalog) {
  auto prepared = must(importer::prepare_registry());
  publish::Bundle serving;
  serving.source = prepared.bundle.source;
  serving.more_sources = prepared.bundle.more_sources;
  serving.serving = std::move(prepared.bundle.serving);
  must(publish::publish(catalog, serving, kClock));
}

// Neither an export nor the registry has the samples of a run.
void add_samples(catalog::Catalog& catalog, const Digest& run) {
  std::string content = catalog::to_content({.metric = "latency",
                                             .unit = "ns",
                                             .resolution = 0,
                                             .launches = {{.values = {100, 102.5}}},
                                             .call_bytes = 4096,
                                             .call_flops = {}});
  publish::Bundle samples;
  const Digest digest = sha256(content);
  samples.artifacts.push_back({.kind = "samples",
                               .media_type = std::string(catalog::kSamplesMediaType),
                               .digest = digest,
                               .content = std::move(content)});
  samples.carried.artifact_links.push_back({.entity_kind = "run",
                                            .entity = run,
                                            .role = std::string(catalog::kSamplesRole),
                                            .artifact = digest});
  must(publish::publish(catalog, samples, kClock));
}

void fill(const std::string& path, bool& of_export, std::string& sampled) {
  auto catalog = must(catalog::Catalog::open(path, kClock, {.mode = db::Mode::create}));
  const auto file = places::shared_data(kExport);
  of_export = file.has_value();
  auto prepared = file ? must(importer::prepare_export(must(importer::read_input(file->string()))))
                       : must(importer::prepare_registry());
  const Digest run = prepared.bundle.runs.front().run.digest();
  sampled = to_string(run);
  must(importer::run_import(catalog, std::move(prepared), kClock,
                            {.publish = true, .actor = "test"}));
  add_samples(catalog, run);
  if (of_export) add_serving(catalog);
}

// Closed before the program ends: what it writes last needs libraries that are gone by then.
std::unique_ptr<Site> the_site;
class CloseTheSite : public ::testing::Environment {
  void TearDown() override { the_site.reset(); }
};
const auto* const kCloseTheSite = ::testing::AddGlobalTestEnvironment(new CloseTheSite());

}  // namespace

Site& Site::get() {
  if (!the_site) the_site.reset(new Site());
  return *the_site;
}

Site::Site()
    : path_((std::filesystem::temp_directory_path() /
             ("ki_contract_" + std::to_string(::getpid()) + ".db"))
                .string()) {
  fill(path_, of_export_, sampled_run_);
  auto catalog = must(catalog::Catalog::open(path_, kClock, {.mode = db::Mode::read_write}));
  token_ = must(auth::create_key(catalog,
                                 {.name = "contract",
                                  .scopes = {std::string(auth::kRead), std::string(auth::kSubmit),
                                             std::string(auth::kCorrect)}},
                                 kClock))
               .token;
  web::ServeOptions options;
  options.database = path_;
  options.server = {.port = 0, .workers = 1, .log_level = http::Level::off};
  server_ = must(web::start(options, kClock));
}

Site::~Site() {
  server_.reset();
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::error_code ignored;
    std::filesystem::remove(path_ + ending, ignored);
  }
}

tests::Answer Site::ask(std::string_view target) const {
  return tests::get(server_->port(), target, key_for(target));
}

tests::Answer Site::post(std::string_view target, std::string_view body) const {
  return tests::post(server_->port(), target, body, "application/json", key_for(target));
}

std::string Site::key_for(std::string_view target) const {
  const std::string_view path = target.substr(0, target.find('?'));
  const bool keyed = path.ends_with("/me") || path.ends_with("/attestations") ||
                     path.ends_with("/corrections") || path.ends_with("/revalidate");
  return keyed ? "Authorization: Bearer " + token_ + "\r\n" : "";
}

json::Document parsed(const tests::Answer& answer) {
  auto document = json::parse(answer.body, json::kBundleLimits);
  return document ? std::move(*document) : json::Document();
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").contains(c)) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

std::vector<std::string> texts_of(const Site& site, const std::string& target,
                                  std::string_view list, std::string_view member) {
  std::vector<std::string> out;
  const auto document = parsed(site.ask(target));
  const json::Value* entries = document.root.find(list);
  if (entries == nullptr || !entries->is_array()) return out;
  for (const json::Value& entry : entries->items()) {
    const json::Value* text = entry.find(member);
    if (text != nullptr && text->is_string()) out.emplace_back(text->string());
  }
  return out;
}

}  // namespace ki::contract
