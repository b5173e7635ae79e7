// What a file most likely is and which command reads it, for one that was given to another. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ki::importer {

enum class Content : std::uint8_t {
  unknown,         // nothing of it can be read
  other,           // none of those below
  catalog_export,  // {"table": ..., "row": ...}, compressed or not
  liger_table,     // the benchmark CSV
  manifests,       // YAML or JSON, or a bundle or run document
  evidence,        // of ki bench
  compressed,      // with zstd, of something else
};

// By its first lines. A guess for messages: what is read decides by itself.
Content content_of(std::string_view bytes);

// "looks like a catalog export, which ki import export reads"; "" for unknown and other.
std::string_view looks_like(Content content);

}  // namespace ki::importer
