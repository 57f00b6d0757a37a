// Session texts: what is imported is exported as a text that gives the same recording again.

#include "../../support/scratch_folder.hpp"
#include "../support/read_recording.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/detail/recording_text.hpp>

#include <cctype>
#include <filesystem>
#include <sstream>

namespace isotick::fuzz {
namespace {

using core::Result;
using harness::ImportResult;
using harness::RecordPlan;
using harness::RecordResult;

Result<const isotick_simulation_table*> find_simulation(const std::string& name) {
    return core::find_reference_simulation(name.empty() ? "spring" : name);
}

Result<RecordResult> record(const RecordPlan& plan, const std::string& name) {
    constexpr std::uint64_t kMost = 100;
    const auto* const table = core::find_reference_simulation(name);
    if (table == nullptr || plan.ticks > kMost) {
        return core::fail(core::ErrorCode::limit, "takes too long");
    }
    harness::Progress progress;
    return run_record(plan, *table, progress);
}

Result<ImportResult> import_text(const std::string& text, const std::string& path, bool rehash) {
    std::istringstream stream(text);
    return harness::import_text(stream, path,
                                {.source = "text", .overwrite = true, .rehash = rehash},
                                {find_simulation, record});
}

std::string export_text(const std::string& path) {
    auto reader = replay::Reader::open(path);
    require(reader.has_value(), "what was imported can be read");
    const auto* const table = core::find_reference_simulation(reader->head().session.simulation);
    std::string text;
    const auto exported = harness::export_text(*reader, table, [&text](std::string_view piece) {
        text += piece;
        return Result<void>();
    });
    require(exported && !exported->damage, "what was imported can be exported");
    return text;
}

// A line may stand for a hundred million ticks; more than three digits take too long here.
bool repeats_often(std::string_view text) {
    std::size_t digits = 0;
    for (const char letter : text.substr(std::min(text.find("repeat"), text.size()))) {
        digits = std::isdigit(static_cast<unsigned char>(letter)) != 0 ? digits + 1 : 0;
        if (digits > 3) {
            return true;
        }
    }
    return false;
}

}  // namespace

void run(Input input) {
    static const tests::ScratchFolder folder;
    const std::string path = folder.file("first.isotick");
    const bool rehash = take_byte(input) == 'r';
    const std::string text(text_of(input));
    if (repeats_often(text)) {
        return;
    }
    const auto imported = import_text(text, path, rehash);
    if (!imported) {
        require(!std::filesystem::exists(path), "a failure leaves no file");
        return;
    }
    const std::string exported = export_text(path);
    const std::string second = folder.file("second.isotick");
    const auto again = import_text(exported, second, false);
    require(again && again->session_digest == imported->session_digest &&
                again->last_hash == imported->last_hash && again->ticks == imported->ticks,
            "an exported text is of the same session");
    require(read_file(second) == read_file(path), "an exported text gives the same file");
    require(export_text(second) == exported, "a recording is exported in one way");
    std::filesystem::remove(path);
    std::filesystem::remove(second);
}

}  // namespace isotick::fuzz
