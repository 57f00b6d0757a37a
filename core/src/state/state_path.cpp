#include <isotick/core/detail/hashing/state_path.hpp>

#include <algorithm>

namespace isotick::core::detail {

std::string StatePath::text() const {
    std::string text;
    const std::size_t kept = std::min(count_, steps_.size());
    for (std::size_t i = 0; i < kept; ++i) {
        const Step& step = steps_[i];
        if (step.name == nullptr) {
            text += '[' + std::to_string(step.index) + ']';
        } else {
            text += (text.empty() ? "" : ".") + std::string(step.name);
        }
    }
    return count_ > kept ? text + "…" : text;
}

}  // namespace isotick::core::detail
