// The commands about who is believed and what is checked again, as plain functions like those of
// commands.h.
#pragma once

#include <string>

#include "cli/io.h"

namespace ki::cli {

struct RunnerOptions {
  std::string key;  // file; "" = where it usually is
  bool create = false;
  // approve, revoke: whom, by key id or public key; "" = the key of this runner.
  std::string runner;
  std::string reason;
  std::string actor = "local";
};
int runner_key_command(const Context& context, const RunnerOptions& options);
int runner_approve(const Context& context, const RunnerOptions& options);
int runner_revoke(const Context& context, const RunnerOptions& options);
int runner_list(const Context& context);

// Runs that are held for review; release and reject are correct() (commands.h).
int review_list(const Context& context);

struct VerifyRunOptions {
  std::string run;       // id or digest
  std::string provider;  // a shared object with the kernel; "" = built in or beside the program
  std::string folder = "var/evidence";
  std::string key;          // file; "" = where it usually is
  int launch_seconds = 60;  // after these a process asks for no further round
  std::string actor = "local";
};
// Its exit codes besides kOk (agrees), kFailed and kUsage.
inline constexpr int kDiffers = 3;
inline constexpr int kCannotTell = 4;
int verify_run(const Context& context, const VerifyRunOptions& options);

}  // namespace ki::cli
