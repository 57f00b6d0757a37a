#include "table.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>

namespace isotick::bench {
namespace {

// `error_occurred` until Google Benchmark 1.7, `skipped` from 1.8 on.
template <class Run>
bool has_failed(const Run& run) {
    if constexpr (requires { run.error_occurred; }) {
        return run.error_occurred;
    } else {
        return static_cast<int>(run.skipped) != 0;
    }
}

template <class Run>
std::string failure_of(const Run& run) {
    if constexpr (requires { run.error_message; }) {
        return run.error_message;
    } else {
        return run.skip_message;
    }
}

std::string number_text(double number, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, number);
    return text;
}

std::string goal_text(const Row& row) {
    if (!row.goal) {
        return "";
    }
    const char* sign = row.goal->kind == Goal::Kind::at_least ? ">= " : "<= ";
    return sign + number_text(row.goal->number, row.digits);
}

// How busy the machine was during the last minute, as the system puts it.
std::string load_average() {
    std::ifstream file("/proc/loadavg");
    std::string load;
    file >> load;
    return load.empty() ? "unknown" : load;
}

void print_line(const std::string& text, const std::string& goal, const std::string& number,
                const char* met) {
    std::printf("%-66s %9s %10s  %s\n", text.c_str(), goal.c_str(), number.c_str(), met);
}

}  // namespace

void TableReporter::expect(const std::string& benchmark, std::vector<Row> rows) {
    expected_.push_back({benchmark, std::move(rows)});
}

bool TableReporter::ReportContext(const Context& context) {
    std::printf("%d processors, load %s at the start\n", context.cpu_info.num_cpus,
                load_average().c_str());
    return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
    for (const Run& run : runs) {
        const std::string& name = run.run_name.function_name;
        std::cerr << name << (has_failed(run) ? ": " + failure_of(run) : "") << '\n';
        if (has_failed(run)) {
            failed_[name] = failure_of(run);
        } else {
            measured_[name] = run.counters;
        }
    }
}

bool TableReporter::print() const {
    std::printf("load %s at the end\n\n", load_average().c_str());
    print_line("measure", "goal", "number", "met");
    bool complete = true;
    for (const Expected& one : expected_) {
        const auto failure = failed_.find(one.benchmark);
        const auto counters = measured_.find(one.benchmark);
        if (failure != failed_.end()) {
            std::printf("%s failed: %s\n", one.benchmark.c_str(), failure->second.c_str());
            complete = false;
        } else if (counters != measured_.end()) {
            complete = print_rows(one.rows, counters->second) && complete;
        }
    }
    return complete;
}

bool TableReporter::print_rows(const std::vector<Row>& rows,
                               const benchmark::UserCounters& counters) const {
    bool complete = true;
    for (const Row& row : rows) {
        const auto counter = counters.find(row.counter);
        if (counter == counters.end()) {
            print_line(row.text, "", "missing", "");
            complete = false;
            continue;
        }
        const double number = counter->second.value;
        const bool judged = judges_ && row.goal;
        print_line(row.text, judged ? goal_text(row) : "", number_text(number, row.digits),
                   !judged                 ? ""
                   : row.goal->met(number) ? "yes"
                                           : "NO");
    }
    return complete;
}

}  // namespace isotick::bench
