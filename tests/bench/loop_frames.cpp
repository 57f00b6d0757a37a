// Advances a loop by frames of 1 to 40 ms at 60 Hz, for a tool that counts what a frame takes.
//
// Usage: isotick_loop_frames LOOP FRAMES, where LOOP is AccumulatorLoop or a text of parse_loop

#include <isotick/core/loops.hpp>
#include <isotick/core/random.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

using namespace isotick::core;

template <class SomeLoop>
void run(Result<SomeLoop> loop, std::uint64_t frames) {
    Pcg32 random(1);
    for (std::uint64_t frame = 0; frame < frames; ++frame) {
        (void)loop->advance(FrameTime{random.between(1'000'000, 40'000'000)});
    }
}

}  // namespace

int main(int count, char** arguments) {
    std::uint64_t frames = 0;
    const std::string_view name = count == 3 ? arguments[1] : "";
    const std::string_view number = count == 3 ? arguments[2] : "";
    std::from_chars(number.data(), number.data() + number.size(), frames);
    const auto options = parse_loop(name == "AccumulatorLoop" ? "accumulator" : name);
    if (frames == 0 || !options || !Loop::make(TickRate(), *options)) {
        std::fputs("usage: isotick_loop_frames AccumulatorLoop|LOOP FRAMES\n", stderr);
        return 2;
    }
    if (name == "AccumulatorLoop") {
        run(AccumulatorLoop::make(TickRate(), *options), frames);
    } else {
        run(Loop::make(TickRate(), *options), frames);
    }
    return 0;
}
