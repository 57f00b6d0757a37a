// A folder of recordings: what is in it, what is wrong with it, and which few of them exercise what
// all do.

#include "../../src/system/hex.hpp"
#include "../../src/system/posix.hpp"
#include "../command/command.hpp"
#include "../json/json_pieces.hpp"
#include "../options/options.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"
#include "../reporters/result_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::Verdict;

struct CorpusOptions : CommonOptions {
    std::vector<std::string> places;
    std::vector<std::string> results;
    std::string order = "name";
    bool replay = false;
    bool paths = false;
    bool cover = false;
};

// What a session exercises.
struct Exercise {
    std::vector<std::string> checkpoints;             // that it passes, where it was replayed
    std::array<std::vector<std::uint8_t>, 2> inputs;  // bits ever set: by a player, by the world
    std::vector<std::string> parts;                   // of the state that change
};

struct CorpusRecording {
    std::string path;
    replay::Survey survey;
    Exercise exercise;
    std::optional<double> seconds;    // that its verification took
    std::optional<Verdict> replayed;  // of its nominal replay, where it was asked for
    std::string stale;                // why it cannot be replayed, or not to the same hashes
    bool chosen = false;              // for the small set that exercises the same
};

// A file that belongs to no recording.
struct Unreferenced {
    std::string path;
    std::string reason;
};

struct Corpus {
    std::vector<CorpusRecording> recordings;
    std::vector<core::Error> damaged;
    std::vector<Unreferenced> unreferenced;
    std::set<std::string> unchecked;  // simulations that this program does not have
    Verdict verdict = Verdict::identical;
};

// The files.

constexpr std::string_view kExtension = ".isotick";

// Beside `boss.isotick`, `boss.isotick.pending` and `boss.txt` are its companions.
std::optional<Unreferenced> unreferenced(const std::filesystem::path& path,
                                         const std::set<std::string>& recordings) {
    const std::string name = path.filename().string();
    const std::size_t end = name.rfind(std::string(kExtension) + ".");
    if (end != name.npos) {
        const std::string owner = name.substr(0, end) + std::string(kExtension);
        return recordings.contains(owner)
                   ? std::nullopt
                   : std::optional(Unreferenced{path.string(), "its recording is gone: " + owner});
    }
    for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
        if (recordings.contains(name.substr(0, dot) + std::string(kExtension))) {
            return std::nullopt;
        }
    }
    return Unreferenced{path.string(), "no recording is called like it"};
}

// As a shell lists `*`: without hidden files.
Result<std::vector<std::string>> recordings_in(const std::string& folder, Corpus& corpus) {
    std::error_code error;
    std::vector<std::filesystem::path> others;
    std::vector<std::string> recordings;
    std::set<std::string> names;
    for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end;
         each.increment(error)) {
        const std::string name = each->path().filename().string();
        std::error_code ignored;
        if (name.starts_with('.') || each->is_directory(ignored)) {
            continue;
        }
        if (name.ends_with(kExtension)) {
            recordings.push_back(each->path().string());
            names.insert(name);
        } else {
            others.push_back(each->path());
        }
    }
    if (error) {
        return core::fail(ErrorCode::io, folder + ": " + error.message());
    }
    std::ranges::sort(recordings);
    std::ranges::sort(others);
    for (const std::filesystem::path& other : others) {
        if (auto found = unreferenced(other, names)) {
            corpus.unreferenced.push_back(*std::move(found));
        }
    }
    return recordings;
}

// What a recording says by itself.

// What stands further behind in an input is a list, in which a place has no meaning.
constexpr std::size_t kMostInputBytes = 256;

void add_inputs(const replay::TickChunk& chunk, std::uint32_t players, Exercise& exercise) {
    for (std::uint32_t i = 0; i < chunk.ticks(); ++i) {
        for (const replay::InputChange& change : chunk.changes(i)) {
            const auto bytes = chunk.bytes_of(change);
            auto& bits = exercise.inputs.at(change.column == players ? 1 : 0);
            bits.resize(std::max(bits.size(), std::min(bytes.size(), kMostInputBytes)));
            for (std::size_t n = 0; n < std::min(bytes.size(), bits.size()); ++n) {
                bits[n] |= bytes[n];
            }
        }
    }
}

