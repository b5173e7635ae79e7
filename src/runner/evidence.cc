#include "runner/evidence.h"

#include <memory>

#include <zstd.h>

#include "base/text.h"
#include "json/read.h"
#include "manifest/manifest.h"

namespace ki::runner {
namespace {

constexpr int kCompressionLevel = 9;
constexpr json::Limits kLimits{
    .bytes_max = kEvidenceBytesMax, .depth_max = 32, .values_max = kSamplesMax * kRawFields + 4096};

void add_line(std::string& out, std::string_view kind, std::string_view json) {
  out.append("{\"").append(kind).append("\":").append(json).append("}\n");
}

template <class T>
Result<T> read_as(const json::Value& value, std::string_view what) {
  auto read = json::read<T>(value);
  if (!read) {
    Error error = to_error(read.error());
    error.where = std::string(what);
    return std::unexpected(std::move(error));
  }
  return std::move(*read);
}

Result<json::Document> parse_line(std::string_view line, std::size_t number) {
  auto document = json::parse(line, kLimits);
  const std::string where = "line " + std::to_string(number);
  if (!document) return fail(Code::invalid, to_string(document.error()), where);
  if (!document->root.is_object() || document->root.members().size() != 1) {
    return fail(Code::invalid, "a line is an object with one member, its kind", where);
  }
  return std::move(*document);
}

// Adds the samples of a launch to those counted before.
Status count_samples(const Launch& launch, std::size_t& samples) {
  samples += launch.samples.size() / kRawFields;
  if (samples > kSamplesMax) return fail(Code::too_large, "more samples than are read");
  return {};
}

Status check_all_samples(const Evidence& evidence) {
  std::size_t samples = 0;
  for (const Launch& launch : evidence.launches) {
    TRY(check_samples(launch, evidence.session.lineup.size()));
    TRY(count_samples(launch, samples));
  }
  if (!evidence.ceilings) return {};
  const Ceilings& ceilings = *evidence.ceilings;
  TRY(check_ceilings(ceilings));
  for (const Launch& launch : ceilings.launches) {
    TRY(count_samples(launch, samples));
  }
  const Session& session = evidence.session;
  if (ceilings.machine != session.machine || ceilings.threads != session.threads) {
    return fail(Code::denied, "the ceilings are of another machine or of other threads",
                "/ceilings");
  }
  return {};
}

Status check_session(const Session& session) {
  if (session.format != kEvidenceFormat) {
    return fail(Code::invalid,
                "this is evidence of another format than " + std::string(kEvidenceFormat),
                "/session/format");
  }
  if (session.seed.size() != 16 || !from_hex(session.seed)) {
    return fail(Code::invalid, "a seed is 16 hex digits", "/session/seed");
  }
  const auto count = static_cast<std::int64_t>(session.candidates.size());
  if (count > 64 || session.lineup.size() > 64) {
    return fail(Code::too_large, "a session has at most 64 candidates", "/session/candidates");
  }
  for (const std::int64_t place : session.lineup) {
    if (place < 0 || place >= count) {
      return fail(Code::invalid, "the lineup names a candidate that is not there",
                  "/session/lineup");
    }
  }
  return {};
}

// Adds what one line of the body says.
Status take_line(const json::Member& member, Evidence& evidence, bool& has_session) {
  if (member.key == "session") {
    if (has_session) return fail(Code::invalid, "there are two sessions");
    evidence.session = TRY(read_as<Session>(member.value, "session"));
    TRY(check_session(evidence.session));
    has_session = true;
  } else if (!has_session) {
    return fail(Code::invalid, "the first line is the session");
  } else if (member.key == "ceilings") {
    if (evidence.ceilings) return fail(Code::invalid, "there are two lines of ceilings");
    evidence.ceilings = TRY(read_as<Ceilings>(member.value, "ceilings"));
  } else if (member.key == "launch") {
    if (evidence.launches.size() == kLaunchesMax) return fail(Code::too_large, "too many launches");
    Launch launch = TRY(read_as<Launch>(member.value, "launch"));
    evidence.launches.push_back(std::move(launch));
  } else if (member.key == "manifest" || member.key == "run") {
    std::string text;
    json::append_compact(text, member.value);
    (member.key == "run" ? evidence.runs : evidence.manifests).push_back(std::move(text));
  } else {
    return fail(Code::invalid, "a line of the kind \"" + excerpt(member.key) + "\" is not known");
  }
  return {};
}

Result<std::string> decompress(std::string_view encoded) {
  if (encoded.size() > kEvidenceFileBytesMax) {
    return fail(Code::too_large, "the file is larger than evidence may be");
  }
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  std::string out;
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{encoded.data(), encoded.size(), 0};
  std::size_t left = 1;
  while (in.pos < in.size || left == 0) {
    if (in.pos == in.size) break;
    ZSTD_outBuffer part{chunk.data(), chunk.size(), 0};
    left = ZSTD_decompressStream(context.get(), &part, &in);
    if (ZSTD_isError(left) != 0) return fail(Code::invalid, "this is not what zstd wrote");
    if (out.size() + part.pos > kEvidenceBytesMax) {
      return fail(Code::too_large, "it holds more than evidence may");
    }
    out.append(chunk.data(), part.pos);
  }
  if (left != 0) return fail(Code::invalid, "the end is missing");
  return out;
}

// That the statement is about this evidence.
Status check_statement(const Statement& statement, const SignedEvidence& read) {
  const auto wrong = [](const char* what, const char* where) {
    return fail(Code::denied, what, where);
  };
  const auto& digest = statement.subject.front().digest;
  const auto found = digest.find("sha256");
  if (found == digest.end() || "sha256:" + found->second != to_string(read.body)) {
    return wrong("what was signed is not this evidence", "/subject/0/digest");
  }
  const Session& session = read.evidence.session;
  if (statement.predicate.protocol != session.protocol) {
    return wrong("the statement names another protocol", "/predicate/protocol");
  }
  if (statement.predicate.runner.machine != session.machine) {
    return wrong("the statement names another machine", "/predicate/runner/machine");
  }
  std::vector<std::string> runs;
  for (const std::string& text : read.evidence.runs) {
    const auto run = manifest::decode_json(text);
    if (!run) return std::unexpected(to_error(run.error()));
    runs.push_back(to_string(run->digest()));
  }
  if (runs != statement.predicate.runs) {
    return wrong("the statement names other runs", "/predicate/runs");
  }
  return {};
}

}  // namespace

bool was_run(const Measured& candidate) {
  return candidate.status != "unsupported" && candidate.status != "unavailable";
}

std::string_view project_of(const Measured& candidate) {
  return candidate.library.empty() ? "KernelIndex" : std::string_view(candidate.provider);
}

Result<std::string> add_manifest(Evidence& evidence, std::string_view text) {
  const auto manifest = manifest::decode_json(text);
  if (!manifest) return std::unexpected(to_error(manifest.error()));
  std::string compact = manifest->to_json();  // every number spelt as decode() does
  if (std::ranges::find(evidence.manifests, compact) == evidence.manifests.end()) {
    evidence.manifests.push_back(std::move(compact));
  }
  return to_string(manifest->digest());
}

std::string body_of(const Evidence& evidence) {
  std::string out;
  add_line(out, "session", json::to_json(evidence.session));
  if (evidence.ceilings) add_line(out, "ceilings", json::to_json(*evidence.ceilings));
  for (const Launch& launch : evidence.launches) add_line(out, "launch", json::to_json(launch));
  for (const std::string& text : evidence.manifests) add_line(out, "manifest", text);
  for (const std::string& text : evidence.runs) add_line(out, "run", text);
  return out;
}

Digest samples_digest(const std::vector<Launch>& launches) {
  std::string out;
  for (const Launch& launch : launches) add_line(out, "launch", json::to_json(launch));
  return sha256(out);
}

std::string encode(const Evidence& evidence, const SigningKey& key) {
  const std::string body = body_of(evidence);
  Statement statement;
  statement.subject.push_back(
      {"evidence",
       {{"sha256", to_string(sha256(body)).substr(std::string_view("sha256:").size())}}});
  statement.predicate.runner = {to_string(key.id()), key.public_key(), evidence.session.machine};
  statement.predicate.protocol = evidence.session.protocol;
  for (const std::string& text : evidence.runs) {
    statement.predicate.runs.push_back(to_string(manifest::decode_json(text)->digest()));
  }
  std::string text = body;
  add_line(text, "envelope", json::to_json(signing::seal(key, json::to_json(statement))));
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), text.data(), text.size(), kCompressionLevel);
  KI_CHECK(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

std::string file_name_of(std::string_view encoded) {
  constexpr std::size_t kDigits = 16;
  return to_string(sha256(encoded))
      .substr(std::string_view("sha256:").size(), kDigits)
      .append(kEvidenceSuffix);
}

Result<SignedEvidence> decode(std::string_view encoded) {
  const std::string text = TRY(decompress(encoded));
  SignedEvidence read;
  std::optional<signing::Envelope> envelope;
  bool has_session = false;
  std::size_t number = 0;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return fail(Code::invalid, "the last line has no end");
    if (++number > kEvidenceLinesMax) return fail(Code::too_large, "too many lines");
    if (envelope) return fail(Code::invalid, "the envelope is the last line");
    const auto document =
        TRY(parse_line(std::string_view(text).substr(begin, end - begin), number));
    const json::Member& member = document.root.members().front();
    if (member.key == "envelope") {
      envelope = TRY(read_as<signing::Envelope>(member.value, "envelope"));
      read.body = sha256(std::string_view(text).substr(0, begin));
    } else {
      TRY(take_line(member, read.evidence, has_session));
    }
    begin = end + 1;
  }
  if (!envelope) return fail(Code::invalid, "there is no envelope");
  TRY(check_all_samples(read.evidence));
  read.statement = TRY(signing::open_statement(*envelope)).statement;
  read.envelope = json::to_json(*envelope);
  TRY(check_statement(read.statement, read));
  return read;
}

}  // namespace ki::runner
