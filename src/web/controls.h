// Fields of the forms that filter a page: each with its label, in a line of `form.filters`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "web/html.h"

namespace ki::web {

struct Choice {
  std::string value;
  std::string text;
};

// A list to choose from; `any` is the text of the choice "".
struct Select {
  std::string_view name;
  std::string_view label;
  std::string_view any;
  std::span<const Choice> choices;
  std::string_view current;
};
Html select(const Select& field);

struct TextField {
  std::string_view name;
  std::string_view label;
  std::string_view value;
};
Html text_field(const TextField& field);  // at most 200 characters

// Sends `value` when it is checked.
struct Checkbox {
  std::string_view name;
  std::string_view label;
  std::string_view value;
  bool checked = false;
};
Html checkbox(const Checkbox& field);

}  // namespace ki::web
