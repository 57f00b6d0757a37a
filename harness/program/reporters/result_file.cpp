#include "result_file.hpp"

#include "../../src/bisect/tool.hpp"
#include "recording_share.hpp"
#include "reporter.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/harness/detail/version.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {

using core::ErrorCode;
using core::Result;
using harness::Verdict;

// Members once, for both directions.

namespace {

constexpr const char* kFormat = "isotick result 1";

template <class T, class Visit>
void visit_members(T& one, const Visit& visit) {  // T: ReportedRecording, or const
    visit("recording", one.recording);
    visit("simulation", one.simulation);
    visit("reason", one.reason);
    visit("ticks", one.ticks);
    visit("trials", one.trials);
    visit("trials_run", one.trials_run);
    visit("trials_identical", one.trials_identical);
    visit("seed", one.seed);
    visit("drive", one.drive);
    visit("page", one.page);
    visit("cause", one.signature.cause);
    visit("parts", one.signature.parts);
    visit("phase", one.signature.phase);
    visit("fields", one.fields);
    visit("from_cache", one.from_cache);
    visit("left_out", one.left_out);
    visit("seconds", one.seconds);
    visit("fails_strictly", one.fails_strictly);
}

constexpr std::array kVerdicts{Verdict::identical,  Verdict::diverged,    Verdict::nondeterministic,
                               Verdict::crashed,    Verdict::timed_out,   Verdict::stalled,
                               Verdict::unreadable, Verdict::inconclusive};

// Throws what nlohmann's `get` throws.
Verdict verdict_of(const Json& text) {
    const auto word = text.get<std::string>();
    const auto found =
        std::ranges::find_if(kVerdicts, [&word](Verdict one) { return to_string(one) == word; });
    if (found == kVerdicts.end()) {
        throw std::out_of_range("there is no verdict '" + word + "'");
    }
    return *found;
}

}  // namespace

Json result_of(const ReportedRecording& one) {
    Json json;
    visit_members(one, [&json](const char* name, const auto& value) { json[name] = value; });
    json["verdict"] = to_string(one.verdict);
    json["rows"] = rows_json(one.rows);
    json["result"] = one.result;
    json["share"] = one.share ? share_json(*one.share) : Json(nullptr);
    return json;
}

namespace {

// An object would do as well for nlohmann.
std::vector<std::string> texts_from(const Json& json) {
    std::vector<std::string> texts;
    for (const Json& one : json.get_ref<const Json::array_t&>()) {
        texts.push_back(one.get<std::string>());
    }
    return texts;
}

}  // namespace

ReportedRecording recording_of(const Json& json) {
    ReportedRecording one;
    visit_members(one, [&json](const char* name, auto& value) {
        const Json& member = json.at(name);
        if constexpr (std::is_same_v<decltype(value), std::vector<std::string>&>) {
            value = texts_from(member);
        } else {
            member.get_to(value);
        }
    });
    one.verdict = verdict_of(json.at("verdict"));
    for (const Json& row : json.at("rows").get_ref<const Json::array_t&>()) {
        one.rows.push_back({row.at("name").get<std::string>(), row.at("text").get<std::string>(),
                            texts_from(row.at("lines")), row.at("command").get<bool>()});
    }
    one.result = json.at("result");
    if (const Json& share = json.at("share"); !share.is_null()) {
        one.share = std::make_shared<RecordingShare>(share_from(share));
    }
    return one;
}

