#include "run.hpp"

#include "../system/drop_blocks.hpp"
#include "../system/rows.hpp"
#include "judge_trial.hpp"
#include "peer_seat.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/core/time.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

namespace isotick::harness::netplay {
namespace {

using core::ErrorCode;
using core::Result;

// The first packet that two runs of a session do not have in common; empty: there is none.
std::string unlike_text(const Session& first, const Session& second) {
    if (first.digest == second.digest) {
        return "";
    }
    const auto [a, b] = std::ranges::mismatch(first.packets, second.packets);
    if (a == first.packets.end() || b == second.packets.end()) {
        return fmt::format("one run sent {} packets, the other {}", first.packets.size(),
                           second.packets.size());
    }
    if (a->at_ns == b->at_ns && a->from == b->from && a->to == b->to) {
        return fmt::format("at {}, the packet from peer {} to {} had other bytes",
                           seconds_text(a->at_ns), a->from, a->to);
    }
    return fmt::format(
        "one run sent a packet from peer {} to {} at {}, the other from {} to {} at "
        "{}",
        a->from, a->to, seconds_text(a->at_ns), b->from, b->to, seconds_text(b->at_ns));
}

class Trials {
  public:
    explicit Trials(const NetplayOptions& options) : options_(options) {}

    Result<NetplayReport> run() {
        ISOTICK_TRY(check());
        report_.seed = options_.seed;
        report_.trials = options_.exact ? 1 : options_.trials;
        ISOTICK_TRY(run_all());
        ISOTICK_TRY(repeat());
        // What is not the same each time can't tell what it needs.
        if (!report_.failed.empty() && report_.same == report_.repeated) {
            ISOTICK_TRY(shrink());
            ISOTICK_TRY(dump_states());
        }
        return std::move(report_);
    }

  private:
    Result<void> check() const {
        const LockstepPlan& plan = options_.plan;
        if (plan.peers < 2 || plan.peers > kMostPeers) {
            return core::fail(ErrorCode::usage, "a session has 2 to 64 peers");
        }
        if (options_.programs.size() != 1 && options_.programs.size() != plan.peers) {
            return core::fail(ErrorCode::usage, fmt::format("there are {} commands for {} peers",
                                                            options_.programs.size(), plan.peers));
        }
        for (const PeerProgram& program : options_.programs) {
            if (program.words.empty()) {
                return core::fail(ErrorCode::usage, "a peer's command is empty");
            }
            ISOTICK_TRY_ASSIGN(const std::string path,
                               filled_in(program.words.front(), {0, plan.peers, "", ""}));
            ISOTICK_TRY(check_program(path));
        }
        for (const PeerEvent& event : plan.events) {
            if (event.peer >= plan.peers) {
                return core::fail(ErrorCode::usage, fmt::format("peer {} is none of the {} peers",
                                                                event.peer, plan.peers));
            }
        }
        return {};
    }

    // A session in a folder of its own, which goes with it unless it is kept.
    Result<NetplayTrial> run_one(const LockstepPlan& plan, std::int64_t length_ns,
                                 std::uint64_t number, bool logs, std::size_t slot = 0,
                                 std::optional<std::uint64_t> dump_tick = {}) {
        const std::string folder =
            fmt::format("{}/session-{:06}", options_.folder, next_folder_.fetch_add(1));
        std::error_code error;
        std::filesystem::create_directory(folder, error);
        if (error) {
            return core::fail(ErrorCode::io, "cannot make " + folder + ": " + error.message());
        }
        NetplayTrial trial;
        trial.number = number;
        trial.plan = plan;
        trial.length_ns = length_ns;
        SessionSetup setup;
        setup.programs = options_.programs;
        setup.plan = plan;
        setup.length_ns = length_ns;
        setup.timeout_ms = options_.timeout_ms;
        setup.folder = folder;
        setup.logs_packets = logs;
        setup.slot = slot;
        setup.dump_tick = dump_tick;
        setup.stop = options_.stop;
        ISOTICK_TRY_ASSIGN(trial.session, run_session(setup));
        ISOTICK_TRY_ASSIGN(trial.judgment, judge_recordings(trial.session));
        ISOTICK_TRY(judge_trial(trial, options_));
        return trial;
    }

