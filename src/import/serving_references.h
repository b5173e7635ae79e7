// Keeps what cannot stand out of a publication: results of serving whose model, stack,
// configuration or load is neither in the bundle nor in the catalog.
#pragma once

#include "catalog/catalog.h"
#include "import/importer.h"

namespace ki::importer {

// Takes such entries out of the bundle, and runs that nothing could be derived from; each becomes
// an issue of the report, so that the rest goes in. Errors: those of the storage.
Status quarantine_serving(catalog::Catalog& catalog, Prepared& prepared);

}  // namespace ki::importer
