#include "embed/writer.h"

#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "base/digest.h"

namespace ki::embed {
namespace {

constexpr std::size_t kItemsMax = std::numeric_limits<std::uint32_t>::max() - 1;

template <class T>
std::string_view bytes_of(const std::vector<T>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}

// At most half of them are taken, so a look-up ends soon.
std::vector<std::uint32_t> hashed(std::span<const Case> all) {
  std::vector<std::uint32_t> out(std::bit_ceil(std::max<std::size_t>(all.size() * 2, 2)));
  const std::size_t mask = out.size() - 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t at = all[i].hash & mask;
    while (out[at] != 0) at = (at + 1) & mask;
    out[at] = static_cast<std::uint32_t>(i + 1);
  }
  return out;
}

}  // namespace

std::uint32_t Writer::Names::id_of(const std::string& name) {
  return ids.try_emplace(name, static_cast<std::uint32_t>(ids.size() + 1)).first->second;
}

Writer::Writer(const std::string& catalog_version, const std::string& policy_version)
    : catalog_(text(catalog_version)), policy_(text(policy_version)) {}

Text Writer::text(const std::string& text) {
  if (text.empty()) return 0;
  const auto [at, is_new] = text_at_.try_emplace(text, static_cast<Text>(texts_.size()));
  if (is_new) {
    // A NUL inside would end it for a reader of C texts.
    texts_ += text.substr(0, text.find('\0'));
    texts_ += '\0';
  }
  return at->second;
}

void Writer::name_operation(const std::string& alias, const std::string& slug) {
  operations_.aliases[alias].insert(slug);
}

void Writer::name_hardware(const std::string& alias, const std::string& model) {
  hardware_.aliases[alias].insert(model);
}

Answer Writer::packed(const AnswerData& answer) {
  Answer out{.comparison_key = text(answer.comparison_key),
             .hardware = text(answer.hardware),
             .metric = text(answer.metric),
             .unit = text(answer.unit),
             .statistic = text(answer.statistic),
             .verdict = text(answer.verdict),
             .candidates_begin = static_cast<std::uint32_t>(candidates_.size()),
             .candidates_count = static_cast<std::uint32_t>(answer.candidates.size())};
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  for (const CandidateData& one : answer.candidates) {
    std::uint32_t flags = 0;
    if (one.shares_rank) flags |= shares_rank;
    if (one.source_available) flags |= source_available;
    if (one.deployable) flags |= deployable;
    candidates_.push_back({.value = one.value,
                           .low = one.low.value_or(kUnknown),
                           .high = one.high.value_or(kUnknown),
                           .implementation = text(one.implementation),
                           .name = text(one.name),
                           .project = text(one.project),
                           .run = text(one.run),
                           .language = text(one.language),
                           .framework = text(one.framework),
                           .install = text(one.install),
                           .license = text(one.license),
                           .rank = one.rank,
                           .evidence = one.evidence,
                           .flags = flags,
                           .unused = 0});
  }
  return out;
}

bool Writer::add(const CaseData& one, const AnswerData& answer) {
  std::string key = one.operation + '\n' + one.dtype + '\n' + one.hardware + '\n' + one.pass;
  for (const auto& [name, value] : one.axes) key += '\n' + name + '=' + std::to_string(value);
  if (!known_cases_.insert(std::move(key)).second) return false;
  const auto [known, is_new] =
      answer_at_.try_emplace(answer.comparison_key, static_cast<std::uint32_t>(answers_.size()));
  if (is_new) answers_.push_back(packed(answer));
  Case out{.hash = 0,
           .operation = text(one.operation),
           .operation_id = operations_.id_of(one.operation),
           .dtype = text(one.dtype),
           .dtype_id = one.dtype.empty() ? 0 : dtypes_.id_of(one.dtype),
           .hardware = text(one.hardware),
           .hardware_id = one.hardware.empty() ? 0 : hardware_.id_of(one.hardware),
           .pass = text(one.pass),
           .axes_begin = static_cast<std::uint32_t>(axes_.size()),
           .axes_count = static_cast<std::uint32_t>(one.axes.size()),
           .answer = known->second};
  std::uint64_t sum = 0;
  for (const auto& [name, value] : one.axes) {
    sum += hash_of_axis(name, value);
    axes_.push_back({.name = text(name), .unused = 0, .value = value});
  }
  out.hash = hash_of_case(out.operation_id, out.dtype_id, out.hardware_id, one.pass, sum);
  cases_.push_back(out);
  return true;
}

std::vector<Name> Writer::sorted(const Names& names) {
  std::map<std::string, std::uint32_t> all = names.ids;
  for (const auto& [alias, meanings] : names.aliases) {
    const auto meant = names.ids.find(*meanings.begin());
    if (meanings.size() == 1 && meant != names.ids.end()) all.try_emplace(alias, meant->second);
  }
  std::vector<Name> out;
  for (const auto& [name, id] : all) out.push_back({.text = text(name), .id = id});
  return out;
}

Result<std::string> Writer::finish() {
  const auto operation_names = sorted(operations_);
  const auto dtype_names = sorted(dtypes_);
  const auto hardware_names = sorted(hardware_);
  for (const std::size_t items :
       {texts_.size(), axes_.size(), cases_.size() * 4, answers_.size(), candidates_.size()}) {
    if (items > kItemsMax) return fail(Code::invalid, "the catalog is too large for a snapshot");
  }
  const auto table = hashed(cases_);
  const std::array<std::string_view, kSections> contents = {texts_,
                                                            bytes_of(operation_names),
                                                            bytes_of(dtype_names),
                                                            bytes_of(hardware_names),
                                                            bytes_of(axes_),
                                                            bytes_of(cases_),
                                                            bytes_of(table),
                                                            bytes_of(answers_),
                                                            bytes_of(candidates_)};
  Header header{.magic = kMagic,
                .version = kFormatVersion,
                .header_bytes = sizeof(Header),
                .file_bytes = 0,
                .digest = {},
                .catalog = catalog_,
                .policy = policy_,
                .sections = {}};
  std::string out(sizeof(Header), '\0');
  for (std::size_t i = 0; i < kSections; ++i) {
    out.resize((out.size() + kAlignment - 1) / kAlignment * kAlignment);
    header.sections[i] = {.offset = out.size(), .count = contents[i].size() / kStride[i]};
    out += contents[i];
  }
  header.file_bytes = out.size();
  std::memcpy(out.data(), &header, sizeof header);
  header.digest = sha256(std::string_view(out).substr(kDigestedFrom)).bytes;
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

}  // namespace ki::embed