namespace {

constexpr const char* kByTrials = "trials";
constexpr const char* kByRecordings = "recordings";

const char* split_by(const Shard& shard) {
    return shard.by_trials ? kByTrials : kByRecordings;
}

Shard shard_from(const Json& json) {
    Shard shard;
    json.at("shard").get_to(shard.number);
    json.at("shards").get_to(shard.count);
    const auto split = json.at("split_by").get<std::string>();
    shard.by_trials = split == kByTrials;
    if (shard.number == 0 || shard.number > shard.count ||
        (!shard.by_trials && split != kByRecordings)) {
        throw std::out_of_range("there is no such shard");
    }
    return shard;
}

// A recording that could not be verified has no share of the trials.
void check_share(const ReportedRecording& one, const Shard& shard) {
    const bool has_share = one.share != nullptr;
    const harness::TrialShare own{shard.number, shard.count};
    if ((has_share && (!shard.by_trials || one.share->report.grounds.share != own)) ||
        (!has_share && shard.by_trials && one.trials_run > 0)) {
        throw std::out_of_range("a recording's trials are of another shard");
    }
}

Report report_from(const Json& json) {
    Report report;
    json.at("command").get_to(report.command);
    report.verdict = verdict_of(json.at("verdict"));
    json.at("all_pages").get_to(report.all_pages);
    json.at("run").get_to(report.run);
    report.asked = texts_from(json.at("asked"));
    report.shard = shard_from(json);
    for (const Json& one : json.at("recordings").get_ref<const Json::array_t&>()) {
        report.recordings.push_back(recording_of(one));
        check_share(report.recordings.back(), report.shard);
    }
    return report;
}

std::string result_text(const Report& report) {
    Json recordings = Json::array();
    for (const ReportedRecording& one : report.recordings) {
        ReportedRecording plain = one;
        plain.page = without_colors(one.page);
        recordings.push_back(result_of(plain));
    }
    return document({{"format", kFormat},
                     {"isotick", harness::kVersion},
                     {"command", report.command},
                     {"verdict", to_string(report.verdict)},
                     {"all_pages", report.all_pages},
                     {"run", report.run},
                     {"shard", report.shard.number},
                     {"shards", report.shard.count},
                     {"split_by", split_by(report.shard)},
                     {"asked", report.asked},
                     {"recordings", std::move(recordings)}});
}

tl::unexpected<core::Error> bad_result(const std::string& path, std::string why) {
    core::Error error{ErrorCode::damaged, std::move(why), {}, {}, {}};
    error.file = path;
    return tl::unexpected(std::move(error));
}

}  // namespace

std::string run_id(std::span<const char* const> arguments,
                   const std::vector<std::string>& but_for) {
    constexpr std::array<std::string_view, 4> kWithValue{"--shard", "--report", "--jobs",
                                                         "--cache"};
    constexpr std::array<std::string_view, 4> kAlone{"--json", "--no-cache", "-q", "--quiet"};
    core::StreamDigester digester;
    const auto add = [&digester](std::string_view word) {
        digester.update(std::as_bytes(std::span(word)));
        digester.update(std::uint64_t{word.size()});
    };
    add(harness::kVersion);
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        const std::string_view name = word.substr(0, word.find('='));
        if (std::ranges::count(kWithValue, name) > 0) {
            i += name == word ? 1U : 0U;
        } else if (std::ranges::count(kAlone, word) == 0 &&
                   !std::ranges::binary_search(but_for, word)) {
            add(word);
        }
    }
    return to_string(digester.value());
}

Result<std::vector<std::string>> result_files(const std::vector<std::string>& places) {
    std::vector<std::string> files;
    for (const std::string& place : places) {
        std::error_code error;
        if (!std::filesystem::is_directory(place, error)) {
            files.push_back(place);
            continue;
        }
        const std::size_t before = files.size();
        std::filesystem::directory_iterator each(place, error);
        for (; !error && each != std::filesystem::directory_iterator(); each.increment(error)) {
            if (each->path().extension() == ".json") {
                files.push_back(each->path().string());
            }
        }
        if (error || files.size() == before) {
            return core::fail(
                ErrorCode::io,
                place + ": " + (error ? error.message() : "no results (*.json) are there"));
        }
        std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    }
    return files;
}

Result<Report> read_result(const std::string& path) {
    ISOTICK_TRY_ASSIGN(const std::string text, harness::bisect::content_of_file(path));
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || json.value("format", Json()) != kFormat) {
        return bad_result(path, "is not a complete result of isotick verify --report result:FILE");
    }
    if (json.value("isotick", Json()) != harness::kVersion) {
        return bad_result(path, "is a result of another version of isotick");
    }
    try {
        return report_from(json);
    } catch (const std::exception& wrong) {
        std::string why = wrong.what();
        why.erase(0, why.starts_with('[') ? why.find(' ') + 1 : 0);  // nlohmann's own number
        return bad_result(path, "is damaged: " + why);
    }
}

