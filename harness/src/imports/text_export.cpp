// Recordings to text. The lines of ticks are put together by hand: a JSON library would take most
// of the time.

#include "../system/hex.hpp"
#include "text_lines.hpp"

#include <isotick/core/detail/described_input.hpp>
#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/recording_text.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::size_t kExportPiece = 64 * 1024;

class TextExport {
  public:
    TextExport(replay::Reader& reader, const isotick_simulation_table* simulation,
               const TextSink& sink)
        : reader_(reader),
          stride_(reader.head().stride()),
          simulation_(simulation != nullptr && core::describes_inputs(*simulation) ? simulation
                                                                                   : nullptr),
          sink_(sink),
          described_(reader.head().session.players + std::size_t{1}) {
        make_keys();
    }

    Result<ExportResult> run() {
        reader_.rewind();
        put_head();
        const replay::TickHashes initial = reader_.initial();
        final_.assign(initial.parts.begin(), initial.parts.end());
        final_state_ = initial.state;
        ISOTICK_TRY(put_ticks());
        result_.finished = reader_.saw_last();
        result_.damage = reader_.damage();
        put_end();
        return flush().map([this] { return result_; });
    }

  private:
    // What an input was last shown as. Inputs often stay the same for long.
    struct Described {
        bool known = false;
        std::vector<std::uint8_t> bytes;
        std::optional<std::string> text;
    };

    // `"0":`, and behind the last player's `"world":`.
    void make_keys() {
        const std::uint32_t players = reader_.head().session.players;
        for (std::uint32_t player = 0; player < players; ++player) {
            keys_.push_back("\"" + std::to_string(player) + "\":");
        }
        keys_.push_back("\"" + std::string(kWorldKey) + "\":");
    }

    Result<void> flush() {
        auto taken = buffer_.empty() ? Result<void>() : sink_(buffer_);
        buffer_.clear();
        return taken;
    }

    void put(std::string_view text) { buffer_.append(text); }

    void put(std::uint64_t number) {
        std::array<char, 20> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        buffer_.append(digits.data(), end);
    }

