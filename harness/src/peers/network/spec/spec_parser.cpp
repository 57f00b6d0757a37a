// NetworkSpec::parse: the grammar of NETWORKS.md.

#include "event_words.hpp"
#include "problems.hpp"
#include "profiles.hpp"
#include "setting_words.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/network_spec.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace isotick::harness {
namespace {

using core::Problem;
using core::Result;
using core::TextCursor;

/// The settings of one pair of parentheses, or of none.
struct Layer {
    LinkSettings settings;
    std::uint32_t given = 0;    ///< by a profile, or one by one
    std::uint32_t written = 0;  ///< one by one
};

std::string setting_forms() {
    std::string text = "a profile";
    const char* separator = " (";
    for (const NetworkProfile& each : network_profiles()) {
        text += separator + std::string(each.name);
        separator = ", ";
    }
    text += "), a setting";
    separator = " (";
    for (const SettingWord& each : setting_words()) {
        const bool is_call = each.setting == LinkSetting::trace;
        text += separator + std::string(each.name) + (is_call ? "(…)" : "=");
        separator = ", ";
    }
    return text + ")";
}

Result<void> refuse(const Problem& problem, std::size_t column) {
    return problem ? Result<void>(TextCursor::error_at(column, "expected " + *problem))
                   : Result<void>();
}

class SpecReader {
  public:
    SpecReader(std::string_view text, const TraceResolver& resolver)
        : text_(text), cursor_(text), resolver_(resolver) {}

    Result<NetworkParts> read_all() {
        do {
            ISOTICK_TRY(read_part());
        } while (!cursor_.at_end());
        parts_.usual = usual_.settings;
        return std::move(parts_);
    }

  private:
    Result<void> read_part() {
        const std::size_t start = cursor_.position();
        ISOTICK_TRY(expect_blank_before(start));
        const char next = cursor_.peek();
        if (next == '*' || (next >= '0' && next <= '9')) {
            return read_rule(start);
        }
        const std::string_view name = cursor_.read_word();
        if (name == "cut") {
            return read_cut(start);
        }
        if (const auto fault = event_fault(name)) {
            return read_event(start, *fault);
        }
        cursor_.go_back_to(start);
        return read_setting(usual_, ", a link (2>0(…)), cut(…), drop(…), late(…) or twice(…)");
    }

    Result<void> expect_blank_before(std::size_t start) {
        const bool is_parted =
            start == 0 || start == text_.size() || text_[start - 1] == '(' ||
            std::string_view(" \t\r\n").find(text_[start - 1]) != std::string_view::npos;
        return is_parted ? Result<void>() : cursor_.expected("a blank");
    }

    /// A profile or a setting; `others`: what else could stand here.
    Result<void> read_setting(Layer& layer, const char* others) {
        const std::size_t start = cursor_.position();
        const std::string_view name = cursor_.read_word();
        const auto profiles = network_profiles();
        const auto profile = std::ranges::find(profiles, name, &NetworkProfile::name);
        if (profile != profiles.end()) {
            return take_profile(*profile, start, layer);
        }
        const auto words = setting_words();
        const auto word = std::ranges::find(words, name, &SettingWord::name);
        if (word == words.end()) {
            cursor_.go_back_to(start);
            return cursor_.expected(setting_forms() + others);
        }
        if ((layer.written & bit_of(word->setting)) != 0) {
            return TextCursor::error_at(start, "expected each setting once");
        }
        layer.written |= bit_of(word->setting);
        layer.given |= bit_of(word->setting);
        const std::size_t value = cursor_.position() + 1;
        ISOTICK_TRY(word->read(cursor_, resolver_, layer.settings));
        return refuse(word->problem(layer.settings), value);
    }

    static Result<void> take_profile(const NetworkProfile& profile, std::size_t start,
                                     Layer& layer) {
        if (layer.given != 0) {
            return TextCursor::error_at(start, "expected one profile, before any setting");
        }
        layer.settings = profile.settings;
        layer.given = profile_bits();
        return {};
    }

    Result<void> read_rule(std::size_t start) {
        LinkRule rule;
        ISOTICK_TRY_ASSIGN(rule.from, read_end());
        ISOTICK_TRY(cursor_.expect('>'));
        ISOTICK_TRY_ASSIGN(rule.to, read_end());
        ISOTICK_TRY(cursor_.expect('('));
        Layer layer;
        do {
            ISOTICK_TRY(expect_blank_before(cursor_.position()));
            ISOTICK_TRY(read_setting(layer, ""));
        } while (cursor_.peek() != ')' && !cursor_.at_end());
        ISOTICK_TRY(cursor_.expect(')'));
        rule.settings = layer.settings;
        rule.given = layer.given;
        ISOTICK_TRY(refuse(problem_of(rule), start));
        const bool is_new = links_.emplace(rule.from, rule.to).second;
        ISOTICK_TRY(refuse(core::unless(is_new, "each link once"), start));
        parts_.rules.push_back(std::move(rule));
        return {};
    }

