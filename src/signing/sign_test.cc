#include "signing/sign.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ki::signing {
namespace {

namespace fs = std::filesystem;

TEST(Base64, HasOneSpelling) {
  EXPECT_EQ(to_base64("hello"), "aGVsbG8=");
  EXPECT_EQ(from_base64("aGVsbG8="), "hello");
  EXPECT_EQ(from_base64(""), "");
  for (const char* bad :
       {"aGVsbG8", "aGVsbG9=", "aGVs bG8=", "aGVsbG8=\n", "====", "a-_=", "AAA==="}) {
    EXPECT_FALSE(from_base64(bad)) << bad;
  }
}

// RFC 8032, 7.1, test 2.
TEST(Signature, AgreesWithTheStandard) {
  const std::string key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
  const std::string signature = *from_hex(
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
  EXPECT_TRUE(verify_signature(key, "\x72", signature));
  EXPECT_FALSE(verify_signature(key, "\x73", signature));
  EXPECT_FALSE(verify_signature(key, "\x72", signature.substr(1)));
  EXPECT_FALSE(verify_signature(key.substr(2), "\x72", signature));
}

TEST(PreAuthentication, IsThatOfDsse) {
  EXPECT_EQ(pre_authentication("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

TEST(Envelope, OpensWithItsKeyAndUnchangedOnly) {
  const SigningKey key = *SigningKey::generate();
  const SigningKey other = *SigningKey::generate();
  const Envelope envelope = seal(key, R"({"a":1})");
  EXPECT_EQ(open_envelope(envelope, key.public_key()), R"({"a":1})");
  EXPECT_FALSE(open_envelope(envelope, other.public_key()));
  Envelope changed = envelope;
  changed.payload = to_base64(R"({"a":2})");
  EXPECT_FALSE(open_envelope(changed, key.public_key()));
  changed = envelope;
  changed.payload_type = "text/plain";
  EXPECT_FALSE(open_envelope(changed, key.public_key()));
  changed = envelope;
  changed.signatures.push_back(changed.signatures[0]);
  EXPECT_FALSE(open_envelope(changed, key.public_key()));
  changed = envelope;
  changed.signatures[0].keyid = to_string(other.id());
  EXPECT_FALSE(open_envelope(changed, other.public_key()));
}

TEST(Key, IsKeptForItsOwnerAlone) {
  const fs::path path = fs::temp_directory_path() / ("ki-key-" + std::to_string(getpid()));
  fs::remove(path);
  const SigningKey key = *SigningKey::generate();
  ASSERT_TRUE(key.save(path));
  EXPECT_EQ(key.save(path).error().code, Code::conflict);
  EXPECT_EQ(SigningKey::load(path)->public_key(), key.public_key());
  fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(SigningKey::load(path).error().code, Code::denied);
  fs::remove(path);
  EXPECT_EQ(SigningKey::load(path).error().code, Code::not_found);
  EXPECT_EQ(key.save(fs::temp_directory_path()).error().message,
            "this is a folder; name a file in it");
  EXPECT_EQ(SigningKey::load("/").error().message, "this is a folder, no key");
}

}  // namespace
}  // namespace ki::signing
