// From what a runner signed to runs in the catalog. Nothing in the file is believed because it is
// there: form, signature, digests and every claimed number are checked before publish() sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "publish/bundle.h"
#include "publish/publish.h"
#include "runner/evidence.h"

namespace ki::evidence {

inline constexpr std::string_view kParserVersion = "evidence/1";
inline constexpr std::string_view kSource = "ki-bench";

struct Published {
  std::string session;
  std::string key_id;  // who signed
  std::string protocol;
  std::vector<std::string> runs;  // digests
  publish::Report report;
};

// What publish() is given of evidence whose claims follow: its manifests and runs, each run with
// the signed file as its artifact. Errors: those of runner::decode() and runner::check_claims().
Result<publish::Bundle> bundle_of(std::string_view encoded, std::string_view file,
                                  runner::SignedEvidence& read);

// `file` is the name that the input has. Errors: those of bundle_of() and publish(). On an error
// the catalog is as it was.
Result<Published> publish_evidence(catalog::Catalog& catalog, std::string_view encoded,
                                   std::string_view file, const Clock& clock,
                                   const publish::Options& options = {});

}  // namespace ki::evidence
