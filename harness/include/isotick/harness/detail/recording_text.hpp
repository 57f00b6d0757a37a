#pragma once
// Recordings as text, to be read, written, edited and reviewed by people and scripts: one JSON
// object a line (harness/TEXT.md).

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace isotick::harness {

/// Takes the next piece of a text; an error ends what writes it.
using TextSink = std::function<core::Result<void>(std::string_view)>;

/// What was exported.
struct ExportResult {
    std::uint64_t ticks = 0;
    bool finished = false;
    std::uint64_t inputs_described = 0;  ///< each present input of each tick counts
    std::uint64_t inputs_in_hex = 0;
    std::optional<replay::Damage> damage;  ///< what ended the intact ticks early
};

/// Writes all intact ticks of a recording, in pieces of some 64 KiB. Inputs are described by
/// `simulation`, which may be null and must have passed core::check_table; where a description
/// would not lead back to the same bytes, and without one, they are written in hexadecimal, so that
/// nothing is lost. Memory does not grow with the recording's length. Fails where the reader or the
/// sink does; that it is damaged is no error. Never throws unless the sink does.
[[nodiscard]] core::Result<ExportResult> export_text(replay::Reader& reader,
                                                     const isotick_simulation_table* simulation,
                                                     const TextSink& sink);

/// How import_text gets at simulations.
struct ImportHost {
    /// The simulation that a text is about, for descriptions of inputs and for what the head leaves
    /// out; null where there is none. `name` is empty where the head names none.
    std::function<core::Result<const isotick_simulation_table*>(const std::string& name)> find;
    /// Runs that simulation: run_record, or record_in_worker.
    std::function<core::Result<RecordResult>(const RecordPlan& plan, const std::string& name)>
        record;
};

struct ImportOptions {
    std::string source;      ///< what the text is called in messages
    bool overwrite = false;  ///< replace a recording that exists
    bool rehash = false;     ///< compute all hashes, whatever the text says
    core::Settings environment{};
};

/// What was imported.
struct ImportResult {
    replay::SessionInfo session;
    std::uint64_t ticks = 0;
    bool finished = false;
    bool computed = false;  ///< the hashes were computed here, not taken from the text
    core::StateHash last_hash;
    core::Digest session_digest;
};

/// Reads a text and writes the recording that it describes to `path`, tick by tick in bounded
/// memory. A text made by export_text gives the file that was exported, byte for byte (with the
/// same zstd). Where the head has no hashes, or with `rehash`, the session is run to compute them.
///
/// The text may be hostile. Fails with `damaged` or `limit`, line and column where it makes no
/// sense, `usage` where the path exists or a simulation is needed and missing, else as Writer and
/// the run do. What was begun at `path` is then removed, and what was there before is untouched.
/// Throws only what the host's functions throw.
[[nodiscard]] core::Result<ImportResult> import_text(std::istream& text, const std::string& path,
                                                     const ImportOptions& options,
                                                     const ImportHost& host);

}  // namespace isotick::harness