    static void remove_folder(const NetplayTrial& trial) {
        if (!trial.session.runs.empty()) {
            std::error_code ignored;
            std::filesystem::remove_all(
                std::filesystem::path(trial.session.runs.front().output).parent_path(), ignored);
        }
    }

    [[nodiscard]] LockstepPlan plan_of(std::uint64_t number) const {
        return options_.exact ? options_.plan : draw_netplay_plan(options_, number);
    }

    // Several at a time; what is reported does not depend on which is done first.
    Result<void> run_all() {
        const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
        const std::size_t jobs =
            std::min<std::size_t>(options_.jobs == 0 ? processors : options_.jobs, report_.trials);
        std::vector<std::jthread> threads;
        for (std::size_t job = 1; job < jobs; ++job) {
            threads.emplace_back([this, job] { work(job); });
        }
        work(0);
        threads.clear();
        if (error_) {
            return tl::unexpected(*error_);
        }
        std::ranges::sort(report_.failed);
        for (const auto& [number, verdict] : report_.failed) {
            report_.verdict = graver(report_.verdict, verdict);
        }
        return {};
    }

    void work(std::size_t slot) {
        while (!is_stopped_) {
            const std::uint64_t number = next_trial_.fetch_add(1);
            if (number >= report_.trials) {
                return;
            }
            auto trial = run_one(plan_of(number), options_.length_ns, number, true, slot);
            const std::lock_guard guard(mutex_);
            if (!trial) {
                error_ = error_ ? error_ : trial.error();
                is_stopped_ = true;
                return;
            }
            take(std::move(*trial));
            if (options_.on_progress) {
                options_.on_progress(++done_, report_.trials);
            }
        }
    }

    void take(NetplayTrial trial) {
        report_.packets += trial.session.traffic.sent;
        report_.lost += trial.session.traffic.lost + trial.session.traffic.cut_off +
                        trial.session.traffic.overflowed;
        report_.stream_pieces += trial.session.stream_pieces;
        report_.ticks_compared += trial.judgment.ticks;
        report_.virtual_ns += trial.session.ended_ns;
        const bool fails = trial.verdict != Verdict::identical;
        if (fails) {
            report_.failed.emplace_back(trial.number, trial.verdict);
        } else {
            ++report_.identical;
        }
        // Of those that failed most gravely the first.
        const auto is_before = [](const NetplayTrial& left, const NetplayTrial& right) {
            return left.verdict == right.verdict
                       ? left.number < right.number
                       : graver(left.verdict, right.verdict) == left.verdict;
        };
        if (!has_shown_ || is_before(trial, report_.shown)) {
            std::swap(report_.shown, trial);
        }
        if (std::exchange(has_shown_, true)) {
            remove_folder(trial);
        }
    }

    // The same session again: what one run shows is worth as much as it is repeated.
    Result<void> repeat() {
        constexpr int kRepeats = 2;
        report_.repeated = report_.same = 0;
        for (int i = 0; i < kRepeats; ++i) {
            ISOTICK_TRY_ASSIGN(
                const NetplayTrial again,
                run_one(report_.shown.plan, report_.shown.length_ns, report_.shown.number, false));
            ++report_.repeated;
            const std::string unlike = unlike_text(report_.shown.session, again.session);
            const bool is_same = unlike.empty() && again.verdict == report_.shown.verdict &&
                                 again.judgment.difference == report_.shown.judgment.difference;
            report_.same += is_same ? 1U : 0U;
            report_.unlike = report_.unlike.empty() ? unlike : report_.unlike;
            if (again.verdict != report_.shown.verdict) {
                report_.verdict = Verdict::nondeterministic;
                report_.shown.reason =
                    fmt::format("run again, the same session was {}: {}", to_string(again.verdict),
                                unlike.empty() ? "its packets were the same" : unlike);
            }
            remove_folder(again);
        }
        return {};
    }

