#pragma once
/// certificate.json, "schema": "seam.certificate/1": which bytes were proven, by what, on which inputs and within which tolerances, so that
/// anyone can check offline that the files at hand are those. It is not signed: it says what was proven, not by whom.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/optimized.h"

namespace seam::report {

/// File (relative to the certificate) → its bytes: what is written beside the certificate and named in it.
using Files = std::map<std::string, std::string>;

[[nodiscard]] std::string certificate_json(const Optimized& optimized, const Files& files);
/// Hashes the files again, in the certificate's folder. What does not hold, one sentence each; empty = the certificate holds. Error: the file is
/// not a certificate.
[[nodiscard]] Result<std::vector<std::string>> check_certificate(const std::filesystem::path& certificate);

}  // namespace seam::report