Result<Exercise> exercise_of(const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(path));
    const replay::RecordingHead& head = reader.head();
    const replay::TickHashes initial = reader.initial();
    const bool has_parts = head.stride().has_parts();
    std::vector<bool> changed(head.part_names.size());
    Exercise exercise;
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto* chunk, reader.next());
        if (chunk == nullptr) {
            break;
        }
        add_inputs(*chunk, head.session.players, exercise);
        for (std::uint32_t i = 0; i < chunk->ticks(); ++i) {
            const auto parts = chunk->part_hashes(i);
            for (std::size_t n = 0; n < parts.size(); ++n) {
                changed[n] = changed[n] || parts[n] != initial.parts[n];
            }
            const auto state = chunk->state_hash(i);
            changed[0] = changed[0] || (!has_parts && state && *state != initial.state);
        }
    }
    for (std::size_t n = 0; n < changed.size(); ++n) {
        if (changed[n]) {
            exercise.parts.push_back(head.part_names[n]);
        }
    }
    return exercise;
}

Result<CorpusRecording> look_at(const std::string& path) {
    CorpusRecording one;
    one.path = path;
    const auto in_it = [&path](const core::Error& error) { return about(path, error); };
    ISOTICK_TRY_ASSIGN(one.survey, replay::survey(path).map_error(in_it));
    if (!one.survey.damages.empty()) {
        const replay::Damage& damage = one.survey.damages.front();
        return tl::unexpected(
            core::Error{ErrorCode::damaged, damage.reason, path, damage.offset, {}});
    }
    ISOTICK_TRY_ASSIGN(one.exercise, exercise_of(path).map_error(in_it));
    return one;
}

Result<Corpus> look_at_all(const std::vector<std::string>& places) {
    Corpus corpus;
    for (const std::string& place : places) {
        std::error_code error;
        std::vector<std::string> paths{place};
        if (std::filesystem::is_directory(place, error)) {
            ISOTICK_TRY_ASSIGN(paths, recordings_in(place, corpus));
        }
        for (const std::string& path : paths) {
            auto one = look_at(path);
            if (one) {
                corpus.recordings.push_back(*std::move(one));
            } else {
                corpus.damaged.push_back(one.error());
                corpus.verdict = graver(corpus.verdict, Verdict::unreadable);
            }
        }
    }
    return corpus;
}

// What its simulation says.

// A recording that the simulation cannot begin with is stale. Those that begin alike are tried
// once, unless all are replayed.
Result<void> try_out(const std::vector<CorpusRecording*>& recordings,
                     const harness::SimulationName& simulation, const CorpusOptions& options,
                     const Prepared& prepared, Verdict& verdict) {
    std::vector<replay::RecordingHead> heads;
    std::vector<harness::TrialPlan> plans;
    std::vector<std::size_t> plan_of;
    for (const CorpusRecording* const one : recordings) {
        replay::RecordingHead head = one->survey.head;
        head.notes = {};
        head.session.seed = 0;
        const auto same = options.replay ? heads.end() : std::ranges::find(heads, head);
        plan_of.push_back(static_cast<std::size_t>(same - heads.begin()));
        if (same == heads.end()) {
            heads.push_back(std::move(head));
            harness::TrialPlan& plan = plans.emplace_back();
            plan.recording = one->path;
            plan.environment = prepared.environment;
            plan.notes_reached = options.replay;
            plan.most_steps = options.replay ? 0 : 1;
        }
    }
    ISOTICK_TRY_ASSIGN(const auto results,
                       harness::in_worker_processes(simulation, prepared.worker)(
                           plans, harness::Isolation::forked));
    for (std::size_t i = 0; i < recordings.size(); ++i) {
        CorpusRecording& one = *recordings[i];
        const harness::TrialResult& result = results[plan_of[i]];
        if (result.refused ||
            (result.failed_in && result.failed_in->activity == harness::Activity::creating)) {
            one.stale = result.refused ? result.refused->message : result.reason;
            verdict = graver(verdict, Verdict::inconclusive);
        } else if (options.replay) {
            one.replayed = result.verdict;
            one.exercise.checkpoints = result.reached;
            verdict = graver(verdict, result.verdict);
            if (result.verdict != Verdict::identical) {
                one.stale = fmt::format(
                    "its nominal replay ended {}{}", in_words(result.verdict),
                    result.divergence
                        ? " at " + harness::describe_state(result.divergence->computed.ticks_done)
                        : ": " + result.reason);
            }
        }
    }
    return {};
}

