#include "base/digest.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include <openssl/evp.h>

#include "base/result.h"

namespace ki {
namespace {

constexpr std::string_view kPrefix = "sha256:";
constexpr std::string_view kHex = "0123456789abcdef";

int lower_nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

int nibble(char c) { return c >= 'A' && c <= 'F' ? c - 'A' + 10 : lower_nibble(c); }

// Writes two digits and returns where the next go.
char* put_hex(char* at, std::uint8_t byte) {
  *at++ = kHex[byte >> 4];
  *at++ = kHex[byte & 15];
  return at;
}

// OpenSSL's one-shot call looks the algorithm up under locks each time, which costs more than
// hashing a small document; so the algorithm is fetched once and the state kept per thread.
const EVP_MD* algorithm() {
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kAlgorithm;
}

}  // namespace

Sha256::Sha256() : state_(EVP_MD_CTX_new()) {
  KI_CHECK(EVP_DigestInit_ex2(static_cast<EVP_MD_CTX*>(state_.get()), algorithm(), nullptr) == 1);
}

void Sha256::Free::operator()(void* state) const {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(state));
}

void Sha256::add(std::string_view bytes) {
  KI_CHECK(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(state_.get()), bytes.data(), bytes.size()) ==
           1);
}

Digest Sha256::finish() {
  Digest digest;
  KI_CHECK(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(state_.get()), digest.bytes.data(),
                              nullptr) == 1);
  return digest;
}

Digest sha256(std::string_view bytes) {
  static thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state(
      EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  Digest digest;
  KI_CHECK(EVP_DigestInit_ex2(state.get(), algorithm(), nullptr) == 1);
  KI_CHECK(EVP_DigestUpdate(state.get(), bytes.data(), bytes.size()) == 1);
  KI_CHECK(EVP_DigestFinal_ex(state.get(), digest.bytes.data(), nullptr) == 1);
  return digest;
}

std::string to_hex(std::string_view bytes) {
  std::string out(bytes.size() * 2, '\0');
  char* at = out.data();
  for (const char byte : bytes) at = put_hex(at, static_cast<std::uint8_t>(byte));
  return out;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string out(hex.size() / 2, '\0');
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = nibble(hex[2 * i]);
    const int low = nibble(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out[i] = static_cast<char>(high * 16 + low);
  }
  return out;
}

std::string to_string(const Digest& digest) {
  std::string out(kPrefix.size() + digest.bytes.size() * 2, '\0');
  char* at = std::ranges::copy(kPrefix, out.data()).out;
  for (const std::uint8_t byte : digest.bytes) at = put_hex(at, byte);
  return out;
}

std::optional<Digest> parse_digest(std::string_view text) {
  Digest digest;
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  if (text.size() != digest.bytes.size() * 2) return std::nullopt;
  int bad = 0;  // negative once a digit was none
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const int high = lower_nibble(text[2 * i]);
    const int low = lower_nibble(text[2 * i + 1]);
    bad |= high | low;
    digest.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return bad < 0 ? std::nullopt : std::optional(digest);
}

}  // namespace ki

std::size_t std::hash<ki::Digest>::operator()(const ki::Digest& digest) const noexcept {
  std::size_t value = 0;
  std::memcpy(&value, digest.bytes.data(), sizeof value);
  return value;
}
