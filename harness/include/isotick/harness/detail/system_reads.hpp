#pragma once
// What a simulation asked the system for in a trial.

#include <isotick/harness/detail/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace isotick::harness {

/// What a call asks the system for: the time, random numbers, the names of machine and user, the
/// entries of folders, the number of processors, that of the process; the processor for its
/// timestamp counter; and the C++ library for buckets of an unordered container.
enum class Source : std::uint32_t {
    clock,
    chance,
    names,
    directories,
    cores,
    process,
    counter,
    containers
};
inline constexpr std::size_t kSources = 8;

/// Where a call came from: an address behind it.
struct CallSite {
    std::string file;          ///< path of the program or library; empty: not known
    std::uint64_t offset = 0;  ///< from where it is loaded
    std::string function{};    ///< set where `file` is source code, and `offset` the line in it
    friend bool operator==(const CallSite&, const CallSite&) = default;
};

/// Code in a function, as debug information has it.
struct CodePlace {
    std::string function;    ///< `Lander::step`, or `game.so+0x1234` where it has no name
    std::string file;        ///< its source file's path; empty: not known
    std::uint64_t line = 0;  ///< from 1; 0: not known
    friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

struct SystemCall {
    std::string name;  ///< `clock_gettime`
    Place place;  ///< in which call of the simulation; its steps do not count. Starting: not known
    std::vector<CallSite> sites;  ///< the innermost first
    std::uint64_t from = 0;       ///< the same for all calls of that name from these sites
    friend bool operator==(const SystemCall&, const SystemCall&) = default;
};

/// How often a source was asked in a trial, and the first call from each place: at most four while
/// the simulation was created, and four later.
struct SystemReads {
    Source source = Source::clock;
    std::uint64_t count = 0;
    std::vector<SystemCall> first;
    friend bool operator==(const SystemReads&, const SystemReads&) = default;
};

}  // namespace isotick::harness
