// Recordings from text, by running the simulation where hashes are missing.

#include "text_lines.hpp"
#include "text_records.hpp"

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/recording_text.hpp>
#include <isotick/replay/detail/new_file.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>
#include <isotick/replay/writer.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace isotick::harness {

// Where an import writes to, and what becomes of it when it fails.

/// Either the recording itself or, where its hashes have yet to be computed, one of the inputs
/// alone that never gets a name. Destroyed without finish, it leaves nothing.
class TextTarget {
  public:
    /// Begins the recording at `path`.
    [[nodiscard]] core::Result<void> open(const std::string& path,
                                          const replay::RecordingHead& head,
                                          const replay::TickHashes& initial, bool overwrite);

    /// Begins a recording of the session's inputs, in the folder of `path`.
    [[nodiscard]] core::Result<void> open_inputs(const std::string& path,
                                                 const replay::SessionInfo& session);

    [[nodiscard]] core::Result<void> append(std::span<const isotick_input> inputs,
                                            const replay::TickHashes& hashes,
                                            std::optional<core::TickDt> dt);

    /// Ends the recording, which then is at its path, and says what its session's digest is.
    [[nodiscard]] core::Result<void> finish(bool finished, const replay::TickHashes& final_hashes,
                                            core::Digest& digest);

    /// Ends the recording of the inputs and says where it is while this object lives.
    [[nodiscard]] core::Result<std::string> close_inputs();

  private:
    std::optional<replay::NewFile> inputs_;
    std::optional<replay::Writer> writer_;
};

using core::Result;

Result<void> TextTarget::open(const std::string& path, const replay::RecordingHead& head,
                              const replay::TickHashes& initial, bool overwrite) {
    return replay::Writer::create(path, head, initial, {overwrite, replay::Appearance::complete})
        .map([this](replay::Writer&& writer) { writer_ = std::move(writer); });
}

Result<void> TextTarget::open_inputs(const std::string& path, const replay::SessionInfo& session) {
    replay::RecordingHead head;
    head.session = session;
    head.hash_every = UINT32_MAX;
    ISOTICK_TRY_ASSIGN(inputs_, replay::NewFile::create(path + ".inputs", true));
    ISOTICK_TRY_ASSIGN(writer_,
                       replay::Writer::create(inputs_->place(), head, {},
                                              {.appearance = replay::Appearance::filled_in}));
    return {};
}

Result<void> TextTarget::append(std::span<const isotick_input> inputs,
                                const replay::TickHashes& hashes, std::optional<core::TickDt> dt) {
    return writer_->append(inputs, &hashes, dt);
}

Result<void> TextTarget::finish(bool finished, const replay::TickHashes& final_hashes,
                                core::Digest& digest) {
    auto ended = finished ? writer_->finish(final_hashes) : writer_->leave_unfinished();
    digest = writer_->session_digest();
    return ended;
}

Result<std::string> TextTarget::close_inputs() {
    return writer_->finish({}).map([this] { return inputs_->place(); });
}

// Text to recordings, line by line. Where hashes have to be computed, the inputs go into a
// recording without hashes first, which the run then reads.

namespace {

using core::Error;
using core::ErrorCode;
using core::JsonValue;
using core::Result;

class TextImport {
  public:
    TextImport(std::istream& text, const std::string& path, const ImportOptions& options,
               const ImportHost& host)
        : lines_(text, kLongestLine), path_(path), options_(options), host_(host) {}

    Result<ImportResult> run() {
        try {
            ISOTICK_TRY(import_lines());
            return result_;
        } catch (const BadText& bad) {
            return tl::unexpected(
                in_source({bad.code, place(bad.offset) + bad.message, {}, {}, {}}));
        }
    }

  private:
    Result<void> import_lines() {
        ISOTICK_TRY(read_head());
        for (;;) {
            ISOTICK_TRY_ASSIGN(const auto there, next_line());
            if (!there) {
                check_whole_chunks(false);
                return complete(false);
            }
            const JsonValue line = parsed();
            if (is_end(line)) {
                return read_end(line);
            }
            ISOTICK_TRY(take_tick(line));
        }
    }

    [[nodiscard]] std::string place(std::size_t offset) const {
        return "line " + std::to_string(lines_.number()) + ", column " +
               std::to_string(offset + 1) + ": ";
    }

    [[nodiscard]] Error in_source(Error error) const {
        if (error.file.empty()) {
            error.file = options_.source;
        }
        return error;
    }

    Result<bool> next_line() {
        return lines_.next().map_error([this](Error error) { return in_source(std::move(error)); });
    }