    // Where states differ, the session once more, in which peers leave them.
    Result<void> dump_states() {
        const auto& difference = report_.shown.judgment.difference;
        if (!options_.dumps || !difference || difference->what != RecordingsDiffer::What::hash ||
            !difference->tick) {
            return {};
        }
        ISOTICK_TRY_ASSIGN(const NetplayTrial again,
                           run_one(report_.shown.plan, report_.shown.length_ns,
                                   report_.shown.number, false, 0, difference->tick));
        DumpedStates dumped{
            difference->values[0].peers.front(), difference->values[1].peers.front(), {}, {}};
        const auto dump_of = [&again](std::uint32_t peer) {
            return std::ranges::find(again.session.runs, peer, &Life::peer)->dump;
        };
        auto compared = compare_state_dumps(dump_of(dumped.first), dump_of(dumped.second),
                                            options_.most_fields);
        if (!compared) {
            dumped.missing = "no states were left at {dump}: " + compared.error().message;
        } else if (!unlike_text(report_.shown.session, again.session).empty()) {
            dumped.missing = "the session was not the same when it ran once more";
        } else {
            dumped.compared = std::move(*compared);
        }
        remove_folder(again);
        report_.dumped = std::move(dumped);
        return {};
    }

    // Whether it is the failure that is shown.
    [[nodiscard]] bool is_same_failure(const NetplayTrial& trial) const {
        if (trial.verdict != report_.shown.verdict) {
            return false;
        }
        const auto& shown = report_.shown.judgment.difference;
        const auto& found = trial.judgment.difference;
        return shown.has_value() == found.has_value() && (!shown || shown->what == found->what);
    }

    [[nodiscard]] bool is_spent() const { return sessions_ >= options_.most_shrinks; }

    // Takes the candidate for the best if it fails.
    Result<bool> fails(const LockstepPlan& plan, std::int64_t length_ns) {
        if (plan == report_.shown.plan && length_ns == report_.shown.length_ns) {
            return true;
        }
        if (is_spent()) {
            return false;
        }
        ++sessions_;
        ISOTICK_TRY_ASSIGN(NetplayTrial trial,
                           run_one(plan, length_ns, report_.shown.number, true));
        const bool is_same = is_same_failure(trial);
        if (is_same) {
            std::swap(report_.shown, trial);
        }
        remove_folder(trial);
        return is_same;
    }

    // An error ends the search, and is passed on.
    bool tried(const LockstepPlan& plan, std::int64_t length_ns) {
        if (error_) {
            return false;
        }
        const auto result = fails(plan, length_ns);
        if (!result) {
            error_ = result.error();
        }
        return result.value_or(false);
    }
    template <class Change>
    bool fails_with(const Change& change) {
        LockstepPlan plan = report_.shown.plan;
        change(plan);
        return tried(plan, report_.shown.length_ns);
    }

    Result<void> shrink() {
        if (options_.most_shrinks == 0 || report_.shown.verdict == Verdict::inconclusive) {
            return {};
        }
        NetplayShrinking shrinking;
        shrinking.original = report_.shown.plan;
        shorten();
        drop_peers();
        drop_blocks(units_of(report_.shown.plan.events), [&](std::span<const Unit> block) {
            return fails_with([&](LockstepPlan& plan) {
                for (const Unit& unit : block) {
                    erase(plan.events, unit);
                }
            });
        });
        shrink_network(
            report_.shown.plan.network,
            [this](const NetworkSpec& network) {
                const bool failed = fails_with([&](LockstepPlan& plan) { plan.network = network; });
                return NetworkRun{failed,
                                  failed ? report_.shown.session.explicit_network : std::nullopt};
            },
            options_.most_shrinks);
        drop_peers();
        shorten();
        shrinking.needs = find_needs();
        if (error_) {
            return tl::unexpected(*error_);
        }
        shrinking.sessions = sessions_;
        shrinking.unfinished = is_spent();
        if (shrinking.unfinished) {
            shrinking.needs.clear();
        }
        const bool is_smaller = report_.shown.plan != shrinking.original;
        report_.shrinking = std::move(shrinking);
        return is_smaller ? repeat() : Result<void>();
    }

