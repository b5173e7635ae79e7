// The code names that errors of the resolver carry in Error::where; the API puts them into its
// problem documents, the command line chooses the exit status by them.
#pragma once

#include <string_view>

namespace ki::query {

inline constexpr std::string_view kCatalogGone = "CATALOG_GONE";
inline constexpr std::string_view kOperationNotFound = "OPERATION_NOT_FOUND";
inline constexpr std::string_view kImplementationNotFound = "IMPLEMENTATION_NOT_FOUND";
inline constexpr std::string_view kRunNotFound = "RUN_NOT_FOUND";
inline constexpr std::string_view kSamplesNotFound = "SAMPLES_NOT_FOUND";
inline constexpr std::string_view kModelNotFound = "MODEL_NOT_FOUND";
inline constexpr std::string_view kHardwareNotFound = "HARDWARE_NOT_FOUND";
inline constexpr std::string_view kProjectNotFound = "PROJECT_NOT_FOUND";
inline constexpr std::string_view kRecordNotFound = "RECORD_NOT_FOUND";
inline constexpr std::string_view kServingRunNotFound = "SERVING_RUN_NOT_FOUND";
inline constexpr std::string_view kInvalidCursor = "INVALID_CURSOR";
inline constexpr std::string_view kInvalidParameter = "INVALID_PARAMETER";

}  // namespace ki::query
