// The YAML reader, over libyaml's events: libyaml knows the syntax, this file knows the YAML 1.2
// core schema and every bound.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <yaml.h>

#include "base/text.h"
#include "json/read.h"
#include "json/read_common.h"
#include "json/write.h"
#include "json/yaml_scalar.h"

namespace ki::json {
namespace {

using reading::Findings;
using reading::in_quotes;
using reading::Step;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// libyaml counts characters; offsets here count bytes. Marks come nearly in order, so the way from
// the last one is short.
class ByteOffsets {
 public:
  ByteOffsets(std::string_view text, std::size_t start)
      : text_(text), ascii_(std::ranges::all_of(text, is_ascii)), bytes_(start), start_(start) {}

  std::size_t of(const yaml_mark_t& mark) {
    if (ascii_) return std::min(mark.index + start_, text_.size());
    const auto continues = [&](std::size_t at) {
      return at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xC0) == 0x80;
    };
    for (; characters_ < mark.index && bytes_ < text_.size(); ++characters_) {
      ++bytes_;
      while (continues(bytes_)) ++bytes_;
    }
    for (; characters_ > mark.index && bytes_ > start_; --characters_) {
      --bytes_;
      while (continues(bytes_)) --bytes_;
    }
    return bytes_;
  }

 private:
  std::string_view text_;
  bool ascii_;
  std::size_t characters_ = 0;
  std::size_t bytes_;
  std::size_t start_;
};

// One event, freed by whoever holds it.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { clear(); }

  bool read_from(yaml_parser_t& parser) {
    clear();
    return yaml_parser_parse(&parser, &event_) == 1;
  }
  const yaml_event_t& operator*() const { return event_; }
  const yaml_event_t* operator->() const { return &event_; }

 private:
  void clear() {
    if (event_.type != YAML_NO_EVENT) yaml_event_delete(&event_);
    event_ = {};
  }
  yaml_event_t event_{};
};

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

// A node and what an alias to it costs.
struct Node {
  Value value;
  int height = 0;         // levels of lists and mappings, 0 for a scalar
  std::size_t count = 1;  // values, aliases expanded
  bool merge = false;     // a plain <<
};

struct Anchor {
  Node node;
  bool open = true;  // the node is still being read
  std::size_t references = 0;
  // The references made inside the node, nested ones included: a slice of the log.
  std::size_t log_begin = 0;
  std::size_t log_end = 0;
};