namespace {

// The parts of one run, each there once.
class Parts {
  public:
    Parts(std::vector<Report> parts, const std::vector<std::string>& paths)
        : parts_(std::move(parts)), paths_(paths), next_(parts_.size()) {}

    [[nodiscard]] const Report& first() const { return parts_.front(); }
    [[nodiscard]] const std::string& path_of(std::uint32_t number) const {
        return paths_[known_.at(number)];
    }

    Result<void> check() {
        const std::uint32_t count = first().shard.count;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            ISOTICK_TRY(check_kin(i));
            const auto [before, is_new] = known_.emplace(parts_[i].shard.number, i);
            if (!is_new) {
                return bad_result(paths_[i],
                                  fmt::format("is part {} of {}, as {} is", before->first, count,
                                              paths_[before->second]));
            }
        }
        for (std::uint32_t number = 1; number <= count; ++number) {
            if (!known_.contains(number)) {
                return bad_result(
                    paths_.front(),
                    fmt::format("part {} of {} of this run is missing", number, count));
            }
        }
        return {};
    }

    // The next result of a part, which must be of this recording.
    Result<ReportedRecording> take(std::uint32_t number, const std::string& recording) {
        const std::size_t place = known_.at(number);
        auto& own = parts_[place].recordings;
        if (next_[place] == own.size() || own[next_[place]].recording != recording) {
            return bad_result(paths_[place], "has no result of " + recording);
        }
        return std::move(own[next_[place]++]);
    }

    Result<void> check_all_are_taken() const {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (next_[i] != parts_[i].recordings.size()) {
                return bad_result(paths_[i], "has results that its run did not ask for");
            }
        }
        return {};
    }

  private:
    [[nodiscard]] Result<void> check_kin(std::size_t place) const {
        const Report& part = parts_[place];
        const bool by_trials = part.shard.by_trials;
        if (by_trials != first().shard.by_trials) {
            return bad_result(paths_[place],
                              fmt::format("is split by {}, and {} by {}", split_by(part.shard),
                                          paths_.front(), split_by(first().shard)));
        }
        if (part.run != first().run || part.shard.count != first().shard.count ||
            part.asked != first().asked || part.command != first().command) {
            return bad_result(paths_[place],
                              "is of another run than " + paths_.front() +
                                  ": other recordings or options, or another isotick");
        }
        return {};
    }

    std::vector<Report> parts_;
    const std::vector<std::string>& paths_;
    std::vector<std::size_t> next_;
    std::map<std::uint32_t, std::size_t> known_{};  // places by number
};

// What all parts say of it together, where each has some of its trials.
Result<ReportedRecording> take_shares(Parts& parts, const std::string& recording,
                                      const Console& console) {
    std::vector<ReportedRecording> shares;
    std::vector<std::string> paths;
    for (std::uint32_t number = 1; number <= parts.first().shard.count; ++number) {
        ISOTICK_TRY_ASSIGN(auto share, parts.take(number, recording));
        shares.push_back(std::move(share));
        paths.push_back(parts.path_of(number));
    }
    return merge_shares(shares, paths, parts.first().all_pages, console);
}

}  // namespace

Result<Report> merge_results(std::vector<Report> all, const std::vector<std::string>& paths,
                             const Console& console) {
    Parts parts(std::move(all), paths);
    ISOTICK_TRY(parts.check());
    const Report& first = parts.first();
    Report whole{first.command, Verdict::identical, "", first.all_pages};
    whole.run = first.run;
    whole.asked = first.asked;
    for (const std::string& recording : whole.asked) {
        ISOTICK_TRY_ASSIGN(auto one,
                           first.shard.by_trials
                               ? take_shares(parts, recording, console)
                               : parts.take(shard_of(recording, first.shard.count), recording));
        whole.verdict = graver(whole.verdict, one.verdict);
        whole.recordings.push_back(std::move(one));
    }
    ISOTICK_TRY(parts.check_all_are_taken());
    return whole;
}

extern const Reporter kResultReporter;
const Reporter kResultReporter{"result", "result.json", result_text};

}  // namespace isotick::program
