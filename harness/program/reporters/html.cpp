// Reports as one HTML file: the page of html/ with its style, its script and the report as JSON.

#include "reporter.hpp"

#include <isotick/harness/detail/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {

// From report.html, report.css and report.js, and of uPlot (html/embed.cmake). Those of uPlot are
// empty where the program was built without it.
extern const std::string_view kReportHtml;
extern const std::string_view kReportCss;
extern const std::string_view kReportJs;
extern const std::string_view kUplotLicense;
extern const std::string_view kUplotCss;
extern const std::string_view kUplotJs;

namespace {

constexpr std::string_view kStylePlace = "<!--STYLE-->";
constexpr std::string_view kPicturesPlace = "<!--PICTURES-->";
constexpr std::string_view kScriptsPlace = "<!--SCRIPTS-->";

// The characters that end a line for some readers of scripts, though not in JSON: U+2028, U+2029.
constexpr std::string_view kLineSeparator = "\xe2\x80\xa8";
constexpr std::string_view kParagraphSeparator = "\xe2\x80\xa9";

// So that nothing in it can end or change the script element that holds it. JSON has none of these
// characters but in strings.
void append_in_script(std::string& page, std::string_view json) {
    for (std::size_t at = 0; at < json.size(); ++at) {
        if (json[at] == '<') {
            page += "\\u003c";
        } else if (json.substr(at).starts_with(kLineSeparator)) {
            page += "\\u2028";
            at += kLineSeparator.size() - 1;
        } else if (json.substr(at).starts_with(kParagraphSeparator)) {
            page += "\\u2029";
            at += kParagraphSeparator.size() - 1;
        } else {
            page += json[at];
        }
    }
}

// Of the explained failure, the page has this many fields. Of the others it has only at which tick
// they differ: a browser could not hold all of a hundred thousand failed trials.
constexpr std::size_t kMostFields = 50;
constexpr std::size_t kMostCommands = 10;

Json shortened(const Json& failure, bool with_command) {
    Json kept;
    for (const char* name : {"trial", "verdict", "drive"}) {
        kept[name] = failure.at(name);
    }
    if (with_command) {
        kept["reproduce"] = failure.at("reproduce");
    }
    const Json& divergence = failure.at("divergence");
    kept["tick"] =
        divergence.is_null()
            ? Json(nullptr)
            : last_tick_json(divergence.at("computed").at("ticks_done").get<std::uint64_t>());
    return kept;
}

void cut_fields(Json& failure) {
    if (failure.at("explanation").is_null()) {
        return;
    }
    Json& listed = failure["explanation"]["fields"]["listed"];
    if (listed.is_array() && listed.size() > kMostFields) {
        listed.erase(listed.begin() + kMostFields, listed.end());
    }
}

Json for_page(const ReportedRecording& one, Json result) {
    if (!result.contains("failures")) {
        Json peers = result.contains("shown") && !result["shown"].is_null()
                         ? result["shown"].at("peers")
                         : Json::array();
        return {{"recording", one.recording},
                {"peers", std::move(peers)},
                {"verdict", to_string(one.verdict)},
                {"reasons", one.reason.empty() ? Json::array() : Json::array({one.reason})},
                {"ticks", one.ticks},
                {"trials", one.trials_run},
                {"trials_identical", one.trials_identical}};
    }
    Json failures = Json::array();
    bool is_explained = false;
    for (Json& failure : result["failures"]) {
        const bool is_whole =
            !is_explained && (!failure.at("explanation").is_null() ||
                              !failure.at("frames").is_null() || result["failures"].size() == 1);
        is_explained = is_explained || is_whole;
        if (is_whole) {
            cut_fields(failure);
        }
        failures.push_back(is_whole ? std::move(failure)
                                    : shortened(failure, failures.size() < kMostCommands));
    }
    result["failures"] = std::move(failures);
    return result;
}

Json findings_for_page(const std::vector<CommonFailure>& findings, const Report& report) {
    Json list = Json::array();
    for (const CommonFailure& finding : findings) {
        Json recordings = Json::array();
        for (const std::size_t place : finding.recordings) {
            recordings.push_back(report.recordings[place].recording);
        }
        const ReportedRecording& smallest = report.recordings[finding.smallest];
        list.push_back({{"number", list.size() + 1},
                        {"verdict", to_string(finding.verdict)},
                        {"title", title_of(finding, report)},
                        {"smallest", smallest.recording},
                        {"recordings", std::move(recordings)}});
    }
    return list;
}

Json recordings_for_page(const std::vector<CommonFailure>& findings, const Report& report) {
    Json list = Json::array();
    for (std::size_t i = 0; i < report.recordings.size(); ++i) {
        const ReportedRecording& one = report.recordings[i];
        const CommonFailure* finding = finding_with(findings, i);
        list.push_back(
            {{"recording", one.recording},
             {"verdict", to_string(one.verdict)},
             {"finding", finding == nullptr ? Json(nullptr) : Json(finding - findings.data() + 1)},
             {"page", without_colors(one.page)},
             {"rows", rows_json(one.rows)},
             {"result", for_page(one, shown_result(findings, report, i))}});
    }
    return list;
}

// Pictures are markup, so they are no part of the JSON, whose texts never are.
void append_pictures(std::string& page, const Report& report) {
    for (std::size_t i = 0; i < report.recordings.size(); ++i) {
        if (const std::string& picture = report.recordings[i].time_line; !picture.empty()) {
            page += fmt::format("<template id=\"time-line-{}\">{}</template>\n", i, picture);
        }
    }
}

std::string report_html(const Report& report) {
    const std::vector<CommonFailure> findings = findings_of(report);
    const std::string json = in_one_line({{"format", "isotick report 1"},
                                          {"command", report.command},
                                          {"isotick", harness::kVersion},
                                          {"verdict", to_string(report.verdict)},
                                          {"summary", summary_of(findings, report)},
                                          {"partial", left_out(report) > 0},
                                          {"findings", findings_for_page(findings, report)},
                                          {"recordings", recordings_for_page(findings, report)}});
    std::string page;
    page.reserve(kReportHtml.size() + kReportCss.size() + kReportJs.size() + kUplotJs.size() +
                 json.size());
    std::size_t copied = 0;
    const auto copy_to = [&](std::string_view place) {
        const std::size_t at = kReportHtml.find(place, copied);
        page += kReportHtml.substr(copied, at - copied);
        copied = at + place.size();
    };
    copy_to(kStylePlace);
    page += "<style>\n";
    page += kUplotCss;
    page += kReportCss;
    page += "</style>";
    copy_to(kPicturesPlace);
    append_pictures(page, report);
    copy_to(kScriptsPlace);
    page += "<script type=\"application/json\" id=\"report\">";
    append_in_script(page, json);
    page += "</script>\n";
    if (!kUplotJs.empty()) {
        page +=
            fmt::format("<script id=\"uplot\">/*\n{}\n*/\n{}</script>\n", kUplotLicense, kUplotJs);
    }
    page += "<script>\n";
    page += kReportJs;
    page += "</script>";
    page += kReportHtml.substr(copied);
    return page;
}

}  // namespace

extern const Reporter kHtmlReporter;
const Reporter kHtmlReporter{"html", "report.html", report_html};

}  // namespace isotick::program
