#include "channel.hpp"

#include <new>

namespace isotick::harness {

SharedProgress::SharedProgress(int file, bool initialise) {
    void* address = map_shared(file, sizeof(Progress));
    if (address != nullptr) {
        progress_ = initialise ? new (address) Progress() : static_cast<Progress*>(address);
    }
}

SharedProgress::~SharedProgress() {
    if (progress_ != nullptr) {
        unmap(progress_, sizeof(Progress));
    }
}

SharedProgress::SharedProgress(SharedProgress&& other) noexcept
    : progress_(std::exchange(other.progress_, nullptr)) {}

SharedProgress& SharedProgress::operator=(SharedProgress&& other) noexcept {
    std::swap(progress_, other.progress_);
    return *this;
}

}  // namespace isotick::harness
