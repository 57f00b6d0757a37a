// Two recordings, compared both ways, by their digests and tick by tick.

#include "../../support/scratch_folder.hpp"
#include "../support/mended_recording.hpp"
#include "../support/read_recording.hpp"

#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <algorithm>

#include <format/chunk_header.hpp>

namespace isotick::fuzz {
namespace {

using core::Result;
using replay::Comparison;
using replay::HashDifference;
using replay::PartDifference;
using replay::SessionDifference;
using replay::Survey;
using Path = std::filesystem::path;

Result<Survey> save(const Path& path, Input bytes) {
    write_file(path, mended_recording(bytes));
    return replay::survey(path);
}

bool same(const SessionDifference& x, const SessionDifference& y) {
    return x.what == y.what && x.config_key == y.config_key && x.text_a == y.text_a &&
           x.text_b == y.text_b && x.tick == y.tick && x.player == y.player &&
           x.input_a == y.input_a && x.input_b == y.input_b;
}

bool same(const HashDifference& x, const HashDifference& y) {
    return x.tick == y.tick && x.a == y.a && x.b == y.b && x.last_equal == y.last_equal &&
           x.initial_equal == y.initial_equal && x.has_parts == y.has_parts &&
           x.parts_tick == y.parts_tick &&
           std::ranges::equal(x.parts, y.parts, [](const auto& one, const auto& other) {
               return one.name == other.name && one.a == other.a && one.b == other.b;
           });
}

template <class T>
bool same(const std::optional<T>& x, const std::optional<T>& y) {
    return x.has_value() == y.has_value() && (!x || same(*x, *y));
}

bool same(const Comparison& x, const Comparison& y) {
    return same(x.session, y.session) && same(x.hashes, y.hashes) &&
           x.incomparable.empty() == y.incomparable.empty() && x.a.ticks == y.a.ticks &&
           x.b.ticks == y.b.ticks && x.hashes_compared == y.hashes_compared;
}

// What the comparison of b with a should have been.
Comparison mirrored(Comparison compared) {
    std::swap(compared.a, compared.b);
    if (compared.session) {
        std::swap(compared.session->text_a, compared.session->text_b);
        std::swap(compared.session->input_a, compared.session->input_b);
    }
    if (compared.hashes) {
        std::swap(compared.hashes->a, compared.hashes->b);
        for (PartDifference& part : compared.hashes->parts) {
            std::swap(part.a, part.b);
        }
    }
    return compared;
}

// The recording without its index and end mark.
void cut_tail(const Path& path) {
    const replay::Bytes bytes = read_file(path);
    const auto mark = std::span(bytes).last(replay::kChunkFrameSize);
    const auto header = replay::decode_chunk_header(mark.first(replay::kChunkHeaderSize));
    require(header && header->type == replay::kEndMark, "a tail ends with an end mark");
    write_file(path, std::span(bytes).first(static_cast<std::size_t>(header->first)));
}

// An index of chunks behind the end, which no writer makes, is believed where it is asked alone.
bool can_be_searched(const Survey& survey) {
    return survey.has_tail && survey.finished && survey.damages.empty() && !survey.tail_damage;
}

}  // namespace

void run(Input input) {
    static const tests::ScratchFolder folder;
    const Path a = folder.file("a.isotick");
    const Path b = folder.file("b.isotick");
    const std::size_t size = take_short(input);
    const Input first = input.first(std::min(size, input.size()));
    const auto survey_a = save(a, first);
    const auto survey_b = save(b, input.subspan(first.size()));
    const auto compared = replay::compare(a, b, replay::CompareDepth::digests);
    const auto back = replay::compare(b, a, replay::CompareDepth::digests);
    require(compared.has_value() == back.has_value(), "it does not matter which comes first");
    if (!compared) {
        return;
    }
    require(same(*back, mirrored(*compared)), "the other way round it is the same");
    if (survey_a && survey_b && can_be_searched(*survey_a) && can_be_searched(*survey_b)) {
        cut_tail(a);
        cut_tail(b);
        const auto read = replay::compare(a, b);
        require(read && !read->searched && same(*read, *compared),
                "digests and ticks say the same");
    }
}

}  // namespace isotick::fuzz