class Reader {
 public:
  Reader(std::string_view text, std::size_t start, const Limits& limits, Findings& findings)
      : text_(text), limits_(limits), findings_(findings), offsets_(text, start) {
    ready_ = yaml_parser_initialize(&parser_) == 1;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &parser_, reinterpret_cast<const unsigned char*>(text.data()) + start, text.size() - start);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    if (ready_) yaml_parser_delete(&parser_);
  }

  // Stops at the first mistake that hides what follows; the findings say which.
  // Whether the text was read to its end.
  bool read_stream(std::vector<Document>& documents) {
    if (!ready_) return fail(nullptr, 0, "syntax", "out of memory");
    Event event;
    while (next(event, nullptr)) {
      if (event->type == YAML_STREAM_END_EVENT) return true;
      if (event->type != YAML_DOCUMENT_START_EVENT) continue;
      if (documents.size() >= limits_.documents_max) {
        return fail(nullptr, offsets_.of(event->start_mark), "size",
                    reading::count_message("documents", limits_.documents_max));
      }
      Document& document = documents.emplace_back();
      arena_ = &document.arena;
      anchors_.clear();
      names_.clear();
      log_.clear();
      Node root;
      if (!next(event, nullptr) || !read_node(event, nullptr, 0, root)) return false;
      document.root = root.value;
    }
    return false;
  }

 private:
  bool fail(const Step* at, std::size_t offset, std::string_view code, std::string message) {
    findings_.add(code, std::move(message), at, offset);
    return false;
  }

  bool next(Event& event, const Step* at) {
    if (event.read_from(parser_)) return true;
    return syntax_error(at);
  }

  bool syntax_error(const Step* at) {
    const std::string_view problem = parser_.problem == nullptr ? "unreadable" : parser_.problem;
    std::size_t offset = offsets_.of(parser_.problem_mark);
    const char found = offset < text_.size() ? text_[offset] : '\0';
    if (problem.find("tab character") != std::string_view::npos || found == '\t') {
      return fail(at, offset, "tab", "a tab may not indent YAML; use blanks");
    }
    if (problem.find("Unicode character escape") != std::string_view::npos) {
      offset -= std::min<std::size_t>(offset, 2);  // the mark stands after \u
      return fail(at, offset, "surrogate",
                  fmt::format("{} is no character; write the character itself or, beyond U+FFFF, "
                              "\\U and eight digits",
                              in_quotes(text_.substr(offset, text_[offset + 1] == 'U' ? 10 : 6))));
    }
    if (problem.find("cannot start any token") != std::string_view::npos) {
      return fail(at, offset, "syntax",
                  fmt::format("a plain value may not start with {}; put it in quotes",
                              in_quotes(text_.substr(offset, 1))));
    }
    std::string message = fmt::format("this is not YAML: {}", problem);
    if (parser_.context != nullptr) {
      message += fmt::format(" {}", parser_.context);
      const Place from = place_at(text_, offsets_.of(parser_.context_mark));
      message += fmt::format(" (from line {} column {})", from.line, from.column);
    }
    const bool tag = problem.find("tag handle") != std::string_view::npos;
    return fail(at, offset, tag ? "tag" : "syntax", std::move(message));
  }

  // The byte where the value itself starts: libyaml's mark is at its tag or anchor.
  std::uint32_t offset_of(const yaml_event_t& event, bool has_properties) {
    std::size_t offset = offsets_.of(event.start_mark);
    const auto is = [&](std::string_view set) {
      return offset < text_.size() && set.find(text_[offset]) != std::string_view::npos;
    };
    while (has_properties && is("!&")) {
      while (offset < text_.size() && !is(" \t\r\n,]}")) ++offset;
      while (is(" \t\r\n")) ++offset;
    }
    return static_cast<std::uint32_t>(offset);
  }

  bool read_node(Event& event, const Step* at, int depth, Node& out) {
    if (event->type == YAML_ALIAS_EVENT) return read_alias(*event, at, depth, out);
    if (++count_ > limits_.values_max) return too_many(at, offsets_.of(event->start_mark));
    const yaml_char_t* anchor = event->type == YAML_SCALAR_EVENT ? event->data.scalar.anchor
                                : event->type == YAML_SEQUENCE_START_EVENT
                                    ? event->data.sequence_start.anchor
                                    : event->data.mapping_start.anchor;
    const std::size_t id = anchors_.size();
    const bool anchored = anchor != nullptr;
    if (anchored) {
      names_[std::string(view(anchor))] = id;
      anchors_.push_back({.node = {}, .log_begin = log_.size()});
    }
    const bool good = event->type == YAML_SCALAR_EVENT ? read_scalar(*event, at, out)
                                                       : read_collection(event, at, depth, out);
    if (good && anchored) {
      anchors_[id].node = out;
      anchors_[id].open = false;
      anchors_[id].log_end = log_.size();
    }
    return good;
  }

  bool too_many(const Step* at, std::size_t offset) {
    return fail(at, offset, "size", reading::count_message("values", limits_.values_max));
  }

  bool read_alias(const yaml_event_t& event, const Step* at, int depth, Node& out) {
    const std::size_t offset = offsets_.of(event.start_mark);
    const std::string_view name = view(event.data.alias.anchor);
    const auto found = names_.find(std::string(name));
    if (found == names_.end() || anchors_[found->second].open) {
      findings_.add("alias",
                    fmt::format("the alias *{} {}", excerpt(name),
                                found == names_.end() ? "has no anchor before it in this document"
                                                      : "stands inside its own anchor"),
                    at, offset);
      out.value = Arena::null(static_cast<std::uint32_t>(offset));
      return true;
    }
    const std::size_t id = found->second;
    out = anchors_[id].node;
    out.merge = false;
    if (depth + out.height > limits_.depth_max) {
      return fail(
          at, offset, "depth",
          reading::depth_message(static_cast<std::size_t>(depth + out.height), limits_.depth_max));
    }
    count_ += out.count;
    if (count_ > limits_.values_max) return too_many(at, offset);
    bool good = refer_to(id);
    for (std::size_t i = anchors_[id].log_begin; good && i < anchors_[id].log_end; ++i) {
      good = refer_to(log_[i]);
    }
    if (good) return true;
    return fail(at, offset, "alias",
                fmt::format("an anchor is referred to more than {} times, counting nested aliases; "
                            "write the values out",
                            limits_.alias_max));
  }

  // Each step raises a count that is bounded, so the log stays short of alias_max per anchor.
  bool refer_to(std::size_t id) {
    log_.push_back(id);
    return ++anchors_[id].references <= static_cast<std::size_t>(limits_.alias_max);
  }

  bool read_scalar(const yaml_event_t& event, const Step* at, Node& out) {
    const auto& scalar = event.data.scalar;
    const std::uint32_t offset =
        offset_of(event, scalar.anchor != nullptr || scalar.tag != nullptr);
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const std::string_view tag = view(scalar.tag);
    auto kind = reading::Scalar::string;
    if (tag.empty()) {
      if (plain) kind = reading::classify(text);
      out.merge = plain && text == "<<";
    } else if (tag != "!") {
      const auto tagged = reading::classify_tagged(text, tag);
      if (!tagged) {
        findings_.add("tag", reading::tag_message(text, tag), at, offsets_.of(event.start_mark));
      }
      kind = tagged.value_or(reading::Scalar::string);
    }
    switch (kind) {
      case reading::Scalar::null:
        out.value = Arena::null(offset);
        return true;
      case reading::Scalar::boolean:
        out.value = Arena::boolean(text.front() == 't' || text.front() == 'T', offset);
        return true;
      case reading::Scalar::string:
        out.value = Arena::string(arena_->copy(text), offset);
        return true;
      case reading::Scalar::integer:
      case reading::Scalar::real:
      case reading::Scalar::not_finite:
        break;
    }
    const auto number = reading::scalar_number(text);
    if (!number) {
      findings_.add("number_range",
                    kind == reading::Scalar::not_finite
                        ? fmt::format("{} is no finite number; leave out what is unknown, or quote "
                                      "it if it is a text",
                                      in_quotes(text))
                        : reading::number_range_message(text),
                    at, offset);
    }
    out.value =
        number ? Arena::number(number->value, offset, number->underflowed) : Arena::null(offset);
    return true;
  }

  bool read_collection(Event& event, const Step* at, int depth, Node& out) {
    const bool list = event->type == YAML_SEQUENCE_START_EVENT;
    const std::string_view tag =
        view(list ? event->data.sequence_start.tag : event->data.mapping_start.tag);
    const bool anchored =
        (list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor) != nullptr;
    const std::uint32_t offset = offset_of(*event, anchored || !tag.empty());
    if (depth >= limits_.depth_max) {
      return fail(at, offset, "depth",
                  reading::depth_message(static_cast<std::size_t>(depth) + 1, limits_.depth_max));
    }
    if (!tag.empty() && tag != "!" && tag != (list ? YAML_SEQ_TAG : YAML_MAP_TAG)) {
      findings_.add("tag", reading::tag_message({}, tag), at, offsets_.of(event->start_mark));
    }
    return list ? read_list(event, at, depth + 1, offset, out)
                : read_mapping(event, at, depth + 1, offset, out);
  }

  bool read_list(Event& event, const Step* up, int depth, std::uint32_t offset, Node& out) {
    const std::size_t base = values_.size();
    Step step{.up = up};
    while (true) {
      if (!next(event, &step)) return false;
      if (event->type == YAML_SEQUENCE_END_EVENT) break;
      Node item;
      if (!read_node(event, &step, depth, item)) return false;
      values_.push_back(item.value);
      hold(item, out);
      ++step.index;
    }
    ++out.height;
    out.value = arena_->array(std::span(values_).subspan(base), offset);
    values_.resize(base);
    return true;
  }

  bool read_mapping(Event& event, const Step* up, int depth, std::uint32_t offset, Node& out) {
    const std::size_t base = members_.size();
    Step step{.up = up, .in_object = true};
    while (true) {
      if (!next(event, up)) return false;
      if (event->type == YAML_MAPPING_END_EVENT) break;
      Member member;
      Node key;
      if (!read_key(event, up, depth, member, key)) return false;
      step.key = member.key;
      Node value;
      if (!next(event, &step) || !read_node(event, &step, depth, value)) return false;
      member.value = value.value;
      hold(value, out);
      if (!key.merge) members_.push_back(member);
    }
    ++out.height;
    const auto members = std::span(members_).subspan(base);
    findings_.check_keys(members, up);
    out.value = arena_->object(members, offset);
    members_.resize(base);
    return true;
  }

  static void hold(const Node& part, Node& whole) {
    whole.height = std::max(whole.height, part.height);
    whole.count += part.count;
  }

  bool read_key(Event& event, const Step* up, int depth, Member& member, Node& key) {
    const std::size_t offset = offsets_.of(event->start_mark);
    const bool scalar = event->type == YAML_SCALAR_EVENT || event->type == YAML_ALIAS_EVENT;
    if (!scalar || !read_node(event, up, depth, key) || key.height != 0) {
      if (scalar && key.height == 0) return false;  // said already
      return fail(up, offset, "syntax", "a key must be a scalar, not a list or a mapping");
    }
    if (key.merge) {  // at the member, so that what else is wrong with the mapping is said too
      const Step merge{.up = up, .key = "<<", .in_object = true};
      findings_.add("merge_key", "merge keys (<<) are not read; write the members out", &merge,
                    offset);
    }
    member.key = key_text(key.value);
    member.key_offset = static_cast<std::uint32_t>(offset);
    return true;
  }

  // Keys are strings: other scalars become the text of their value, so 1 and 0x1 are one key.
  std::string_view key_text(const Value& key) {
    if (key.is_string()) return key.string();
    if (key.is_null()) return "";
    return arena_->copy(canonical(key));
  }

  std::string_view text_;
  const Limits& limits_;
  Findings& findings_;
  ByteOffsets offsets_;
  yaml_parser_t parser_{};
  bool ready_ = false;
  Arena* arena_ = nullptr;
  std::vector<Anchor> anchors_;                            // of the current document
  std::map<std::string, std::size_t, std::less<>> names_;  // the anchor a name means now
  std::vector<std::size_t> log_;                           // every reference, nested ones expanded
  std::vector<Value> values_;                              // of the lists that are open
  std::vector<Member> members_;                            // of the mappings that are open
  std::size_t count_ = 0;
};

