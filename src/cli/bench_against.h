// ki bench --against: what kernels of now are held against, and what came of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench_cases.h"
#include "cli/bench_options.h"
#include "cli/bench_report.h"
#include "runner/evidence.h"
#include "runner/messages.h"

namespace ki::cli {

struct Baseline {
  std::string name;     // as it was asked for
  std::string library;  // shared object with its kernels; "" = those built into this program
  std::string binary;   // digest of that file
  // Of a stored run: its case and protocol, and the one kernel that counts.
  std::optional<BenchAsk> ask;
  std::string protocol;
  std::string provider, variant;  // "" = all that fit
  std::int64_t threads = 0;
};

// `ref` is a shared object, a run whose evidence is in the folder of the options (digest or its
// first digits), or a revision of the git repository around this folder, whose kernels are then
// built below that folder. Errors: Code::not_found for what is none of these or was measured with a
// program that is not here, Code::unavailable where a build fails.
Result<Baseline> find_baseline(const Context& context, const MeasureOptions& options,
                               const std::string& ref);

// Of a file that holds kernels.
Result<std::string> digest_of(const std::string& file);
// Where the shared object of that digest is kept beside evidence.
std::string kept_binary(const std::string& folder, const std::string& digest);
// Keeps it there, so that a run of it can be held against later ones.
Status keep_binary(const std::string& folder, const std::string& file);

// The candidates whose binary is the baseline's, each with the one of now that has its name; alone
// on either side, whatever its name.
std::vector<BenchChange> changes_of(const runner::Evidence& evidence, const Baseline& baseline,
                                    const std::string& title);

void print_changes(const Context& context, const std::vector<BenchChange>& changes,
                   const std::string& against);
// For a pull request.
std::string markdown_of(const std::vector<BenchChange>& changes, const std::string& against);

// Whether any is a confirmed slowdown; whether a kernel of now failed.
bool has_slowdown(const std::vector<BenchChange>& changes);
bool has_failure(const std::vector<BenchChange>& changes);

}  // namespace ki::cli
