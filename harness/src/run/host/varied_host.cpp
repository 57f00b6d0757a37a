#include "varied_host.hpp"

#include <isotick/core/detail/try.hpp>

#include <fcntl.h>

namespace isotick::harness {
namespace {

// Not closed on exec: what the simulation starts finds them, too.
core::Result<std::vector<FileDescriptor>> open_descriptors(std::uint32_t count) {
    std::vector<FileDescriptor> opened;
    while (opened.size() < count) {
        // NOLINTNEXTLINE(android-cloexec-open)
        opened.emplace_back(open("/dev/null", O_RDONLY));
        if (opened.back().get() < 0) {
            return system_failure("cannot open so many files");
        }
    }
    return opened;
}

}  // namespace

core::Result<VariedHost> vary_host(const CallSetup& setup) {
    VariedHost host;
    if (!setup.working_directory.empty()) {
        ISOTICK_TRY_ASSIGN(host.folder, OtherFolder::make(setup.working_directory));
    }
    if (!setup.locale.empty()) {
        ISOTICK_TRY_ASSIGN(host.locale, OtherLocale::make(setup.locale));
    }
    ISOTICK_TRY_ASSIGN(host.descriptors, open_descriptors(setup.descriptors));
    return host;
}

}  // namespace isotick::harness
