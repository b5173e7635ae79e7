// Who measured: Ed25519 keys and signatures (RFC 8032), and the DSSE envelope
// (https://github.com/secure-systems-lab/dsse, v1.0.2) around an in-toto statement.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "json/wire.h"

namespace ki::signing {

inline constexpr std::string_view kStatementType = "application/vnd.in-toto+json";

std::string to_base64(std::string_view bytes);
// Standard alphabet with padding; nullopt for anything else.
std::optional<std::string> from_base64(std::string_view text);

// The 32 bytes of a public key are written as 64 hex digits. Its id is their SHA-256.
Result<Digest> key_id(std::string_view public_key);

class SigningKey {
 public:
  static Result<SigningKey> generate();
  // PKCS #8 PEM without a passphrase. Errors: Code::not_found, Code::invalid; Code::denied when
  // others than the owner may read the file.
  static Result<SigningKey> load(const std::filesystem::path& path);
  // For its owner alone; Code::conflict when there is a file.
  Status save(const std::filesystem::path& path) const;

  std::string public_key() const;
  Digest id() const;
  std::string sign(std::string_view bytes) const;  // 64 bytes

 private:
  struct Free {
    void operator()(void* key) const;
  };
  explicit SigningKey(void* key) : key_(key) {}
  std::unique_ptr<void, Free> key_;  // an EVP_PKEY
};

// Code::denied when it is not that key's signature of these bytes, Code::invalid for no key.
Status verify_signature(std::string_view public_key, std::string_view bytes,
                        std::string_view signature);

// What DSSE signs: "DSSEv1 <length> <type> <length> <payload>".
std::string pre_authentication(std::string_view type, std::string_view payload);

struct EnvelopeSignature {
  std::string keyid;
  std::string sig;  // base64
  template <class V>
  static void describe(V& v) {
    v.field("keyid", &EnvelopeSignature::keyid, "digest of the public key");
    v.field("sig", &EnvelopeSignature::sig, "base64");
  }
};

struct Envelope {
  std::string payload;  // base64
  std::string payload_type;
  std::vector<EnvelopeSignature> signatures;
  template <class V>
  static void describe(V& v) {
    v.field("payload", &Envelope::payload, "base64 of the statement");
    v.field("payloadType", &Envelope::payload_type, "");
    v.field("signatures", &Envelope::signatures, "");
  }
};

Envelope seal(const SigningKey& key, std::string_view statement);
// The statement of an envelope whose one signature is that of `public_key`. Errors: Code::invalid
// for what is no such envelope, Code::denied for another signature.
Result<std::string> open_envelope(const Envelope& envelope, std::string_view public_key);
// The statement before anybody knows whose it is: to read in it which key it names.
Result<std::string> unverified_statement(const Envelope& envelope);

}  // namespace ki::signing