    [[nodiscard]] JsonValue parsed() const {
        auto value =
            core::parse_json(lines_.line(), {.depth = kDeepestValue, .values = kMostValues});
        if (!value) {
            const Error& error = value.error();
            throw BadText{static_cast<std::size_t>(error.offset.value_or(0)), error.message,
                          error.code};
        }
        return *std::move(value);
    }

    Result<void> read_head() {
        ISOTICK_TRY_ASSIGN(const auto there, next_line());
        if (!there) {
            return tl::unexpected(in_source({ErrorCode::damaged, "the text is empty", {}, {}, {}}));
        }
        text_head_ = head_from(parsed());
        ISOTICK_TRY_ASSIGN(const auto found, host_.find(text_head_.simulation));
        ISOTICK_TRY(take_simulation(found));
        head_ = recording_head(text_head_, simulation_);
        stride_ = head_.stride();
        ticks_.emplace(head_.session.players, simulation_);
        result_.session = head_.session;
        return open_target();
    }

    Result<void> take_simulation(const isotick_simulation_table* simulation) {
        simulation_ = simulation;
        std::string& name = text_head_.simulation;
        if (name.empty()) {
            if (simulation == nullptr) {
                throw BadText{0, "\"simulation\" is missing"};
            }
            name = simulation->info->name;
        }
        if (simulation != nullptr && name != simulation->info->name) {
            return core::fail(ErrorCode::usage, options_.source + " is a session of " + name +
                                                    ", not of " + simulation->info->name);
        }
        result_.computed = options_.rehash || !text_head_.initial;
        if (result_.computed && simulation == nullptr) {
            return core::fail(ErrorCode::usage, "the hashes have to be computed, but there is no " +
                                                    name + " here; --sim names a plug-in");
        }
        return {};
    }

    Result<void> open_target() {
        const TextHashes none;
        const TextHashes& initial = result_.computed ? none : *text_head_.initial;
        auto opened = result_.computed ? target_.open_inputs(path_, head_.session)
                                       : target_.open(path_, head_, {initial.state, initial.parts},
                                                      options_.overwrite);
        last_ = initial;
        return opened;
    }

    Result<void> take_tick(const JsonValue& line) {
        const TextTick tick = ticks_->read(lines_.line(), line, result_.ticks);
        if (result_.ticks + tick.repeat > kMostTextTicks) {
            throw BadText{0, "more ticks than a recording can have", ErrorCode::limit};
        }
        for (std::uint64_t i = 0; i < tick.repeat; ++i) {
            const core::Tick at{result_.ticks};
            check_hashes(tick, at);
            if (tick.hash) {
                last_ = {*tick.hash, tick.parts.value_or(std::vector<core::PartHash>())};
            }
            if (auto appended =
                    target_.append(ticks_->inputs(), {last_.state, last_.parts}, tick.dt);
                !appended) {
                Error error = appended.error();
                error.message = place(0) + error.message;
                return tl::unexpected(error);
            }
            ++result_.ticks;
        }
        return {};
    }

    void check_hashes(const TextTick& tick, core::Tick at) const {
        if (options_.rehash) {
            return;
        }
        if (result_.computed) {
            if (tick.hash || tick.parts) {
                throw BadText{tick.hash ? tick.hash_offset : tick.parts_offset,
                              "a hash, though the head has no \"initial\" one: give all that are "
                              "due or none, or let --rehash compute them"};
            }
            return;
        }
        check_due("hash", stride_.hash_due(at), tick.hash.has_value(), tick.hash_offset, at);
        check_due("parts", stride_.parts_due(at), tick.parts.has_value(), tick.parts_offset, at);
        if (tick.repeat > 1 && stride_.hash_due(at)) {
            throw BadText{tick.repeat_offset, "each of these ticks needs its own hash"};
        }
        if (tick.parts && tick.parts->size() != stride_.part_count) {
            throw BadText{tick.parts_offset, "\"parts\" needs " +
                                                 std::to_string(stride_.part_count) +
                                                 " hashes, one per name in the head"};
        }
    }

    static void check_due(const std::string& name, bool due, bool given, std::size_t offset,
                          core::Tick at) {
        if (due && !given) {
            throw BadText{0, "\"" + name + "\" is due after tick " + std::to_string(at.value) +
                                 ", but missing; --rehash computes all hashes"};
        }
        if (given && !due) {
            throw BadText{offset, "no \"" + name + "\" is due after tick " +
                                      std::to_string(at.value) + " (see \"" +
                                      (name == "parts" ? "parts" : name) + "_every\" in the head)"};
        }
    }

