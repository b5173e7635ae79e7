// Files compiled into the program by cmake/embed.cmake (registry, style sheet, schema, ...).
#pragma once

#include <span>
#include <string_view>

namespace ki::embedded {

struct File {
  std::string_view name;  // file name without folders
  std::string_view bytes;
};

}  // namespace ki::embedded
