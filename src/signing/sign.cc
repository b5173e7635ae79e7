#include "signing/sign.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

namespace ki::signing {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSignatureBytes = 64;
constexpr std::size_t kKeyFileBytesMax = 4096;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using MdContext = std::unique_ptr<EVP_MD_CTX, FreeContext>;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

Result<std::string> raw_public_key(std::string_view public_key) {
  const auto bytes = from_hex(public_key);
  if (!bytes || bytes->size() != kKeyBytes) {
    return fail(Code::invalid, "a public key is written as 64 hex digits");
  }
  return *bytes;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(bytes),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string out(text.size() / 4 * 3 + 1, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(text),
                                     static_cast<int>(text.size()));
  if (length < 0 || static_cast<std::size_t>(length) < padding) return std::nullopt;
  out.resize(static_cast<std::size_t>(length) - padding);
  // OpenSSL passes over blanks and odd padding; one text has one spelling here.
  if (to_base64(out) != text) return std::nullopt;
  return out;
}

Result<Digest> key_id(std::string_view public_key) {
  const std::string bytes = TRY(raw_public_key(public_key));
  return sha256(bytes);
}

void SigningKey::Free::operator()(void* key) const { EVP_PKEY_free(static_cast<EVP_PKEY*>(key)); }

Result<SigningKey> SigningKey::generate() {
  EVP_PKEY* key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  if (key == nullptr) return fail(Code::internal, "OpenSSL makes no Ed25519 key");
  return SigningKey(key);
}

Result<SigningKey> SigningKey::load(const std::filesystem::path& path) {
  struct stat status{};
  const bool there = stat(path.c_str(), &status) == 0;
  if (there && !S_ISREG(status.st_mode)) {
    return fail(Code::invalid,
                S_ISDIR(status.st_mode) ? "this is a folder, no key" : "this is no file",
                path.string());
  }
  if (there && (status.st_mode & 077U) != 0) {
    return fail(Code::denied, "others may read this key; chmod 600 it", path.string());
  }
  const std::string pem = TRY(read_file(path, kKeyFileBytesMax));
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  // Without a passphrase: the callback gives none, so that nothing asks on the terminal.
  EVP_PKEY* key = PEM_read_bio_PrivateKey(
      bio.get(), nullptr, [](char*, int, int, void*) { return -1; }, nullptr);
  if (key == nullptr) return fail(Code::invalid, "this is no private key in PEM", path.string());
  SigningKey loaded(key);
  if (EVP_PKEY_get_base_id(key) != EVP_PKEY_ED25519) {
    return fail(Code::invalid, "this is no Ed25519 key", path.string());
  }
  return loaded;
}

Status SigningKey::save(const std::filesystem::path& path) const {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PKCS8PrivateKey(bio.get(), static_cast<EVP_PKEY*>(key_.get()), nullptr, nullptr,
                                    0, nullptr, nullptr) != 1) {
    return fail(Code::internal, "OpenSSL writes no key");
  }
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &data);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    const std::error_code why(errno, std::generic_category());
    const bool exists = why == std::errc::file_exists;
    std::error_code ignored;
    return fail(exists ? Code::conflict : Code::unavailable,
                !exists ? "no key can be written here: " + why.message()
                : std::filesystem::is_directory(path, ignored)
                    ? "this is a folder; name a file in it"
                    : "there is a key already",
                path.string());
  }
  const bool written =
      write(fd, data, static_cast<std::size_t>(length)) == length && fsync(fd) == 0;
  const std::error_code why(errno, std::generic_category());
  close(fd);
  if (!written) {
    unlink(path.c_str());
    return fail(Code::unavailable, "the key could not be written: " + why.message(), path.string());
  }
  return {};
}

std::string SigningKey::public_key() const {
  std::array<unsigned char, kKeyBytes> bytes{};
  std::size_t length = bytes.size();
  KI_CHECK(EVP_PKEY_get_raw_public_key(static_cast<EVP_PKEY*>(key_.get()), bytes.data(), &length) ==
           1);
  return to_hex({reinterpret_cast<const char*>(bytes.data()), length});
}

Digest SigningKey::id() const { return *key_id(public_key()); }

std::string SigningKey::sign(std::string_view bytes) const {
  const MdContext context(EVP_MD_CTX_new());
  std::string signature(kSignatureBytes, '\0');
  std::size_t length = signature.size();
  KI_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr,
                              static_cast<EVP_PKEY*>(key_.get())) == 1);
  KI_CHECK(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()),
                          &length, bytes_of(bytes), bytes.size()) == 1);
  signature.resize(length);
  return signature;
}

Status verify_signature(std::string_view public_key, std::string_view bytes,
                        std::string_view signature) {
  const std::string raw_key = TRY(raw_public_key(public_key));
  EVP_PKEY* key =
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(raw_key), raw_key.size());
  if (key == nullptr) return fail(Code::invalid, "this is no Ed25519 public key");
  const MdContext context(EVP_MD_CTX_new());
  const bool good = EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
                    EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(),
                                     bytes_of(bytes), bytes.size()) == 1;
  EVP_PKEY_free(key);
  if (!good) return fail(Code::denied, "the signature is not that of this key over these bytes");
  return {};
}

std::string pre_authentication(std::string_view type, std::string_view payload) {
  std::string out = "DSSEv1 " + std::to_string(type.size()) + ' ';
  out.append(type).append(" ").append(std::to_string(payload.size())).append(" ").append(payload);
  return out;
}

Envelope seal(const SigningKey& key, std::string_view statement) {
  Envelope envelope;
  envelope.payload = to_base64(statement);
  envelope.payload_type = kStatementType;
  const std::string signature = key.sign(pre_authentication(kStatementType, statement));
  envelope.signatures.push_back({to_string(key.id()), to_base64(signature)});
  return envelope;
}

Result<std::string> unverified_statement(const Envelope& envelope) {
  if (envelope.payload_type != kStatementType) {
    return fail(Code::invalid, "the envelope holds no in-toto statement", "/payloadType");
  }
  auto statement = from_base64(envelope.payload);
  if (!statement) return fail(Code::invalid, "this is not base64", "/payload");
  return std::move(*statement);
}

Result<std::string> open_envelope(const Envelope& envelope, std::string_view public_key) {
  std::string statement = TRY(unverified_statement(envelope));
  if (envelope.signatures.size() != 1) {
    return fail(Code::invalid, "an envelope has one signature here", "/signatures");
  }
  const EnvelopeSignature& signature = envelope.signatures.front();
  const Digest id = TRY(key_id(public_key));
  if (signature.keyid != to_string(id)) {
    return fail(Code::denied, "the envelope names another key", "/signatures/0/keyid");
  }
  const auto bytes = from_base64(signature.sig);
  if (!bytes) return fail(Code::invalid, "this is not base64", "/signatures/0/sig");
  TRY(verify_signature(public_key, pre_authentication(envelope.payload_type, statement), *bytes));
  return statement;
}

}  // namespace ki::signing
