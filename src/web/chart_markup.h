// For tests of charts: a reader of the markup they give.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace ki::web::svg::testing {

// An element in the order of the text; `inside` are the elements around it, outermost first.
struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly in it
  std::vector<std::size_t> inside;

  std::string attribute(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

// All elements of well-formed markup: every tag closed, every attribute quoted and given once.
inline std::vector<Element> elements_of(std::string_view html) {
  std::vector<Element> out;
  std::vector<std::size_t> open;
  std::size_t at = 0;
  while (at < html.size()) {
    const std::size_t tag = std::min(html.find('<', at), html.size());
    if (!open.empty()) out[open.back()].text += html.substr(at, tag - at);
    if (tag == html.size()) break;
    std::size_t end = tag + 1;
    for (bool quoted = false; end < html.size() && (quoted || html[end] != '>'); ++end) {
      if (html[end] == '"') quoted = !quoted;
    }
    std::string_view inner = html.substr(tag + 1, end - tag - 1);
    at = end + 1;
    if (inner.starts_with('/')) {
      if (open.empty() || out[open.back()].name != inner.substr(1)) {
        ADD_FAILURE() << "closed but not open: " << inner;
        return out;
      }
      open.pop_back();
      continue;
    }
    const bool closed = inner.ends_with('/');
    if (closed) inner.remove_suffix(1);
    Element element;
    element.inside = open;
    element.name = inner.substr(0, inner.find(' '));
    std::size_t from = element.name.size();
    while (from < inner.size()) {
      const std::size_t equals = inner.find("=\"", from);
      if (equals == std::string_view::npos) break;
      const std::size_t stop = inner.find('"', equals + 2);
      std::string key(inner.substr(from, equals - from));
      key.erase(0, key.find_first_not_of(" \n"));
      const bool is_new =
          element.attributes.emplace(key, inner.substr(equals + 2, stop - equals - 2)).second;
      EXPECT_TRUE(is_new) << "given twice: " << key << " in " << inner;
      from = stop + 1;
    }
    out.push_back(std::move(element));
    if (!closed) open.push_back(out.size() - 1);
  }
  EXPECT_TRUE(open.empty()) << "never closed";
  return out;
}

// How many elements have that name and hold that class.
inline std::size_t count_of(const std::vector<Element>& all, std::string_view name,
                            std::string_view css_class) {
  std::size_t count = 0;
  for (const Element& element : all) {
    const std::string classes = " " + element.attribute("class") + " ";
    const bool has = css_class.empty() || classes.contains(" " + std::string(css_class) + " ");
    if (element.name == name && has) ++count;
  }
  return count;
}

// Rows of the table of that position, each its cells, without the head.
inline std::vector<std::vector<std::string>> rows_of(const std::vector<Element>& all,
                                                     std::size_t table = 0) {
  std::vector<std::vector<std::string>> rows;
  std::size_t seen = 0;
  bool in_table = false;
  for (const Element& element : all) {
    if (element.name == "table") in_table = seen++ == table;
    if (!in_table) continue;
    if (element.name == "tr") rows.emplace_back();
    const bool is_cell = element.name == "td" || element.name == "th";
    if (is_cell) rows.back().push_back(element.text);
    if (element.name == "a" && !rows.empty()) rows.back().back() += element.text;
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

}  // namespace ki::web::svg::testing
