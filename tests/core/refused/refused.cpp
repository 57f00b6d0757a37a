// Does not compile, on purpose: each line must end in the message that check.cmake expects.

#include <isotick/core/adapter.hpp>
#include <isotick/core/hash_archive.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Forgotten {
    int value = 0;
};
struct Gap {
    char a = 0;
    int b = 0;
};

// Simulations with a member that would never be called.
struct Counter {
    static constexpr isotick::core::SimulationInfo kInfo{.name = "counter"};
    void step(const isotick::core::Step& step) { steps += step.inputs.players(); }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(steps);
    }
    std::uint64_t steps = 0;
};
// Hashed without cereal's header for maps, and saved with it.
struct MapWithoutHeader {
    static constexpr isotick::core::SimulationInfo kInfo{.name = "map"};
    void step(const isotick::core::Step&) {}
    template <class Archive>
    void serialize(Archive& archive) {
        archive(map);
    }
    std::map<int, int> map;
};
struct FramesInSeconds : Counter {
    void begin_frame(double seconds);
};
struct RenderOfTwo : Counter {
    void render(float alpha, bool vertical_sync);
    void render(const std::string& name);
};
struct BotThatThinks final : Counter {
    bool propose_input(const isotick::core::Proposal&, std::vector<std::uint8_t>&);
};
struct InputsOneWay : Counter {
    static std::string describe_input(std::uint32_t, std::span<const std::uint8_t>);
};

template <class T>
void hash(const T& value) {
    isotick::core::HashSink sink;
    isotick::core::HashArchive archive(sink);
    archive(value);
}

void refused(int* pointer) {
    hash(pointer);
    hash(1.0L);
    hash(L'w');
    hash(std::string_view("text"));
    hash(std::function<void()>());
    hash(std::unique_ptr<int[]>());
    hash(std::map<std::shared_ptr<int>, int>());
    hash(Forgotten());
    const int number = 0;
    hash(cereal::defer(number));
    Gap gap;
    hash(cereal::binary_data(&gap, sizeof gap));

    isotick::core::simulation_table<MapWithoutHeader>();
    isotick::core::simulation_table<FramesInSeconds>();
    isotick::core::simulation_table<RenderOfTwo>();
    isotick::core::simulation_table<BotThatThinks>();
    isotick::core::simulation_table<InputsOneWay>();
}

}  // namespace
