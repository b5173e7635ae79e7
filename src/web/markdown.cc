#include "web/markdown.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace ki::web {
namespace {

constexpr int kNestedMax = 8;  // lists in lists

bool is_blank(std::string_view line) { return trim(line).empty(); }

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// "- " or "12. " at the front: its length, 0 when there is none.
std::size_t marker_length(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ")) return 2;
  std::size_t digits = 0;
  while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) {
    ++digits;
  }
  return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

bool is_ordered(std::string_view item) {
  return !item.empty() && std::isdigit(static_cast<unsigned char>(item.front())) != 0;
}

bool is_comment(std::string_view line) {
  return line.starts_with("<!--") && trim(line).ends_with("-->");
}

bool is_fence(std::string_view line) { return trim(line).starts_with("```"); }

std::size_t heading_level(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 4 && line.substr(level).starts_with(" ") ? level : 0;
}

bool is_table_rule(std::string_view line) {
  return line.starts_with("|") && line.find_first_not_of("|-: ") == std::string_view::npos;
}

// The cells of "| a | b |"; "\|" is a bar in a cell.
std::vector<std::string> cells_of(std::string_view line) {
  line = trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|') && !line.ends_with("\\|")) line.remove_suffix(1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && line.substr(i + 1).starts_with('|')) {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

class Reader {
 public:
  explicit Reader(const LinkTarget& target) : target_(target) {}

  Html blocks(const std::vector<std::string_view>& lines, int depth);
  std::vector<Heading> take_headings() { return std::move(headings_); }

 private:
  using Lines = std::vector<std::string_view>;
  Html inline_text(std::string_view text);
  bool add_code(Html& html, std::string_view& text);
  bool add_link(Html& html, std::string_view& text);
  bool add_strong(Html& html, std::string_view& text);
  Html heading(std::string_view line);
  Html fence(const Lines& lines, std::size_t& at);
  Html table(const Lines& lines, std::size_t& at);
  Html list(const Lines& lines, std::size_t& at, int depth);
  Html paragraph(const Lines& lines, std::size_t& at);
  std::string id_of(std::string_view text);

  const LinkTarget& target_;
  std::vector<Heading> headings_;
};

// `code`, also between several backticks.
bool Reader::add_code(Html& html, std::string_view& text) {
  const std::size_t ticks = std::min(text.find_first_not_of('`'), text.size());
  const std::size_t end = text.find(text.substr(0, ticks), ticks);
  if (ticks == 0 || end == std::string_view::npos) return false;
  html.add("<code>{}</code>", text.substr(ticks, end - ticks));
  text.remove_prefix(end + ticks);
  return true;
}

bool Reader::add_link(Html& html, std::string_view& text) {
  if (!text.starts_with('[')) return false;
  const std::size_t middle = text.find("](");
  if (middle == std::string_view::npos) return false;
  const std::size_t end = text.find(')', middle);
  if (end == std::string_view::npos) return false;
  const Html label = inline_text(text.substr(1, middle - 1));
  const Url url = target_(text.substr(middle + 2, end - middle - 2));
  if (url.empty()) {
    html.add("{}", label);
  } else {
    html.add(R"(<a href="{}">{}</a>)", url, label);
  }
  text.remove_prefix(end + 1);
  return true;
}

bool Reader::add_strong(Html& html, std::string_view& text) {
  const bool strong = text.starts_with("**");
  const std::string_view mark = strong ? "**" : "*";
  if (!text.starts_with(mark)) return false;
  const std::size_t end = text.find(mark, mark.size() + 1);
  if (end == std::string_view::npos || text[mark.size()] == ' ' || text[end - 1] == ' ') {
    return false;
  }
  const Html inside = inline_text(text.substr(mark.size(), end - mark.size()));
  if (strong) {
    html.add("<strong>{}</strong>", inside);
  } else {
    html.add("<em>{}</em>", inside);
  }
  text.remove_prefix(end + mark.size());
  return true;
}

Html Reader::inline_text(std::string_view text) {
  Html html;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("`[*\\"), text.size());
    html.add("{}", text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (add_code(html, text) || add_link(html, text) || add_strong(html, text)) continue;
    if (text.starts_with('\\') && text.size() > 1) text.remove_prefix(1);
    html.add("{}", text.substr(0, 1));
    text.remove_prefix(1);
  }
  return html;
}

std::string Reader::id_of(std::string_view text) {
  std::string id;
  for (const char c : ascii_lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      id += c;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  while (id.ends_with('-')) id.pop_back();
  if (id.empty()) id = "section";
  const auto same = std::ranges::count_if(headings_, [&](const Heading& other) {
    return other.id == id || other.id.starts_with(id + "--");
  });
  return same == 0 ? id : id + "--" + std::to_string(same + 1);
}

Html Reader::heading(std::string_view line) {
  const std::size_t level = heading_level(line);
  const std::string_view text = trim(line.substr(level));
  std::string shown(text);
  std::erase_if(shown, [](char c) { return c == '`' || c == '*'; });
  headings_.push_back({.level = static_cast<int>(level), .text = shown, .id = id_of(shown)});
  const std::string& id = headings_.back().id;
  const Html inside = inline_text(text);
  Html html;
  if (level == 1) html.add(R"(<h1 id="{}">{}</h1>)", id, inside);
  if (level == 2) html.add(R"(<h2 id="{}">{}</h2>)", id, inside);
  if (level == 3) html.add(R"(<h3 id="{}">{}</h3>)", id, inside);
  if (level == 4) html.add(R"(<h4 id="{}">{}</h4>)", id, inside);
  return html;
}

Html Reader::fence(const Lines& lines, std::size_t& at) {
  const std::size_t indent = indent_of(lines[at]);
  std::string code;
  for (++at; at < lines.size() && !is_fence(lines[at]); ++at) {
    code += lines[at].substr(std::min(indent, indent_of(lines[at])));
    code += '\n';
  }
  if (at < lines.size()) ++at;
  Html html;
  return html.add(R"(<pre class="copyable" tabindex="0"><code>{}</code></pre>)", code);
}

Html Reader::table(const Lines& lines, std::size_t& at) {
  Html head;
  for (const std::string& cell : cells_of(lines[at])) {
    if (trim(cell).empty()) {
      head.add("<td></td>");  // a heading without words heads nothing
    } else {
      head.add(R"(<th scope="col">{}</th>)", inline_text(cell));
    }
  }
  Html rows;
  for (at += 2; at < lines.size() && trim(lines[at]).starts_with('|'); ++at) {
    rows.add("<tr>");
    for (const std::string& cell : cells_of(lines[at])) rows.add("<td>{}</td>", inline_text(cell));
    rows.add("</tr>");
  }
  Html html;
  return html.add(R"(<div class="scroll" tabindex="0"><table>)"
                  R"(<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>)",
                  head, rows);
}

// Items with what is indented below them.
Html Reader::list(const Lines& lines, std::size_t& at, int depth) {
  const std::size_t indent = indent_of(lines[at]);
  const bool ordered = is_ordered(lines[at].substr(indent));
  Html items;
  while (at < lines.size() && indent_of(lines[at]) == indent) {
    const std::size_t marker = marker_length(lines[at].substr(indent));
    if (marker == 0 || is_ordered(lines[at].substr(indent)) != ordered) break;
    Lines item = {lines[at].substr(indent + marker)};
    for (++at; at < lines.size(); ++at) {
      const bool inside = indent_of(lines[at]) > indent;
      if (is_blank(lines[at])) {
        const bool goes_on =
            at + 1 < lines.size() && indent_of(lines[at + 1]) > indent && !is_blank(lines[at + 1]);
        if (!goes_on) break;
      } else if (!inside) {
        break;
      }
      item.push_back(lines[at].substr(std::min(indent + marker, indent_of(lines[at]))));
    }
    while (at < lines.size() && is_blank(lines[at])) {
      const bool next_item = at + 1 < lines.size() && indent_of(lines[at + 1]) == indent &&
                             marker_length(lines[at + 1].substr(indent)) > 0 &&
                             is_ordered(lines[at + 1].substr(indent)) == ordered;
      if (!next_item) break;
      ++at;
    }
    items.add("<li>{}</li>", blocks(item, depth + 1));
  }
  Html html;
  return ordered ? html.add("<ol>{}</ol>", items) : html.add("<ul>{}</ul>", items);
}

Html Reader::paragraph(const Lines& lines, std::size_t& at) {
  std::string text;
  const std::size_t first = at;
  for (; at < lines.size() && !is_blank(lines[at]); ++at) {
    const std::string_view line = lines[at].substr(indent_of(lines[at]));
    const bool other = is_fence(line) || heading_level(line) > 0 || marker_length(line) > 0;
    if (at > first && other) break;
    if (!text.empty()) text += '\n';
    text += line;
  }
  return inline_text(text);
}

// An item of one paragraph is that text alone, without the element of a paragraph.
Html Reader::blocks(const Lines& lines, int depth) {
  Html html;
  const bool is_item = depth > 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::string_view line = lines[at].substr(indent_of(lines[at]));
    if (line.empty() || is_comment(line)) {
      ++at;
    } else if (is_fence(line)) {
      html.add("{}", fence(lines, at));
    } else if (heading_level(line) > 0) {
      html.add("{}", heading(line));
      ++at;
    } else if (line.starts_with('|') && at + 1 < lines.size() &&
               is_table_rule(trim(lines[at + 1]))) {
      html.add("{}", table(lines, at));
    } else if (marker_length(line) > 0 && depth < kNestedMax) {
      html.add("{}", list(lines, at, depth));
    } else if (is_item && at == 0) {
      html.add("{}", paragraph(lines, at));
    } else {
      html.add("<p>{}</p>", paragraph(lines, at));
    }
  }
  return html;
}

}  // namespace

Document read_markdown(std::string_view text, const LinkTarget& target) {
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(line);
  Reader reader(target);
  Document document;
  document.body = reader.blocks(lines, 0);
  document.headings = reader.take_headings();
  return document;
}

}  // namespace ki::web
