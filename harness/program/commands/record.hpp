#pragma once
// `isotick record`.

#include "../command/option_list.hpp"
#include "../options/options.hpp"

#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::program {

// What the options of `record`, and of commands that record first, ask for.

/// What a session is that is recorded.
struct RecordOptions : CommonOptions {
    std::string output;
    std::uint64_t ticks = 3600;
    std::string seed = "1";
    std::vector<std::string> config;
    std::optional<std::uint32_t> players;
    std::string rate;
    std::string inputs = "bot";    ///< empty: the bot, or where there is none from the seed
    std::string sample = "frame";  ///< or `tick`
    std::uint32_t hash_every = 1;
    std::uint32_t parts_every = 60;
    std::vector<std::string> notes;
    bool force = false;
};

/// Everything that decides what is recorded, into options.output. Fails with `usage` on options
/// that make no sense.
[[nodiscard]] core::Result<harness::RecordPlan> plan_record(const RecordOptions& options,
                                                            const Prepared& prepared,
                                                            const harness::SimulationFacts& facts);

/// What decides a session, its inputs excepted.
void add_session(OptionList& list, RecordOptions& options);

}  // namespace isotick::program
