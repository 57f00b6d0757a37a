#pragma once
// What a simulation finds of the process that it is called in, and that its host chose.

#include "../../axes/call_setup.hpp"
#include "../../platform/posix.hpp"
#include "other_folder.hpp"
#include "other_locale.hpp"

#include <isotick/core/result.hpp>

#include <memory>
#include <vector>

namespace isotick::harness {

/// As long as it lives, this process is another host, as far as a CallSetup asks for it.
struct VariedHost {
    std::vector<FileDescriptor> descriptors;
    std::unique_ptr<OtherLocale> locale;  ///< null: as it was
    std::unique_ptr<OtherFolder> folder;  ///< null: as it was
};

/// Fails where this process cannot be that.
[[nodiscard]] core::Result<VariedHost> vary_host(const CallSetup& setup);

}  // namespace isotick::harness
