#include "web/controls.h"

namespace ki::web {
namespace {

Html option(std::string_view value, std::string_view text, bool is_chosen) {
  Html html;
  if (is_chosen) return html.add(R"(<option value="{}" selected>{}</option>)", value, text);
  return html.add(R"(<option value="{}">{}</option>)", value, text);
}

}  // namespace

Html select(const Select& field) {
  Html options = option("", field.any, field.current.empty());
  for (const Choice& one : field.choices) {
    options.add("{}", option(one.value, one.text, one.value == field.current));
  }
  Html html;
  return html.add(R"(<div><label for="{}">{}</label><select id="{}" name="{}">{}</select></div>)",
                  field.name, field.label, field.name, field.name, options);
}

Html text_field(const TextField& field) {
  Html html;
  return html.add(R"(<div><label for="{}">{}</label><input id="{}" name="{}" maxlength="200" )"
                  R"(value="{}" autocomplete="off"></div>)",
                  field.name, field.label, field.name, field.name, field.value);
}

Html checkbox(const Checkbox& field) {
  Html box;
  if (field.checked) {
    box.add(R"(<input type="checkbox" id="{}" name="{}" value="{}" checked>)", field.name,
            field.name, field.value);
  } else {
    box.add(R"(<input type="checkbox" id="{}" name="{}" value="{}">)", field.name, field.name,
            field.value);
  }
  Html html;
  return html.add(R"(<div class="check">{}<label for="{}">{}</label></div>)", box, field.name,
                  field.label);
}

}  // namespace ki::web