Result<void> ask_simulations(const CorpusOptions& options, const CommandFrame& frame,
                             Corpus& corpus) {
    ISOTICK_TRY_ASSIGN(const auto prepared, prepare(options, "replay", frame.console));
    std::map<harness::SimulationName, std::vector<CorpusRecording*>> by_simulation;
    for (CorpusRecording& one : corpus.recordings) {
        const auto simulation = simulation_of(one.survey.head, options.simulation);
        if (simulation.is_recorded() && !frame.catalog.find_built_in(simulation.text())) {
            corpus.unchecked.insert(simulation.text());
        } else {
            by_simulation[simulation].push_back(&one);
        }
    }
    for (const auto& [simulation, recordings] : by_simulation) {
        // Else a wrong --sim would make all of them stale.
        ISOTICK_TRY(facts_from_worker(simulation, prepared.worker));
        ISOTICK_TRY(try_out(recordings, simulation, options, prepared, corpus.verdict));
    }
    return {};
}

// How long they take. A session that several results have, as long as it ever took.
Result<void> add_durations(const std::vector<std::string>& places, Corpus& corpus) {
    ISOTICK_TRY_ASSIGN(const auto paths, result_files(places));
    std::map<std::string, double> seconds;
    for (const std::string& path : paths) {
        ISOTICK_TRY_ASSIGN(const auto report, read_result(path));
        for (const ReportedRecording& one : report.recordings) {
            if (one.result.contains("session_digest") && !one.from_cache) {
                double& longest = seconds[one.result["session_digest"].dump()];
                longest = std::max(longest, one.seconds);
            }
        }
    }
    for (CorpusRecording& one : corpus.recordings) {
        const auto known = seconds.find(Json(to_string(one.survey.session_digest)).dump());
        if (known != seconds.end()) {
            one.seconds = known->second;
        }
    }
    return {};
}

// Of those with unknown durations nothing says that they are short.
void sort_longest_first(std::vector<CorpusRecording>& recordings) {
    std::ranges::stable_sort(recordings, [](const CorpusRecording& a, const CorpusRecording& b) {
        return std::tuple(a.seconds.has_value(), -a.seconds.value_or(0), b.survey.ticks) <
               std::tuple(b.seconds.has_value(), -b.seconds.value_or(0), a.survey.ticks);
    });
}

// Which few exercise what all do.

// In words, of any simulation.
std::vector<std::string> exercised(const CorpusRecording& one) {
    const std::string of = one.survey.head.session.simulation + "\n";
    std::vector<std::string> all{of};
    for (const std::string& name : one.exercise.checkpoints) {
        all.push_back(of + "checkpoint " + name);
    }
    for (const std::string& name : one.exercise.parts) {
        all.push_back(of + "part " + name);
    }
    for (std::size_t column = 0; column < one.exercise.inputs.size(); ++column) {
        const auto& bits = one.exercise.inputs.at(column);
        for (std::size_t bit = 0; bit < bits.size() * 8; ++bit) {
            if ((bits[bit / 8] >> bit % 8 & 1U) != 0) {
                all.push_back(fmt::format("{}input {} {}", of, column, bit));
            }
        }
    }
    return all;
}

// The greedy set cover: again and again the recording that adds most, of several the one with the
// fewest ticks, then by name. Source: Chvátal, "A Greedy Heuristic for the Set-Covering Problem".
void choose_cover(std::vector<CorpusRecording>& recordings) {
    struct Candidate {
        CorpusRecording* recording;
        std::vector<std::size_t> adds;
    };
    std::map<std::string, std::size_t> numbers;
    std::vector<Candidate> candidates;
    for (CorpusRecording& one : recordings) {
        if (!one.stale.empty()) {
            continue;
        }
        Candidate& candidate = candidates.emplace_back(Candidate{&one, {}});
        for (std::string& name : exercised(one)) {
            candidate.adds.push_back(
                numbers.emplace(std::move(name), numbers.size()).first->second);
        }
        std::ranges::sort(candidate.adds);
    }
    std::ranges::sort(candidates, {}, [](const Candidate& one) {
        return std::pair(one.recording->survey.ticks, std::string_view(one.recording->path));
    });
    while (!candidates.empty()) {
        const auto best = std::ranges::max_element(
            candidates, {}, [](const Candidate& one) { return one.adds.size(); });
        best->recording->chosen = true;
        const std::vector<std::size_t> covered = best->adds;
        for (Candidate& one : candidates) {
            std::vector<std::size_t> left;
            std::ranges::set_difference(one.adds, covered, std::back_inserter(left));
            one.adds = std::move(left);
        }
        std::erase_if(candidates, [](const Candidate& one) { return one.adds.empty(); });
    }
}