    Result<std::uint32_t> read_end() {
        return cursor_.take('*') ? Result<std::uint32_t>(kAnyNode) : read_node();
    }

    Result<std::uint32_t> read_node() {
        return cursor_.read_number("a node", 0, kMostNodes - 1).map([](std::uint64_t node) {
            return static_cast<std::uint32_t>(node);
        });
    }

    Result<void> read_cut(std::size_t start) {
        NetworkCut cut;
        ISOTICK_TRY(cursor_.expect('('));
        do {
            auto& group = cut.groups.emplace_back();
            do {
                ISOTICK_TRY_ASSIGN(const auto node, read_node());
                group.push_back(node);
            } while (cursor_.take(','));
        } while (cursor_.take('|'));
        ISOTICK_TRY(cursor_.expect('@'));
        ISOTICK_TRY(store(read_time(), cut.from_ns));
        ISOTICK_TRY(cursor_.expect('+'));
        ISOTICK_TRY(store(read_time(), cut.length_ns));
        ISOTICK_TRY(cursor_.expect(')'));
        ISOTICK_TRY(refuse(problem_of(cut), start));
        sort_groups(cut);
        const bool is_new = std::ranges::find(parts_.cuts, cut) == parts_.cuts.end();
        ISOTICK_TRY(refuse(core::unless(is_new, "each cut once"), start));
        ISOTICK_TRY(refuse(too_many(parts_.cuts, NetworkSpec::kMostCuts, "cuts"), start));
        parts_.cuts.push_back(std::move(cut));
        return {};
    }

    Result<void> read_event(std::size_t start, PacketFault fault) {
        PacketEvent event{.fault = fault};
        ISOTICK_TRY(cursor_.expect('('));
        ISOTICK_TRY_ASSIGN(event.from, read_node());
        ISOTICK_TRY(cursor_.expect('>'));
        ISOTICK_TRY_ASSIGN(event.to, read_node());
        ISOTICK_TRY(cursor_.expect('#'));
        ISOTICK_TRY_ASSIGN(event.number,
                           cursor_.read_number("the number of a packet", 0, kHighestNumber));
        if (fault != PacketFault::drop) {
            ISOTICK_TRY_ASSIGN(event.by_ns, read_offset());
        }
        ISOTICK_TRY(cursor_.expect(')'));
        ISOTICK_TRY(refuse(problem_of(event), start));
        ISOTICK_TRY(refuse(too_many(parts_.events, NetworkSpec::kMostEvents, "events"), start));
        ISOTICK_TRY(refuse(clash_with_others(event), start));
        parts_.events.push_back(event);
        return {};
    }

    /// `+120ms` or `-3ms`.
    Result<std::int64_t> read_offset() {
        const bool is_negative = cursor_.take('-');
        if (!is_negative && !cursor_.take('+')) {
            return cursor_.expected("'+' or '-'");
        }
        ISOTICK_TRY_ASSIGN(const auto offset, read_time());
        return is_negative ? -offset : offset;
    }

    /// A duration that is not negative.
    Result<std::int64_t> read_time() {
        const std::size_t start = cursor_.position();
        ISOTICK_TRY_ASSIGN(const auto time, cursor_.read_duration());
        ISOTICK_TRY(
            refuse(core::unless(time.nanoseconds >= 0, "a time that is not negative"), start));
        return time.nanoseconds;
    }

    template <class Part>
    static Problem too_many(const std::vector<Part>& parts, std::size_t most, const char* name) {
        return parts.size() < most ? Problem() : "at most " + std::to_string(most) + " " + name;
    }

    Problem clash_with_others(const PacketEvent& event) {
        auto& faults = faults_[{event.from, event.to, event.number}];
        for (const PacketFault each : faults) {
            PacketEvent other = event;
            other.fault = each;
            if (auto problem =
                    other.fault < event.fault ? clash_of(other, event) : clash_of(event, other)) {
                return problem;
            }
        }
        faults.insert(event.fault);
        return {};
    }

    std::string_view text_;
    TextCursor cursor_;
    const TraceResolver& resolver_;
    Layer usual_;
    NetworkParts parts_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> links_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::set<PacketFault>>
        faults_;
};

}  // namespace

Result<NetworkSpec> NetworkSpec::parse(std::string_view text, const TraceResolver& resolver) {
    if (text.size() > kMostTextBytes) {
        return TextCursor::error_at(kMostTextBytes, "expected at most 64 MiB of text");
    }
    ISOTICK_TRY_ASSIGN(auto parts, SpecReader(text, resolver).read_all());
    return from_parts(std::move(parts));
}

}  // namespace isotick::harness
