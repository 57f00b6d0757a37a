#include "judge.hpp"

#include "../system/rows.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <tuple>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace isotick::harness::netplay {
namespace {

using core::Result;
using replay::Comparison;
using replay::SessionDifference;

// A recorder that was not finished has left it under another name.
std::string path_of_recording(const Life& life) {
    for (const char* end : {"", ".unfinished"}) {
        const std::string path = life.recording + end;
        if (access(path.c_str(), R_OK) == 0) {
            return path;
        }
    }
    return "";
}

// How many ticks there are before any damage.
Result<void> count_ticks(PeerRecording& recording) {
    auto reader = replay::Reader::open(recording.path);
    if (!reader) {
        recording.unreadable = reader.error().message;
        return {};
    }
    while (true) {
        ISOTICK_TRY_ASSIGN(const replay::TickChunk* chunk, reader->next());
        if (chunk == nullptr) {
            break;
        }
        recording.ticks = chunk->first_tick().value + chunk->ticks();
    }
    recording.finished = reader->saw_last();
    if (reader->damage()) {
        recording.unreadable = reader->damage()->reason;
    }
    return {};
}

/// Where a recording first differs from the longest, and both values there.
struct PairDiffers {
    RecordingsDiffer::What what;
    std::string name;
    std::optional<std::uint64_t> tick;
    std::string longest;
    std::string other;
    std::vector<std::string> parts{};
    std::optional<std::uint64_t> parts_tick{};

    // What comes first is what counts: at one tick, inputs before the state that they lead to.
    [[nodiscard]] auto order() const {
        const bool is_input =
            what == RecordingsDiffer::What::input || what == RecordingsDiffer::What::dt;
        const std::uint64_t before_tick = tick ? *tick + 1 : 0;
        return std::tuple(what == RecordingsDiffer::What::session ? 0 : 1, before_tick,
                          is_input ? 0 : 1, name);
    }
};

std::optional<PairDiffers> first_difference(const Comparison& compared) {
    std::optional<PairDiffers> first;
    if (const auto& session = compared.session) {
        const bool is_input = session->what == SessionDifference::What::input;
        const bool is_dt = session->what == SessionDifference::What::dt;
        first = PairDiffers{
            is_input ? RecordingsDiffer::What::input
            : is_dt  ? RecordingsDiffer::What::dt
                     : RecordingsDiffer::What::session,
            harness::what_differs(*session),
            {},
            is_input ? input_text(session->input_a) : session->text_a.value_or("not set"),
            is_input ? input_text(session->input_b) : session->text_b.value_or("not set"),
            {}};
        if (is_input || is_dt) {
            first->tick = session->tick.value;
        }
    }
    if (const auto& hashes = compared.hashes) {
        PairDiffers found{RecordingsDiffer::What::hash, "the state hash",     {},
                          to_string(hashes->a),         to_string(hashes->b), {}};
        if (hashes->tick) {
            found.tick = hashes->tick->value;
        }
        for (const replay::PartDifference& part : hashes->parts) {
            found.parts.push_back(part.name);
        }
        if (hashes->parts_tick) {
            found.parts_tick = hashes->parts_tick->value;
        }
        if (!first || found.order() < first->order()) {
            first = std::move(found);
        }
    }
    return first;
}

class Judge {
  public:
    explicit Judge(const Session& session) {
        for (std::size_t i = 0; i < session.runs.size(); ++i) {
            const Life& life = session.runs[i];
            if (std::string path = path_of_recording(life); !path.empty()) {
                PeerRecording recording;
                recording.life = i;
                recording.peer = life.peer;
                recording.path = std::move(path);
                judgment_.recordings.push_back(std::move(recording));
            }
        }
    }

    Result<Judgment> judge() {
        std::vector<const PeerRecording*> readable;
        for (PeerRecording& recording : judgment_.recordings) {
            ISOTICK_TRY(count_ticks(recording));
            if (recording.unreadable.empty() || recording.ticks > 0) {
                readable.push_back(&recording);
            }
        }
        if (readable.empty()) {
            return std::move(judgment_);
        }
        std::ranges::stable_sort(readable, std::greater(), &PeerRecording::ticks);
        ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(readable.front()->path));
        judgment_.head = reader.head();
        judgment_.ticks = readable.size() > 1 ? readable[1]->ticks : 0;
        for (std::size_t i = 1; i < readable.size(); ++i) {
            ISOTICK_TRY(compare(*readable.front(), *readable[i]));
        }
        name_difference(readable);
        return std::move(judgment_);
    }

  private:
    Result<void> compare(const PeerRecording& longest, const PeerRecording& other) {
        ISOTICK_TRY_ASSIGN(const Comparison compared, replay::compare(longest.path, other.path));
        judgment_.hashes_compared += compared.hashes_compared;
        if (!compared.incomparable.empty()) {
            judgment_.incomparable = compared.incomparable;
        }
        differences_.emplace_back(&other, first_difference(compared));
        return {};
    }

    void name_difference(const std::vector<const PeerRecording*>& readable) {
        const PairDiffers* first = nullptr;
        for (const auto& [recording, difference] : differences_) {
            if (difference && (first == nullptr || difference->order() < first->order())) {
                first = &*difference;
            }
        }
        if (first == nullptr) {
            return;
        }
        RecordingsDiffer found;
        found.what = first->what;
        found.name = first->name;
        found.tick = first->tick;
        add_value(found, first->longest, readable.front()->peer);
        for (const auto& [recording, difference] : differences_) {
            const bool is_here = difference && difference->order() == first->order();
            const bool has_it = !first->tick || recording->ticks > *first->tick;
            if (is_here) {
                add_value(found, difference->other, recording->peer);
                if (!difference->parts.empty()) {
                    found.parts = difference->parts;
                    found.parts_tick = difference->parts_tick;
                }
            } else if (has_it) {
                add_value(found, first->longest, recording->peer);
            }
        }
        for (ValueOf& value : found.values) {
            std::ranges::sort(value.peers);
        }
        std::ranges::sort(found.values, [](const ValueOf& left, const ValueOf& right) {
            return std::tuple(right.peers.size(), left.peers.front()) <
                   std::tuple(left.peers.size(), right.peers.front());
        });
        found.has_majority =
            found.values.size() > 1 && found.values[0].peers.size() > found.values[1].peers.size();
        judgment_.difference = std::move(found);
    }

    static void add_value(RecordingsDiffer& found, const std::string& value, std::uint32_t peer) {
        const auto known = std::ranges::find(found.values, value, &ValueOf::value);
        if (known == found.values.end()) {
            found.values.push_back({{peer}, value});
        } else {
            known->peers.push_back(peer);
        }
    }

    Judgment judgment_;
    std::vector<std::pair<const PeerRecording*, std::optional<PairDiffers>>> differences_;
};

}  // namespace

Result<Judgment> judge_recordings(const Session& session) {
    return Judge(session).judge();
}

}  // namespace isotick::harness::netplay
