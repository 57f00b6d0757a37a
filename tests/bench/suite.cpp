#include "suite.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace isotick::bench {

void Suite::add(const std::string& name, std::vector<Row> rows,
                std::function<void(benchmark::State&)> body) {
    table_.expect(name, std::move(rows));
    const auto guarded = [body = std::move(body)](benchmark::State& state) {
        try {
            body(state);
        } catch (const std::exception& thrown) {
            state.SkipWithError(thrown.what());
        }
    };
    auto* registered = benchmark::RegisterBenchmark(name.c_str(), guarded);
    if (small_) {
        registered->Iterations(1);
    }
}

void Suite::add_once(const std::string& name, std::vector<Row> rows,
                     std::function<void(benchmark::UserCounters&)> body) {
    table_.expect(name, std::move(rows));
    const auto guarded = [body = std::move(body)](benchmark::State& state) {
        try {
            for ([[maybe_unused]] auto once : state) {
                body(state.counters);
            }
        } catch (const std::exception& thrown) {
            state.SkipWithError(thrown.what());
        }
    };
    benchmark::RegisterBenchmark(name.c_str(), guarded)->Iterations(1);
}

benchmark::Counter nanoseconds_each(const benchmark::State& state, double count) {
    const double things = count * static_cast<double>(state.iterations());
    return {things * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert};
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace isotick::bench
