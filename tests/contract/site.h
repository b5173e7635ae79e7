// The API over a real catalog behind a real server: the public export where it is on this machine,
// else the bundled registry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"
#include "json/read.h"
#include "tests/support/http_client.h"

namespace ki::contract {

class Site {
 public:
  // Made when first asked for. Stops the test program when it cannot be made.
  static Site& get();
  ~Site();

  bool of_export() const { return of_export_; }
  // Digest of the one run whose samples it has.
  const std::string& sampled_run() const { return sampled_run_; }
  // Without a key, but where one is needed.
  tests::Answer ask(std::string_view target) const;
  tests::Answer post(std::string_view target, std::string_view body) const;

 private:
  Site();
  std::string key_for(std::string_view target) const;
  std::string path_;
  bool of_export_ = false;
  std::string sampled_run_;
  std::string token_;
  std::unique_ptr<http::Server> server_;
};

// An answer as a document; the text must outlive it no longer than the call.
json::Document parsed(const tests::Answer& answer);

// Percent-encoded for a path segment or the value of a parameter.
std::string encoded(std::string_view text);

// The texts at `member` of each entry of the list `list` in the answer to `target`.
std::vector<std::string> texts_of(const Site& site, const std::string& target,
                                  std::string_view list, std::string_view member);

// What is wrong, each fault once.
using Faults = std::vector<std::string>;

}  // namespace ki::contract
