// Recordings as text: how fast they are written and read.

#include "suite.hpp"

#include <isotick/harness/detail/recording_text.hpp>

#include <sstream>
#include <stdexcept>

#include <replay/fake_session.hpp>

namespace isotick::bench {
namespace {

using replay::FakeSession;

std::string two_pads(const Suite& suite, std::uint64_t ticks) {
    FakeSession session;
    session.ticks = ticks;
    session.head.session.players = 2;
    session.input = replay::pad_input;
    const std::string path = suite.file("text.isotick");
    if (const auto recorded = session.record(path, {.overwrite = true}); !recorded) {
        throw std::runtime_error(describe(recorded.error()));
    }
    return path;
}

void export_pads(benchmark::State& state, const Suite& suite) {
    const std::uint64_t ticks = suite.sized(640'000, 640);
    auto reader = replay::Reader::open(two_pads(suite, ticks)).value();
    std::uint64_t bytes = 0;
    for ([[maybe_unused]] auto once : state) {
        const auto exported = harness::export_text(reader, nullptr, [&](std::string_view piece) {
            bytes += piece.size();
            return core::Result<void>();
        });
        if (!exported || exported->ticks != ticks) {
            throw std::runtime_error("not all ticks were exported");
        }
    }
    const double all = static_cast<double>(ticks) * static_cast<double>(state.iterations());
    state.counters["rate"] = benchmark::Counter(all / 1e6, benchmark::Counter::kIsRate);
    state.counters["bytes"] = static_cast<double>(bytes) / all;
}

void import_pads(benchmark::State& state, const Suite& suite) {
    const std::uint64_t ticks = suite.sized(64'000, 640);
    auto reader = replay::Reader::open(two_pads(suite, ticks)).value();
    std::string text;
    const auto exported = harness::export_text(reader, nullptr, [&](std::string_view piece) {
        text += piece;
        return core::Result<void>();
    });
    const harness::ImportHost nobody{
        [](const std::string&) -> core::Result<const isotick_simulation_table*> { return nullptr; },
        {}};
    for ([[maybe_unused]] auto once : state) {
        std::istringstream stream(text);
        const auto imported = harness::import_text(stream, suite.file("imported.isotick"),
                                                   {.source = "text", .overwrite = true}, nobody);
        if (!imported || imported->ticks != ticks) {
            throw std::runtime_error("not all ticks were imported");
        }
    }
    state.counters["ns"] = nanoseconds_each(state, static_cast<double>(ticks));
}

}  // namespace

void add_text_benchmarks(Suite& suite) {
    suite.add(
        "export",
        {{"rate", "exporting two pads of 3 bytes as text, million ticks a second", 2, at_least(1)},
         {"bytes", "the same, bytes of text per tick", 1}},
        [&](benchmark::State& state) { export_pads(state, suite); });
    suite.add("import", {{"ns", "importing them, hashes from the text, ns a tick", 0}},
              [&](benchmark::State& state) { import_pads(state, suite); });
}

}  // namespace isotick::bench