// The first character that YAML or libyaml would not take for what it is. The line and paragraph
// separators and U+0085 break lines for libyaml (YAML 1.1) but not in YAML 1.2, so a text that has
// them raw would mean two things.
bool check_characters(std::string_view text, Findings& findings) {
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x20 && c < 0x7F) {
      ++at;
      continue;
    }
    const std::size_t length = reading::utf8_length(text, at);
    if (length == 0) {
      findings.add("utf8", reading::utf8_message(text, at), nullptr, at);
      return false;
    }
    const std::string_view character = text.substr(at, length);
    const bool control = length == 1 && c != '\t' && c != '\n' && c != '\r';
    const bool high_control = length == 2 && c == 0xC2 && character[1] < '\xA0';
    const bool separator = character == "\xE2\x80\xA8" || character == "\xE2\x80\xA9";
    const bool none = character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
    if (control || high_control || separator || none) {
      const unsigned code = length == 1   ? c
                            : length == 2 ? static_cast<unsigned char>(character[1])
                            : separator   ? 0x2028U + (character[2] == '\xA9' ? 1 : 0)
                                          : 0xFFFEU + (character[2] == '\xBF' ? 1 : 0);
      findings.add("syntax",
                   fmt::format("the character U+{0:04X} may not stand in YAML as it is; write "
                               "\\u{0:04x} in a double-quoted string",
                               code),
                   nullptr, at);
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace

std::expected<std::vector<Document>, Issues> parse_yaml(std::string_view text, const Limits& limits,
                                                        Issues* also) {
  std::vector<Document> documents;
  Findings findings(text);
  bool whole = false;
  if (text.size() > limits.bytes_max) {
    findings.add("size", reading::size_message(text.size(), limits.bytes_max), nullptr, 0);
  } else if (check_characters(text, findings)) {
    const std::size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    whole = Reader(text, start, limits, findings).read_stream(documents);
  }
  if (whole && also != nullptr) {
    *also = findings.take();
  } else if (!findings.empty()) {
    return std::unexpected(findings.take());
  }
  if (documents.empty()) documents.push_back({.arena = {}, .root = Arena::null(0)});
  return documents;
}

}  // namespace ki::json