// What is shown.

std::string notes_text(const core::Settings& notes) {
    std::string text;
    for (const auto& [key, value] : notes.entries()) {
        if (key != kScheduleNote && key != kLoopNote) {
            text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
        }
    }
    return text.empty() ? "" : "  (" + printable(text) + ")";
}

std::string table_text(const std::vector<CorpusRecording>& recordings) {
    constexpr std::size_t kDigits = 16;  // of the digest: enough to tell sessions apart
    std::size_t width = std::string_view("simulation").size();
    for (const CorpusRecording& one : recordings) {
        width = std::max(width, printable(one.survey.head.session.simulation).size());
    }
    std::string text = fmt::format("{:>12}{:>15}{:>10}  {:<16}  {:<{}}  recording\n", "ticks",
                                   "bytes", "seconds", "session", "simulation", width);
    for (const CorpusRecording& one : recordings) {
        text += fmt::format("{:>12}{:>15}{:>10}  {}  {:<{}}  {}{}\n", grouped(one.survey.ticks),
                            grouped(one.survey.bytes),
                            one.seconds ? fmt::format("{:.2f}", *one.seconds) : "-",
                            to_string(one.survey.session_digest).substr(0, kDigits),
                            printable(one.survey.head.session.simulation), width,
                            printable(one.path), notes_text(one.survey.head.notes));
    }
    return text;
}

std::string corpus_text(const Corpus& corpus) {
    std::string text = corpus.recordings.empty() ? "" : table_text(corpus.recordings) + "\n";
    std::string chosen;
    std::size_t chosen_count = 0;
    std::uint64_t ticks = 0;
    for (const CorpusRecording& one : corpus.recordings) {
        text += one.stale.empty() ? "" : row("stale", one.path + ": " + one.stale);
        text += one.survey.is_unfinished() ? row("unfinished", one.path) : "";
        chosen += one.chosen ? row("cover", one.path) : "";
        chosen_count += one.chosen ? 1 : 0;
        ticks += one.survey.ticks;
    }
    for (const Unreferenced& one : corpus.unreferenced) {
        text += row("other", one.path + ": " + one.reason);
    }
    for (const std::string& name : corpus.unchecked) {
        text += row("unchecked", "recordings of " + name + ": name the build with --sim");
    }
    return text + chosen +
           fmt::format("{}, {}; the same is exercised by {} of them\n",
                       counted(corpus.recordings.size(), "recording"), counted(ticks, "tick"),
                       grouped(chosen_count));
}

Json exercise_json(const CorpusRecording& one) {
    return {{"checkpoints", one.replayed ? Json(one.exercise.checkpoints) : Json(nullptr)},
            {"inputs", harness::hex_bytes(one.exercise.inputs[0])},
            {"world_inputs", harness::hex_bytes(one.exercise.inputs[1])},
            {"parts", one.exercise.parts}};
}

