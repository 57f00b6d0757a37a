#include "personality.hpp"

#if defined(__linux__)
#include <sys/personality.h>
#endif

namespace isotick::harness {

#if defined(__linux__)

LentPersonality::LentPersonality(unsigned long bits) {
    if (bits == 0) {
        return;
    }
    constexpr unsigned long kAsk = 0xffffffff;
    const int now = personality(kAsk);
    is_lent_ = now >= 0 && personality(static_cast<unsigned long>(now) | bits) >= 0;
    former_ = is_lent_ ? now : -1;
}

LentPersonality::~LentPersonality() {
    if (former_ >= 0) {
        personality(static_cast<unsigned long>(former_));
    }
}

#else

LentPersonality::LentPersonality(unsigned long bits) : is_lent_(bits == 0) {}
LentPersonality::~LentPersonality() = default;

#endif

}  // namespace isotick::harness
