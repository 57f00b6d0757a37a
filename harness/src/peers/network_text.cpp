// Networks as text, and back.

#include "network_spec.hpp"
#include "setting_words.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/harness/network.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace isotick::harness {

// What the faults of packets are called.

/// In the order of PacketFault.
inline constexpr std::array<std::string_view, 3> kEventWords{"drop", "late", "twice"};

[[nodiscard]] inline std::string_view event_word(PacketFault fault) {
    return kEventWords[static_cast<std::size_t>(fault)];
}

[[nodiscard]] inline std::optional<PacketFault> event_fault(std::string_view word) {
    for (std::size_t i = 0; i < kEventWords.size(); ++i) {
        if (kEventWords[i] == word) {
            return static_cast<PacketFault>(i);
        }
    }
    return std::nullopt;
}

// NetworkSpec::parse: the grammar of NETWORKS.md.

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

/// Whether it is written as `trace(…)`, its parentheses a part of the value.
bool is_call(const SettingWord& word) {
    return bit_of(word) == bit_of(LinkSetting::trace);
}

std::string setting_forms() {
    const auto form = [](const SettingWord& word) {
        return std::string(word.name) + (is_call(word) ? "(…)" : "=");
    };
    return "a profile (" + core::joined(network_profiles(), ", ", &NetworkProfile::name) +
           "), a setting (" + core::joined(setting_words(), ", ", form) + ")";
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
        if ((layer.written & bit_of(*word)) != 0) {
            return TextCursor::error_at(start, "expected each setting once");
        }
        layer.written |= bit_of(*word);
        layer.given |= bit_of(*word);
        if (!is_call(*word)) {
            ISOTICK_TRY(cursor_.expect('='));
        }
        const std::size_t value = cursor_.position();
        ISOTICK_TRY(word->read(cursor_, layer.settings));
        if (is_call(*word)) {
            ISOTICK_TRY(find_trace(value, layer.settings.trace));
        }
        return TextCursor::refuse(word->problem_of(layer.settings), value);
    }

    /// The trace whose path was read at column `start`.
    Result<void> find_trace(std::size_t start, NamedTrace& trace) {
        if (!resolver_) {
            return TextCursor::error_at(start, "expected no trace, since nothing here reads files");
        }
        return store(resolver_(trace.path), trace.trace);
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
        ISOTICK_TRY(TextCursor::refuse(problem_of(rule), start));
        const bool is_new = links_.emplace(rule.from, rule.to).second;
        ISOTICK_TRY(TextCursor::refuse(core::unless(is_new, "each link once"), start));
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
        ISOTICK_TRY(TextCursor::refuse(problem_of(cut), start));
        sort_groups(cut);
        const bool is_new = std::ranges::find(parts_.cuts, cut) == parts_.cuts.end();
        ISOTICK_TRY(TextCursor::refuse(core::unless(is_new, "each cut once"), start));
        ISOTICK_TRY(
            TextCursor::refuse(too_many(parts_.cuts, NetworkSpec::kMostCuts, "cuts"), start));
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
        std::uint64_t last = event.number;
        if (fault != PacketFault::drop) {
            ISOTICK_TRY_ASSIGN(event.by_ns, read_offset());
        } else if (cursor_.take('-')) {
            ISOTICK_TRY_ASSIGN(last, cursor_.read_number("the number of a later packet",
                                                         event.number + 1, kHighestNumber));
        }
        ISOTICK_TRY(cursor_.expect(')'));
        ISOTICK_TRY(TextCursor::refuse(problem_of(event), start));
        for (; event.number <= last; ++event.number) {
            ISOTICK_TRY(TextCursor::refuse(
                too_many(parts_.events, NetworkSpec::kMostEvents, "events"), start));
            ISOTICK_TRY(TextCursor::refuse(clash_with_others(event), start));
            parts_.events.push_back(event);
        }
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
        ISOTICK_TRY(TextCursor::refuse(
            core::unless(time.nanoseconds >= 0, "a time that is not negative"), start));
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

// NetworkSpec::to_string.

namespace {

void append(std::string& text, const std::string& word) {
    text += (text.empty() ? "" : " ") + word;
}

/// The given settings, without those that are the same as in `other`; null: all.
std::string words_of(const LinkSettings& settings, std::uint32_t given, const LinkSettings* other) {
    std::string text;
    for (const SettingWord& each : setting_words()) {
        if ((given & bit_of(each)) != 0 && !(other != nullptr && each.is_equal(settings, *other))) {
            append(text, std::string(each.name) + (is_call(each) ? "" : "=") + each.text(settings));
        }
    }
    return text;
}

/// The profile that the fewest words lead from to these settings; the first of several.
const NetworkProfile& nearest_profile(const LinkSettings& settings) {
    return *std::ranges::min_element(network_profiles(), {}, [&](const NetworkProfile& each) {
        return std::ranges::count_if(setting_words(), [&](const SettingWord& word) {
            return !word.is_equal(settings, each.settings);
        });
    });
}

std::string usual_text(const LinkSettings& settings) {
    const NetworkProfile& profile = nearest_profile(settings);
    std::string text = words_of(settings, all_bits(), &profile.settings);
    const bool is_named = text.empty() || &profile != &network_profiles().front();
    return is_named ? std::string(profile.name) + (text.empty() ? "" : " ") + text : text;
}

std::string node_text(std::uint32_t node) {
    return node == kAnyNode ? "*" : std::to_string(node);
}

std::string rule_text(const LinkRule& rule) {
    std::string inside;
    if ((rule.given & profile_bits()) == profile_bits()) {
        const NetworkProfile& profile = nearest_profile(rule.settings);
        inside = std::string(profile.name);
        const auto beyond = words_of(rule.settings, rule.given, &profile.settings);
        inside += (beyond.empty() ? "" : " ") + beyond;
    } else {
        inside = words_of(rule.settings, rule.given, nullptr);
    }
    return node_text(rule.from) + ">" + node_text(rule.to) + "(" + inside + ")";
}

std::string cut_text(const NetworkCut& cut) {
    std::string text = "cut(";
    for (const auto& group : cut.groups) {
        text += text.back() == '(' ? "" : "|";
        const char* comma = "";
        for (const std::uint32_t node : group) {
            text += comma + std::to_string(node);
            comma = ",";
        }
    }
    return text + "@" + core::to_string(core::FrameTime{cut.from_ns}) + "+" +
           core::to_string(core::FrameTime{cut.length_ns}) + ")";
}

/// `drop(3>1#17-21)`: packets in a row that are lost stand as one.
std::string event_text(const PacketEvent& event, std::uint64_t last) {
    std::string text(event_word(event.fault));
    text += "(" + std::to_string(event.from) + ">" + std::to_string(event.to) + "#" +
            std::to_string(event.number);
    if (event.fault != PacketFault::drop) {
        text += (event.by_ns < 0 ? "" : "+") + core::to_string(core::FrameTime{event.by_ns});
    } else if (last != event.number) {
        text += "-" + std::to_string(last);
    }
    return text + ")";
}

bool is_dropped_next(const PacketEvent& before, const PacketEvent& event) {
    return before.fault == PacketFault::drop && event.fault == PacketFault::drop &&
           before.from == event.from && before.to == event.to && before.number + 1 == event.number;
}

}  // namespace

std::string NetworkSpec::to_string() const {
    std::string text = usual_text(parts_.usual);
    for (const LinkRule& each : parts_.rules) {
        append(text, rule_text(each));
    }
    for (const NetworkCut& each : parts_.cuts) {
        append(text, cut_text(each));
    }
    const std::vector<PacketEvent>& events = parts_.events;
    for (std::size_t first = 0; first < events.size();) {
        std::size_t last = first;
        while (last + 1 < events.size() && is_dropped_next(events[last], events[last + 1])) {
            ++last;
        }
        append(text, event_text(events[first], events[last].number));
        first = last + 1;
    }
    return text;
}

}  // namespace isotick::harness
