// What a runner would have signed, for tests that measure nothing.
#pragma once

#include <string>
#include <vector>

#include "base/digest.h"
#include "json/wire.h"
#include "publish/bundle.h"
#include "signing/statement.h"

namespace ki::test {

struct Signing {
  std::string machine = "one";
  std::string protocol = "paired-cold/1";
};

// The envelope, JSON, of a statement about all runs of the bundle.
inline std::string sealed(const signing::SigningKey& key, const publish::Bundle& bundle,
                          const Signing& how = {}) {
  signing::Statement statement;
  statement.subject.push_back({"evidence", {{"sha256", to_string(sha256("evidence")).substr(7)}}});
  statement.predicate.runner = {.key_id = to_string(key.id()),
                                .public_key = key.public_key(),
                                .machine = to_string(sha256(how.machine))};
  statement.predicate.protocol = how.protocol;
  for (const auto& entry : bundle.runs) {
    statement.predicate.runs.push_back(to_string(entry.run.digest()));
  }
  return json::to_json(signing::seal(key, json::to_json(statement)));
}

}  // namespace ki::test
