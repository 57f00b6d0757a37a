// A simulation whose steps depend on what it reads while it is created: for the verdict cache.
//
//   file=PATH      the bytes of a file, if it is there
//   checked=PATH   likewise, opened as with _FORTIFY_SOURCE
//   exists=PATH    whether a file is there
//   folder=PATH    how many entries a folder has
//   variable=NAME  a variable of the environment
//   host=yes       nothing, but it asks for the name of the machine
//   loads=PATH     nothing, but it looks for this file where a snapshot is loaded

#include <isotick/core/adapter.hpp>

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

extern "C" int __open_2(const char* path, int flags);  // glibc declares it for its headers alone

namespace {

using isotick::core::take_setting;

std::uint64_t sum_of(const std::string& bytes) {
    std::uint64_t sum = 0;
    for (const char each : bytes) {
        sum = sum * 31 + static_cast<unsigned char>(each);
    }
    return sum;
}

std::uint64_t what_is_read(const isotick::core::Settings& config) {
    std::uint64_t sum = 1;
    if (const auto path = config.find("file")) {
        std::ifstream file{std::string(*path)};
        sum += sum_of({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    }
    if (const auto path = config.find("checked")) {
        const int file = __open_2(std::string(*path).c_str(), O_RDONLY);
        char first = 0;
        sum += file >= 0 && read(file, &first, 1) == 1 ? static_cast<std::uint64_t>(first) : 0;
        close(file);
    }
    if (config.find("host")) {
        char name[256]{};
        gethostname(name, sizeof name - 1);
    }
    if (const auto path = config.find("exists")) {
        sum += std::filesystem::exists(*path) ? 1U : 0U;
    }
    if (const auto path = config.find("folder")) {
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(*path)) {
            ++sum;
        }
    }
    if (const auto name = config.find("variable")) {
        const char* const value = std::getenv(std::string(*name).c_str());
        sum += sum_of(value == nullptr ? "" : value);
    }
    return sum;
}

class Reading {
  public:
    static constexpr isotick::core::SimulationInfo kInfo{
        .name = "reading",
        .summary = "depends on what it reads",
        .config_help = "file=, exists=, folder=PATH; variable=NAME"};

    explicit Reading(const isotick::core::SimulationSetup& setup)
        : loads_(setup.config.find("loads").value_or("")), read_(what_is_read(setup.config)) {}

    void step(const isotick::core::Step& step) { sum_ = sum_ * 31 + read_ + step.tick.value; }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("sum", sum_), cereal::make_nvp("read", read_));
        if (Archive::is_loading::value && !loads_.empty()) {
            std::ifstream file(loads_);
        }
    }

  private:
    std::string loads_;
    std::uint64_t read_;
    std::uint64_t sum_ = 0;
};

}  // namespace

ISOTICK_SIMULATION(Reading)