    Result<void> read_end(const JsonValue& line) {
        const TextEnd end = end_from(line);
        if (end.ticks && *end.ticks != result_.ticks) {
            throw BadText{0, "\"ticks\" is " + std::to_string(*end.ticks) + ", but there are " +
                                 std::to_string(result_.ticks)};
        }
        if (end.final && result_.computed && !options_.rehash) {
            throw BadText{0,
                          "\"final\" hashes, though the head has no \"initial\" ones; --rehash "
                          "computes all"};
        }
        check_whole_chunks(end.finished);
        if (end.finished && !result_.computed) {
            check_final(end);
        }
        ISOTICK_TRY_ASSIGN(const auto there, next_line());
        if (there) {
            throw BadText{0, "nothing may follow the last line"};
        }
        return complete(end.finished);
    }

    // Without an end a recording is what a killed writer leaves: full chunks.
    void check_whole_chunks(bool finished) const {
        const std::uint32_t full = replay::chunk_ticks(head_.session.rate);
        if (!finished && result_.ticks % full != 0) {
            throw BadText{0, "a recording that is not finished has whole chunks of " +
                                 std::to_string(full) + " ticks, but here are " +
                                 std::to_string(result_.ticks) +
                                 "; a last line {\"finished\":true} finishes it"};
        }
    }

    // last_ becomes the hashes after the last tick.
    void check_final(const TextEnd& end) {
        const bool none = result_.ticks == 0;
        const core::Tick last{none ? 0 : result_.ticks - 1};
        const bool state_known = none || stride_.hash_due(last);
        const bool parts_known = none || stride_.parts_due(last) || !stride_.has_parts();
        if (!end.final) {
            if (!state_known || !parts_known) {
                throw BadText{0, "\"final\" hashes are missing: none are due after the last tick"};
            }
            return;
        }
        const std::size_t parts = stride_.has_parts() ? stride_.part_count : 0;
        if (end.final->parts.size() != parts) {
            throw BadText{0, "\"final\" needs " + std::to_string(parts) + " part hashes"};
        }
        if ((state_known && end.final->state != last_.state) ||
            (parts_known && stride_.has_parts() &&
             !std::ranges::equal(end.final->parts, last_.parts))) {
            throw BadText{0, "\"final\" says something else than the line of the last tick"};
        }
        last_ = *end.final;
    }

    Result<void> complete(bool finished) {
        result_.finished = finished;
        if (result_.computed) {
            return compute(finished);
        }
        result_.last_hash = last_.state;
        return target_.finish(finished, {last_.state, last_.parts}, result_.session_digest);
    }

    Result<void> compute(bool finished) {
        ISOTICK_TRY_ASSIGN(auto inputs, target_.close_inputs());
        ISOTICK_TRY_ASSIGN(RecordPlan plan, record_plan(inputs, finished));
        ISOTICK_TRY_ASSIGN(auto recorded, host_.record(plan, text_head_.simulation));
        if (recorded.error) {
            return tl::unexpected(*recorded.error);
        }
        result_.last_hash = recorded.last_hash;
        result_.session_digest = recorded.session_digest;
        return {};
    }

    // The hashes will be this build's, under the nominal schedule.
    [[nodiscard]] Result<RecordPlan> record_plan(const std::string& inputs, bool finished) const {
        RecordPlan plan;
        plan.path = path_;
        plan.overwrite = options_.overwrite;
        plan.appearance = replay::Appearance::complete;
        plan.setup = {head_.session.rate, head_.session.players, head_.session.seed,
                      head_.session.config, options_.environment};
        plan.ticks = result_.ticks;
        plan.inputs = InputSource::recording;
        plan.recorded_inputs = inputs;
        plan.finish = finished;
        plan.hash_every = head_.hash_every;
        plan.parts_every = head_.parts_every;
        for (const auto& [key, value] : head_.notes.entries()) {
            if (key != kScheduleNote && key != kLoopNote && key != kBuildNote) {
                ISOTICK_TRY(plan.notes.set(key, value));
            }
        }
        if (simulation_->info->build_id != nullptr && *simulation_->info->build_id != '\0') {
            ISOTICK_TRY(plan.notes.set(kBuildNote, simulation_->info->build_id));
        }
        return plan;
    }

    LineReader lines_;
    const std::string& path_;
    const ImportOptions& options_;
    const ImportHost& host_;
    TextHead text_head_;
    const isotick_simulation_table* simulation_ = nullptr;
    replay::RecordingHead head_;
    replay::HashStride stride_;
    std::optional<TextTickReader> ticks_;
    TextHashes last_;  // the hashes given last
    TextTarget target_;
    ImportResult result_;
};

}  // namespace

Result<ImportResult> import_text(std::istream& text, const std::string& path,
                                 const ImportOptions& options, const ImportHost& host) {
    return TextImport(text, path, options, host).run();
}

}  // namespace isotick::harness