    // A string; in hexadecimal where it is not UTF-8.
    void put_text(std::string_view text) {
        if (core::is_utf8(text)) {
            core::append_json_string(buffer_, text);
            return;
        }
        put("{\"hex\":\"");
        append_hex(buffer_, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
        put("\"}");
    }

    void put_settings(const core::Settings& settings) {
        const auto& entries = settings.entries();
        const bool plain = std::ranges::all_of(
            entries, [](const auto& entry) { return core::is_utf8(entry.first); });
        put(plain ? "{" : "[");
        for (const auto& [key, value] : entries) {
            put(&key == &entries.front().first ? "" : ",");
            put(plain ? "" : "[");
            put_text(key);
            put(plain ? ":" : ",");
            put_text(value);
            put(plain ? "" : "]");
        }
        put(plain ? "}" : "]");
    }

    void put_parts(std::span<const core::PartHash> parts) {
        put("\"parts\":[");
        for (std::size_t i = 0; i < parts.size(); ++i) {
            put(i == 0 ? "\"" : "\",\"");
            append_hex(buffer_, parts[i].value);
        }
        put("\"]");
    }

    // `{"hash":"…","parts":["…"]}`
    void put_state(core::StateHash state, std::span<const core::PartHash> parts) {
        put("{\"hash\":\"");
        append_hex(buffer_, state.value);
        put("\"");
        if (!parts.empty()) {
            put(",");
            put_parts(parts);
        }
        put("}");
    }

    void put_head() {
        const replay::RecordingHead& head = reader_.head();
        put("{\"format\":\"" + std::string(kTextFormat) + "\",\"version\":");
        put(kTextVersion);
        put(",\"simulation\":");
        put_text(head.session.simulation);
        put(",\"rate\":\"" + to_string(head.session.rate) + "\",\"players\":");
        put(std::uint64_t{head.session.players});
        put(",\"seed\":\"");
        put(head.session.seed);
        put("\",\"config\":");
        put_settings(head.session.config);
        put(",\"hash_algorithm\":");
        put_text(head.hash_algorithm);
        put(",\"nan_policy\":");
        put_text(head.nan_policy);
        put(",\"hash_every\":");
        put(std::uint64_t{head.hash_every});
        put(",\"parts_every\":");
        put(std::uint64_t{head.parts_every});
        put(",\"part_names\":[");
        for (const std::string& name : head.part_names) {
            put(&name == &head.part_names.front() ? "" : ",");
            put_text(name);
        }
        put("],\"notes\":");
        put_settings(head.notes);
        put(",\"initial\":");
        put_state(reader_.initial().state, reader_.initial().parts);
        put("}\n");
    }

    Result<void> put_ticks() {
        for (;;) {
            ISOTICK_TRY_ASSIGN(const auto chunk, reader_.next());
            if (chunk == nullptr) {
                return {};
            }
            for (std::uint32_t i = 0; i < chunk->ticks(); ++i) {
                put_tick(*chunk, i);
                if (buffer_.size() >= kExportPiece) {
                    ISOTICK_TRY(flush());
                }
            }
            if (chunk->is_last()) {
                remember_last(*chunk);
            }
        }
    }

    void remember_last(const replay::TickChunk& chunk) {
        const std::uint32_t last = chunk.ticks() - 1;
        final_state_ = chunk.state_hash(last).value_or(final_state_);
        const auto parts = chunk.part_hashes(last);
        final_.assign(parts.begin(), parts.end());
    }

    void put_tick(const replay::TickChunk& chunk, std::uint32_t i) {
        const core::Tick tick{chunk.first_tick().value + i};
        put("{\"t\":");
        put(tick.value);
        put_inputs(chunk.inputs(i));
        if (const auto dt = chunk.dt(i)) {
            put(",\"dt\":\"" + to_string(*dt) + "\"");
        }
        if (stride_.hash_due(tick)) {
            put(",\"hash\":\"");
            append_hex(buffer_, chunk.state_hash(i).value_or(core::StateHash{}).value);
            put("\"");
        }
        if (stride_.parts_due(tick)) {
            put(",");
            put_parts(chunk.part_hashes(i));
        }
        put("}\n");
        ++result_.ticks;
    }

    void put_inputs(std::span<const isotick_input> inputs) {
        if (simulation_ != nullptr) {
            describe_all(inputs);
        }
        bool first = true;
        for (std::size_t column = 0; column < inputs.size(); ++column) {
            if (inputs[column].present != 0 && !is_described(column)) {
                put(first ? ",\"hex\":{" : ",");
                put(keys_[column]);
                put("\"");
                append_hex(buffer_, std::span(inputs[column].data,
                                              static_cast<std::size_t>(inputs[column].size)));
                put("\"");
                first = false;
                ++result_.inputs_in_hex;
            }
        }
        put(first ? "" : "}");
    }

    [[nodiscard]] bool is_described(std::size_t column) const {
        return simulation_ != nullptr && described_[column].text.has_value();
    }

    void describe_all(std::span<const isotick_input> inputs) {
        bool first = true;
        std::size_t room = kMostDescribed;
        for (std::size_t column = 0; column < inputs.size(); ++column) {
            if (inputs[column].present == 0) {
                continue;
            }
            Described& described = describe(column, inputs[column]);
            if (described.text && described.text->size() > room) {
                described.text.reset();
                described.known = false;
            }
            if (!described.text) {
                continue;
            }
            room -= described.text->size();
            put(first ? ",\"in\":{" : ",");
            put(keys_[column]);
            put(*described.text);
            first = false;
            ++result_.inputs_described;
        }
        put(first ? "" : "}");
    }

    Described& describe(std::size_t column, const isotick_input& input) {
        Described& described = described_[column];
        const std::span bytes(input.data, static_cast<std::size_t>(input.size));
        if (!described.known || !std::ranges::equal(described.bytes, bytes)) {
            described.known = true;
            described.bytes.assign(bytes.begin(), bytes.end());
            described.text = core::faithful_description(*simulation_, input.player, bytes);
        }
        return described;
    }

    void put_end() {
        put("{\"ticks\":");
        put(result_.ticks);
        put(",\"finished\":");
        put(result_.finished ? "true" : "false");
        if (result_.finished) {
            put(",\"final\":");
            put_state(final_state_, final_);
        }
        put("}\n");
    }

    replay::Reader& reader_;
    replay::HashStride stride_;
    const isotick_simulation_table* simulation_;  // null where inputs are shown in hexadecimal
    const TextSink& sink_;
    std::string buffer_;
    std::vector<std::string> keys_;
    std::vector<Described> described_;
    core::StateHash final_state_;
    std::vector<core::PartHash> final_;
    ExportResult result_;
};

}  // namespace

Result<ExportResult> export_text(replay::Reader& reader, const isotick_simulation_table* simulation,
                                 const TextSink& sink) {
    return TextExport(reader, simulation, sink).run();
}

}  // namespace isotick::harness