    /// Events that only make sense together: a peer goes, and comes again.
    using Unit = std::vector<PeerEvent>;

    static std::vector<Unit> units_of(const std::vector<PeerEvent>& events) {
        std::vector<Unit> units;
        for (const PeerEvent& event : events) {
            const auto gone = std::ranges::find_if(units, [&](const Unit& unit) {
                const PeerEvent& last = unit.back();
                return event.kind == PeerEvent::Kind::join && last.peer == event.peer &&
                       (last.kind == PeerEvent::Kind::kill || last.kind == PeerEvent::Kind::leave);
            });
            if (gone == units.end()) {
                units.push_back({event});
            } else {
                gone->push_back(event);
            }
        }
        return units;
    }

    static void erase(std::vector<PeerEvent>& events, const Unit& unit) {
        std::erase_if(events, [&](const PeerEvent& event) {
            return std::ranges::find(unit, event) != unit.end();
        });
    }

    // A difference shows soon after its tick; other failures need their time.
    void shorten() {
        const auto& difference = report_.shown.judgment.difference;
        if (!difference || !difference->tick || !report_.shown.judgment.head) {
            return;
        }
        const core::TickRate rate = report_.shown.judgment.head->session.rate;
        const std::int64_t after = rate.time_of(*difference->tick) + 2 * kSecond;
        for (const std::int64_t length : {after, after * 2}) {
            if (length < report_.shown.length_ns && tried(report_.shown.plan, length)) {
                return;
            }
        }
    }

    void drop_peers() {
        if (options_.programs.size() != 1) {
            return;
        }
        while (report_.shown.plan.peers > 2) {
            const std::uint32_t last = report_.shown.plan.peers - 1;
            if (!fails_with([last](LockstepPlan& plan) {
                    plan.peers = last;
                    std::erase_if(plan.events,
                                  [last](const PeerEvent& event) { return event.peer == last; });
                    NetworkParts parts = plan.network.parts();
                    std::erase_if(parts.events, [last](const PacketEvent& event) {
                        return event.from == last || event.to == last;
                    });
                    std::erase_if(parts.rules, [last](const LinkRule& rule) {
                        return rule.from == last || rule.to == last;
                    });
                    for (NetworkCut& cut : parts.cuts) {
                        for (auto& group : cut.groups) {
                            std::erase(group, last);
                        }
                        std::erase_if(cut.groups, [](const auto& group) { return group.empty(); });
                    }
                    std::erase_if(parts.cuts,
                                  [](const NetworkCut& cut) { return cut.groups.empty(); });
                    if (auto network = NetworkSpec::from_parts(std::move(parts))) {
                        plan.network = *std::move(network);
                    }
                })) {
                return;
            }
        }
    }

    /// Something that a session may not need, and the plan without it.
    struct Part {
        std::string text;
        LockstepPlan without;
    };