std::string corpus_json(const Corpus& corpus) {
    Json recordings = Json::array();
    Json damaged = Json::array();
    Json unreferenced = Json::array();
    Json cover = Json::array();
    for (const CorpusRecording& one : corpus.recordings) {
        recordings.push_back(
            {{"recording", one.path},
             {"session", session_json(one.survey.head.session)},
             {"session_digest", to_string(one.survey.session_digest)},
             {"hash_digest", to_string(one.survey.hash_digest)},
             {"notes", settings_json(one.survey.head.notes)},
             {"bytes", one.survey.bytes},
             {"ticks", one.survey.ticks},
             {"unfinished", one.survey.is_unfinished()},
             {"seconds", optional_json(one.seconds)},
             {"stale", text_json(one.stale)},
             {"replay", one.replayed ? Json(to_string(*one.replayed)) : Json(nullptr)},
             {"exercises", exercise_json(one)}});
        if (one.chosen) {
            cover.push_back(one.path);
        }
    }
    for (const core::Error& error : corpus.damaged) {
        damaged.push_back({{"recording", error.file}, {"reason", describe(error)}});
    }
    for (const Unreferenced& one : corpus.unreferenced) {
        unreferenced.push_back({{"path", one.path}, {"reason", one.reason}});
    }
    return document({{"recordings", std::move(recordings)},
                     {"damaged", std::move(damaged)},
                     {"unreferenced", std::move(unreferenced)},
                     {"unchecked", corpus.unchecked},
                     {"cover", std::move(cover)}});
}

// For other programs to read: their bytes, but on a terminal.
Result<void> print_paths(const Corpus& corpus, bool only_chosen, Console& console) {
    std::string paths;
    for (const CorpusRecording& one : corpus.recordings) {
        if (only_chosen && !one.chosen) {
            continue;
        }
        if (one.path.find('\n') != one.path.npos) {
            return core::fail(ErrorCode::usage,
                              one.path + ": a name with a line feed cannot be listed in a line");
        }
        paths += one.path + "\n";
    }
    if (isatty(STDOUT_FILENO) == 1) {
        console.print(paths);
        return {};
    }
    ISOTICK_TRY_ASSIGN(auto out, OutputFile::create("-", false));
    ISOTICK_TRY(out.write(paths));
    return out.complete();
}

Result<int> corpus(const CorpusOptions& options, const CommandFrame& frame) {
    ISOTICK_TRY_ASSIGN(auto corpus, look_at_all(options.places));
    for (const core::Error& error : corpus.damaged) {
        frame.console.error(describe(error));
    }
    ISOTICK_TRY(ask_simulations(options, frame, corpus));
    ISOTICK_TRY(add_durations(options.results, corpus));
    if (options.order == "longest") {
        sort_longest_first(corpus.recordings);
    }
    choose_cover(corpus.recordings);
    if (corpus.recordings.empty()) {
        corpus.verdict = graver(corpus.verdict, Verdict::inconclusive);
    }
    if (options.paths || options.cover) {
        ISOTICK_TRY(print_paths(corpus, options.cover, frame.console));
    } else {
        frame.console.print(options.json ? corpus_json(corpus) : corpus_text(corpus));
    }
    return exit_code(corpus.verdict);
}

Action declare_corpus(OptionList& list, CommandFrame& frame) {
    auto options = common_options<CorpusOptions>(list, frame);
    list.arguments("recordings", options->places,
                   "Folders of recordings (*.isotick), or recordings");
    add_simulation(list, *options, "Replaces the simulation that the recordings name");
    list.choice("--order", options->order, {"name", "longest"},
                "longest: by what they took, as --results says, then by ticks");
    list.texts("--results", options->results, "FILE|FOLDER",
               "Results of verify (--report result:FILE), which say how long each took");
    list.flag("--replay", options->replay,
              "Replay each once: is it identical, and which checkpoints does it pass?");
    list.flag("--paths", options->paths, "Print only their paths");
    list.flag("--cover", options->cover,
              "Print only the paths of few recordings that exercise the same as all");
    list.excludes("--json", {"--paths", "--cover"});
    list.excludes("--paths", {"--cover"});
    add_worker(list, options->worker, true);
    return [options, &frame] {
        const auto code = corpus(*options, frame);
        return code ? *code : fail_with(code.error(), frame.console);
    };
}

}  // namespace

extern const Command kCorpusCommand;
const Command kCorpusCommand{
    "corpus", "Say what a folder of recordings holds, and which few suffice",
    "Example:\n"
    "  isotick corpus recordings\n"
    "  isotick corpus recordings --order longest --paths | parallel isotick verify --jobs 1\n"
    "  isotick verify $(isotick corpus recordings --replay --cover)\n"
    "\n"
    "Recordings exercise the same if they pass the same checkpoints (with --replay),\n"
    "set the same bits of inputs, and change the same parts of the state.",
    declare_corpus};

}  // namespace isotick::program
