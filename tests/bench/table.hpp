#pragma once
// What is measured, what it should be, and the table that says so.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

namespace isotick::bench {

/// A number that was promised.
struct Goal {
    enum class Kind { at_least, at_most };
    Kind kind;
    double number;

    [[nodiscard]] bool met(double measured) const {
        return kind == Kind::at_least ? measured >= number : measured <= number;
    }
};

[[nodiscard]] constexpr Goal at_least(double number) {
    return {Goal::Kind::at_least, number};
}
[[nodiscard]] constexpr Goal at_most(double number) {
    return {Goal::Kind::at_most, number};
}

/// One line of the table: a counter of a benchmark.
struct Row {
    std::string counter;  ///< as the benchmark calls it
    std::string text;     ///< what it is, with its unit
    int digits = 0;       ///< behind the decimal point
    std::optional<Goal> goal{};
};

/// Collects the counters of all benchmarks while they run (progress goes to stderr).
class TableReporter : public benchmark::BenchmarkReporter {
  public:
    /// `judges`: whether numbers are held against goals; those of small runs mean nothing.
    explicit TableReporter(bool judges) : judges_(judges) {}

    /// The rows of `benchmark`, in the order in which the table is to show them.
    void expect(const std::string& benchmark, std::vector<Row> rows);

    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;

    /// Prints the table of what was run to stdout. False if a benchmark failed or did not give a
    /// number that it promised.
    [[nodiscard]] bool print() const;

  private:
    struct Expected {
        std::string benchmark;
        std::vector<Row> rows;
    };

    // False if a number is missing.
    bool print_rows(const std::vector<Row>& rows, const benchmark::UserCounters& counters) const;

    bool judges_;
    std::vector<Expected> expected_;
    std::map<std::string, benchmark::UserCounters> measured_;
    std::map<std::string, std::string> failed_;
};

}  // namespace isotick::bench
