#include "engine_run.hpp"

#include <isotick/core/random.hpp>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace isotick::engines {
namespace {

constexpr std::uint64_t kBotSeed = 7;
constexpr core::FrameTime kFrameTime{16'666'667};  // one tick in each frame

// The value, or the end of the process with the error on stderr.
template <class T>
T expect(core::Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "%s\n", core::describe(result.error()).c_str());
        std::exit(3);
    }
    if constexpr (!std::is_void_v<T>) {
        return *std::move(result);
    }
}

}  // namespace

const isotick_simulation_table* load_table(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* entry = library == nullptr ? nullptr : dlsym(library, ISOTICK_PLUGIN_ENTRY);
    if (entry == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return nullptr;
    }
    return reinterpret_cast<isotick_simulation_entry_function>(entry)();
}

EngineRun::EngineRun(const isotick_simulation_table& table, std::uint64_t seed,
                     const core::Settings& config)
    : simulation_(expect(core::Simulation::create(
          table, {.rate = {}, .players = 1, .seed = seed, .config = config, .environment = {}}))) {}

void EngineRun::step(const std::optional<InputAt>& push) {
    if (push && push->tick == tick_) {
        step_with({0, 1, push->bytes.size(), push->bytes.data()});
    } else {
        step_with({0, 0, 0, nullptr});
    }
}

void EngineRun::step_with_bot() {
    std::vector<std::uint8_t> buffer;
    const std::uint64_t entropy = core::derive_seed(kBotSeed, {tick_});
    step_with(expect(simulation_.propose_input(0, core::Tick{tick_}, entropy, buffer)));
}

void EngineRun::step_with(const isotick_input& input) {
    const std::array inputs{input, isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
    expect(simulation_.begin_frame(kFrameTime));
    expect(simulation_.step(core::Tick{tick_}, inputs));
    ++tick_;
}

void EngineRun::run_to(std::uint64_t tick) {
    while (tick_ < tick) {
        step_with_bot();
    }
}

core::PartHash EngineRun::bodies_hash() {
    expect(simulation_.hash());
    return simulation_.parts()[0];
}

void EngineRun::load(const std::vector<std::byte>& snapshot, std::uint64_t tick) {
    expect(simulation_.load(snapshot));
    tick_ = tick;
}

}  // namespace isotick::engines
