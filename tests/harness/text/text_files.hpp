#pragma once
// Recordings to text and back in this process, for tests.

#include "piles/piles.hpp"

#include <isotick/harness/detail/recording_text.hpp>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace isotick::harness {

inline std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The text of a recording; inputs as the built-in it names describes them, unless `raw`.
inline std::string text_of(const std::string& path, ExportResult* result = nullptr,
                           bool raw = false) {
    auto reader = replay::Reader::open(path).value();
    std::string text;
    const auto* simulation =
        raw ? nullptr : core::find_simulation(reader.head().session.simulation);
    const auto exported = export_text(reader, simulation, [&](std::string_view piece) {
        text += piece;
        return core::Result<void>();
    });
    if (result != nullptr) {
        *result = exported.value();
    }
    return text;
}

/// Knows the built-ins, and runs them in this process.
inline ImportHost built_ins() {
    return {[](const std::string& name) -> core::Result<const isotick_simulation_table*> {
                return core::find_simulation(name);
            },
            [](const RecordPlan& plan, const std::string& name) -> core::Result<RecordResult> {
                Progress progress;
                return run_record(plan, *core::find_simulation(name), progress);
            }};
}

inline core::Result<ImportResult> import_from(const std::string& text, const std::string& path,
                                              bool overwrite = false, bool rehash = false) {
    std::istringstream stream(text);
    return import_text(stream, path, {.source = "text", .overwrite = overwrite, .rehash = rehash},
                       built_ins());
}

}  // namespace isotick::harness
