#include "float_control.hpp"

#include <array>
#include <cfenv>
#include <string_view>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace isotick::harness {
namespace {

void add(std::string& text, std::string_view what, std::string_view before) {
    text += (text.empty() ? "" : "; ") + std::string(what);
    if (!before.empty()) {
        text += " (before: " + std::string(before) + ")";
    }
}

using Roundings = std::array<std::string_view, 4>;

void add_rounding(std::string& text, std::string_view who, std::string_view now,
                  std::string_view before) {
    if (now != before) {
        add(text, std::string(who) + std::string(now), before);
    }
}

// A flag that makes small numbers zero.
void add_flush(std::string& text, std::string_view what, bool now, bool before) {
    if (now != before) {
        add(text, std::string(now ? "takes" : "no longer takes") + std::string(what), "");
    }
}

}  // namespace

#if defined(__x86_64__)

namespace {

constexpr std::uint32_t kFlags = 0x3f;  // of MXCSR: what has happened
constexpr Roundings kRoundings{"to nearest", "down", "up", "toward zero"};

std::string_view rounding(std::uint32_t word, unsigned bit) {
    return kRoundings.at((word >> bit) & 3U);
}

}  // namespace

FloatControl FloatControl::now() {
    FloatControl control;
    control.main_ = _mm_getcsr() & ~kFlags;
    asm volatile("fnstcw %0" : "=m"(control.x87_));
    return control;
}

void FloatControl::restore() const {
    _mm_setcsr(main_ | (_mm_getcsr() & kFlags));
    asm volatile("fldcw %0" : : "m"(x87_));
}

std::optional<FloatControl> FloatControl::with(FloatChange change) const {
    constexpr std::uint32_t kFlush = 1U << 15 | 1U << 6;
    constexpr unsigned kPrecision = 0x300;
    FloatControl control = *this;
    if (change == FloatChange::flush_denormals) {
        control.main_ |= kFlush;
    } else if (change == FloatChange::x87_single) {
        control.x87_ = static_cast<std::uint16_t>(x87_ & ~kPrecision);
    } else {
        const std::uint32_t direction = change == FloatChange::downward ? 1U
                                        : change == FloatChange::upward ? 2U
                                                                        : 3U;
        control.main_ = (main_ & ~(3U << 13)) | direction << 13;
        control.x87_ = static_cast<std::uint16_t>((x87_ & ~(3U << 10)) | direction << 10);
    }
    return control;
}

std::string FloatControl::since(const FloatControl& before) const {
    std::string text;
    add_rounding(text, "rounds ", rounding(main_, 13), rounding(before.main_, 13));
    add_flush(text, " small results for zero", (main_ >> 15) & 1U, (before.main_ >> 15) & 1U);
    add_flush(text, " small operands for zero", (main_ >> 6) & 1U, (before.main_ >> 6) & 1U);
    if (rounding(x87_, 10) != rounding(main_, 13)) {  // else it is said
        add_rounding(text, "the x87 rounds ", rounding(x87_, 10), rounding(before.x87_, 10));
    }
    if (((x87_ ^ before.x87_) & 0x300U) != 0) {
        add(text, "the x87 computes with another precision", "");
    }
    return text.empty() && !(*this == before) ? "traps other exceptions" : text;
}

#elif defined(__aarch64__)

namespace {

constexpr Roundings kRoundings{"to nearest", "up", "down", "toward zero"};

}  // namespace

FloatControl FloatControl::now() {
    std::uint64_t word = 0;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    FloatControl control;
    control.main_ = static_cast<std::uint32_t>(word);
    return control;
}

void FloatControl::restore() const {
    asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{main_}));
}

std::optional<FloatControl> FloatControl::with(FloatChange change) const {
    FloatControl control = *this;
    if (change == FloatChange::x87_single) {
        return std::nullopt;
    }
    if (change == FloatChange::flush_denormals) {
        control.main_ |= 1U << 24;
        return control;
    }
    const std::uint32_t direction = change == FloatChange::upward     ? 1U
                                    : change == FloatChange::downward ? 2U
                                                                      : 3U;
    control.main_ = (main_ & ~(3U << 22)) | direction << 22;
    return control;
}

std::string FloatControl::since(const FloatControl& before) const {
    std::string text;
    add_rounding(text, "rounds ", kRoundings.at((main_ >> 22) & 3U),
                 kRoundings.at((before.main_ >> 22) & 3U));
    add_flush(text, " small numbers for zero", (main_ >> 24) & 1U, (before.main_ >> 24) & 1U);
    return text.empty() && !(*this == before) ? "traps other exceptions" : text;
}

#else

FloatControl FloatControl::now() {
    FloatControl control;
    control.main_ = static_cast<std::uint32_t>(std::fegetround());
    return control;
}

void FloatControl::restore() const {
    std::fesetround(static_cast<int>(main_));
}

std::optional<FloatControl> FloatControl::with(FloatChange change) const {
    FloatControl control = *this;
    switch (change) {
        case FloatChange::upward:
            control.main_ = FE_UPWARD;
            return control;
        case FloatChange::downward:
            control.main_ = FE_DOWNWARD;
            return control;
        case FloatChange::toward_zero:
            control.main_ = FE_TOWARDZERO;
            return control;
        default:
            return std::nullopt;
    }
}

std::string FloatControl::since(const FloatControl& before) const {
    return *this == before ? "" : "rounds in another direction";
}

#endif

}  // namespace isotick::harness
