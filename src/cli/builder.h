// How the subcommands of ki are put together: app.cc has those that ask, app_keeping.cc those that
// keep and serve a catalog, app_measuring.cc those that measure. Internal to them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/bench_options.h"
#include "cli/commands.h"
#include "cli/commands_trust.h"
#include "cli/manifest_command.h"

namespace ki::cli {

// Everything the options are parsed into.
struct Parsed {
  std::string db;
  bool json = false;
  bool jsonl = false;
  bool quiet = false;
  SearchOptions search;
  TraceOptions trace;
  WinnersOptions winners;
  ShowOptions show;
  std::vector<std::string> compare;
  RecordsOptions records;
  RunsOptions runs;
  ServingRunsOptions serving;
  ModelOptions model;
  HolderOptions product;
  HolderOptions project;
  ChangesOptions changes;
  ImportOptions import;
  ServeOptions serve;
  MeasureOptions bench;
  HistoryOptions history;
  PublishOptions publish;
  RunnerOptions runner;
  VerifyRunOptions verify_run;
  CorrectOptions correct;
  AttestOptions attest;
  KeyOptions key;
  ManifestDigestOptions manifest;
  ManifestInitOptions init;
  std::string kind;
  std::string file;
  std::string shell;
};

using Action = std::function<int(const Context&)>;

// What every help says before its ending.
inline constexpr const char* kEverywhere =
    "Every command takes --db FILE, --json, --jsonl and --quiet (-q), before its name or after.\n";
inline constexpr const char* kEnding =
    "Exit status: 0 ok, 1 failed, 2 wrong usage. Environment: KI_DB (the catalog, as --db), "
    "NO_COLOR.";
// Of commands that take part of an input.
inline constexpr const char* kPartlyEnding =
    "Exit status: 0 ok, 1 failed, 2 wrong usage, 3 part of the input was refused. Environment: "
    "KI_DB (the catalog, as --db), NO_COLOR.";

// A subcommand with its action; `examples` and `ending` follow the options in --help.
class Builder {
 public:
  Builder(CLI::App& app, Action& chosen) : app_(app), chosen_(chosen) {}

  CLI::App* command(CLI::App* parent, const std::string& name, const std::string& help,
                    const std::string& examples, Action action, const char* ending = kEnding) {
    CLI::App* sub = parent->add_subcommand(name, help)->fallthrough();
    sub->footer((examples.empty() ? "" : "Examples:\n" + examples + "\n\n") + kEverywhere + ending);
    sub->callback([this, action = std::move(action)] { chosen_ = action; });
    return sub;
  }
  // A word before the commands that belong together.
  static CLI::App* group(CLI::App* parent, const std::string& name, const std::string& help,
                         const char* ending = kEnding) {
    CLI::App* sub = parent->add_subcommand(name, help)->require_subcommand(1)->fallthrough();
    sub->footer(std::string(kEverywhere) + ending);
    return sub;
  }
  CLI::App* root() { return &app_; }

 private:
  CLI::App& app_;
  Action& chosen_;
};

// Of app_keeping.cc.
void add_import(Builder& b, Parsed& p);
void add_catalog(Builder& b, Parsed& p);
void add_attest(Builder& b, Parsed& p);
void add_review(Builder& b, Parsed& p);
void add_serve(Builder& b, Parsed& p);
void add_auth(Builder& b, Parsed& p);
// Of app_measuring.cc.
void add_measuring(Builder& b, Parsed& p);

}  // namespace ki::cli
