// What a runner signs: an in-toto statement (v1) that it measured these runs, with this evidence.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "json/wire.h"
#include "signing/sign.h"

namespace ki::signing {

inline constexpr std::string_view kPredicateType = "https://kernelindex.dev/measurement/v1";

struct Statement {
  struct Runner {
    std::string key_id, public_key, machine;
    template <class V>
    static void describe(V& v) {
      v.field("keyId", &Runner::key_id, "");
      v.field("publicKey", &Runner::public_key, "");
      v.field("machine", &Runner::machine, "");
    }
  };
  struct Predicate {
    Runner runner;
    std::string protocol;
    std::vector<std::string> runs;  // digests
    template <class V>
    static void describe(V& v) {
      v.field("runner", &Predicate::runner, "");
      v.field("protocol", &Predicate::protocol, "");
      v.field("runs", &Predicate::runs, "");
    }
  };
  struct Subject {
    std::string name;
    std::map<std::string, std::string> digest;
    template <class V>
    static void describe(V& v) {
      v.field("name", &Subject::name, "");
      v.field("digest", &Subject::digest, "");
    }
  };
  std::string type = "https://in-toto.io/Statement/v1";
  std::vector<Subject> subject;
  std::string predicate_type{kPredicateType};
  Predicate predicate;
  template <class V>
  static void describe(V& v) {
    v.field("_type", &Statement::type, "");
    v.field("subject", &Statement::subject, "");
    v.field("predicateType", &Statement::predicate_type, "");
    v.field("predicate", &Statement::predicate, "");
  }
};

// A statement whose envelope has the one signature of the key that it names. Whether that key is to
// be believed is another question.
struct Opened {
  Statement statement;
  Digest digest;  // of the signed bytes
};

// Errors: Code::invalid for what is no such envelope, Code::denied for another signature or a key
// that does not have the id it is given.
Result<Opened> open_statement(const Envelope& envelope);
// The same of the envelope's JSON.
Result<Opened> open_statement(std::string_view envelope_json);

}  // namespace ki::signing