    // Tries to do without each thing that is left, until none can go.
    std::vector<std::string> find_needs() {
        while (!error_ && !is_spent()) {
            std::vector<std::string> needs;
            bool again = false;
            for (Part& part : parts()) {
                again = tried(part.without, report_.shown.length_ns);
                if (again) {
                    break;
                }
                needs.push_back(std::move(part.text));
            }
            if (!again) {
                return needs;
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<Part> parts() const {
        std::vector<Part> parts;
        const LockstepPlan& plan = report_.shown.plan;
        for (const Unit& unit : units_of(plan.events)) {
            std::string text = harness::to_string(unit.front());
            text += unit.size() > 1 ? ", " + harness::to_string(unit.back()) : "";
            parts.push_back({std::move(text), plan});
            erase(parts.back().without.events, unit);
        }
        const auto add = [&](std::string text, NetworkParts network) {
            if (auto without = NetworkSpec::from_parts(std::move(network));
                without && *without != plan.network) {
                parts.push_back({std::move(text), plan});
                parts.back().without.network = *std::move(without);
            }
        };
        NetworkParts rest = plan.network.parts();
        const std::vector<PacketEvent> packets = std::exchange(rest.events, {});
        if (const auto network = NetworkSpec::from_parts(rest);
            network && *network != NetworkSpec()) {
            add("network " + network->to_string(), {{}, {}, {}, packets});
        }
        // Packets that one fault hits in a row are one thing.
        for (std::size_t first = 0; first < packets.size();) {
            std::size_t end = first + 1;
            while (end < packets.size() && is_next(packets[end - 1], packets[end])) {
                ++end;
            }
            NetworkParts without = plan.network.parts();
            without.events.erase(without.events.begin() + static_cast<std::ptrdiff_t>(first),
                                 without.events.begin() + static_cast<std::ptrdiff_t>(end));
            add(packets_text(std::span(packets).subspan(first, end - first)), std::move(without));
            first = end;
        }
        return parts;
    }

    static bool is_next(const PacketEvent& before, const PacketEvent& event) {
        return before.from == event.from && before.to == event.to &&
               before.number + 1 == event.number && before.fault == PacketFault::drop &&
               event.fault == PacketFault::drop;
    }

    // `sent at 0.900 s`, `sent at 0.900 s to 1.017 s`: those of these packets that were sent.
    [[nodiscard]] std::string sent_text(std::span<const PacketEvent> events) const {
        std::optional<std::int64_t> first;
        std::int64_t last = 0;
        for (const LoggedPacket& packet : report_.shown.session.logged) {
            if (packet.from == events.front().from && packet.to == events.front().to &&
                packet.number >= events.front().number && packet.number <= events.back().number) {
                first = first.value_or(packet.sent_ns);
                last = packet.sent_ns;
            }
        }
        if (!first) {
            return "";
        }
        return ", sent at " + seconds_text(*first) +
               (events.size() == 1 ? "," : " to " + seconds_text(last) + ",");
    }

    [[nodiscard]] std::string packets_text(std::span<const PacketEvent> events) const {
        const PacketEvent& event = events.front();
        const PacketEvent& last = events.back();
        const bool is_one = events.size() == 1;
        std::string text =
            fmt::format("packet{} {}{} from peer {} to {}", is_one ? "" : "s", event.number,
                        is_one ? "" : fmt::format(" to {}", last.number), event.from, event.to);
        text += sent_text(events);
        const auto by = core::to_string(core::FrameTime{std::abs(event.by_ns)});
        switch (event.fault) {
            case PacketFault::drop:
                return text + " lost";
            case PacketFault::late:
                return text + (event.by_ns < 0 ? " early by " : " late by ") + by;
            case PacketFault::twice:
                return text + " delivered again after " + by;
        }
        return text;
    }

    const NetplayOptions& options_;
    NetplayReport report_;
    std::atomic<std::uint64_t> next_trial_{0};
    std::atomic<std::uint64_t> next_folder_{0};
    std::atomic<bool> is_stopped_{false};
    std::mutex mutex_;
    std::optional<core::Error> error_;
    std::uint64_t done_ = 0;
    bool has_shown_ = false;
    std::uint64_t sessions_ = 0;
};

}  // namespace

Result<NetplayReport> run_netplay(const NetplayOptions& options) {
    return Trials(options).run();
}

}  // namespace isotick::harness::netplay
