// Whose machine it is: names, folders, locale, what is set up there.

#include "../arena.hpp"

#include <isotick/core/hash.hpp>

#include <array>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <pwd.h>
#include <unistd.h>

extern char** environ;

namespace isotick::controls {
namespace {

std::uint64_t hash_text(std::string_view text) {
    return core::hash_bytes(std::as_bytes(std::span(text)));
}

// A number that is drawn for each match, from something that is not the same everywhere.
template <class Where>
class MatchNumber : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::uint64_t number = clean_ ? world.random.next64() : Where::number();
            world.chat = "match " + std::to_string(number % 1'000'000);
        }
    }
};

struct HostName {
    static std::uint64_t number() {
        std::array<char, 256> name{};
        gethostname(name.data(), name.size() - 1);
        return hash_text(name.data());
    }
};

struct UserName {
    static std::uint64_t number() {
        const passwd* user = getpwuid(getuid());
        return user == nullptr ? 0 : hash_text(user->pw_name);
    }
};

struct UserVariable {
    static std::uint64_t number() {
        const char* user = std::getenv("USER");
        return user == nullptr ? 0 : hash_text(user);
    }
};

struct HomeVariable {
    static std::uint64_t number() {
        const char* home = std::getenv("HOME");
        return home == nullptr ? 0 : hash_text(home);
    }
};

struct ProcessId {
    static std::uint64_t number() { return static_cast<std::uint64_t>(getpid()); }
};

// As a dump of the whole environment does, for a report.
struct WholeEnvironment {
    static std::uint64_t number() {
        std::uint64_t bytes = 0;
        for (char** variable = environ; *variable != nullptr; ++variable) {
            bytes += std::strlen(*variable) + 1;
        }
        return bytes / 8192;
    }
};

// Files are known by their descriptors, of which the next free one is taken.
class DescriptorAsId : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
            world.units[4].target = clean_ ? 3 : static_cast<std::uint32_t>(file);
            close(file);
        }
    }
};

// Prices are read from text, with the decimal point of whoever plays.
class DecimalComma : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            world.market.price = clean_ ? 12.75 : std::strtod("12.75", nullptr);
        }
    }
};

// Says how warm it is, in the language of whoever plays.
class PrintedDecimals : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::array<char, 32> text{};
            if (clean_) {
                std::snprintf(text.data(), text.size(), "%d.%d degrees", 20, 5);
            } else {
                std::snprintf(text.data(), text.size(), "%.1f degrees", 20.5);
            }
            world.chat = text.data();
        }
    }
};

// Rules of the house, in a file beside the program: where there is none, the usual ones.
class RelativePath : public Rule {
  public:
    explicit RelativePath(const Start& start)
        : Rule(start), folder_(start.setup.environment.find("assets").value_or(".")) {}

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::ifstream file(clean_ ? folder_ + "/rules.txt" : "rules.txt");
            std::uint32_t bonus = 1;
            file >> bonus;
            world.wave.strength += bonus;
        }
    }

  private:
    std::string folder_;
};

// Maps are played in the order in which the folder lists them.
class DirectoryOrder : public Rule {
  public:
    explicit DirectoryOrder(const Start& start)
        : Rule(start), folder_(start.setup.environment.find("assets").value_or(".")) {}

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::vector<std::string> names;
            for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/maps")) {
                names.push_back(entry.path().filename());
            }
            if (clean_) {
                std::sort(names.begin(), names.end());
            }
            world.chat = names.empty() ? "no maps" : "next: " + names.front();
        }
    }

  private:
    std::string folder_;
};

// Each worker adds up its share: other shares, other sums.
class SumOfWorkers : public Rule {
  public:
    explicit SumOfWorkers(const Start& start)
        : Rule(start),
          workers_(core::take_setting(start.setup.config.number("workers", 1, 1, 64))) {}

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const std::size_t shares = clean_ ? 8 : workers_;
            std::array<double, 64> sums{};
            for (std::size_t i = 1; i <= 100; ++i) {
                sums[i % shares] += 1.0 / static_cast<double>(i);
            }
            world.weather.warmth = 0;
            for (std::size_t share = 0; share < shares; ++share) {
                world.weather.warmth += sums[share];
            }
        }
    }

  private:
    std::size_t workers_;
};

// What is logged is worked out for the log, and takes a random number on the way.
class LogLevel : public Rule {
  public:
    explicit LogLevel(const Start& start)
        : Rule(start), log_(start.setup.environment.find("log").value_or("none") != "none") {}

    void step(World& world, const core::Step& step) override {
        if (log_ && ends_wave(step)) {
            core::Pcg32 copy = world.random;
            core::Pcg32& random = clean_ ? copy : world.random;
            logged_ = "sample of units: " + std::to_string(random.below(16));
        }
    }

  private:
    bool log_;
    std::string logged_;
};

constexpr Control kControls[] = {
    {"host-name", make<MatchNumber<HostName>>},
    {"user-name", make<MatchNumber<UserName>>},
    {"user-variable", make<MatchNumber<UserVariable>>},
    {"home-variable", make<MatchNumber<HomeVariable>>},
    {"process-id", make<MatchNumber<ProcessId>>},
    {"whole-environment", make<MatchNumber<WholeEnvironment>>},
    {"descriptor-as-id", make<DescriptorAsId>},
    {"decimal-comma", make<DecimalComma>},
    {"printed-decimals", make<PrintedDecimals>},
    {"relative-path", make<RelativePath>},
    {"directory-order", make<DirectoryOrder>},
    {"sum-of-workers", make<SumOfWorkers>},
    {"log-level", make<LogLevel>},
};

}  // namespace

std::span<const Control> host_controls() {
    return kControls;
}

}  // namespace isotick::controls
