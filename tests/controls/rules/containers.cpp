// The order of elements in unordered containers, which each C++ library chooses for itself.

#include "../arena.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace isotick::controls {
namespace {

// Who acts first is who comes first in a map by id.
class UnorderedIds : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::unordered_map<std::uint32_t, std::uint32_t> strength;
            for (std::uint32_t id = 1; id <= 40; ++id) {
                strength[id * 7] = id;
            }
            world.turns.clear();
            for (const auto& [id, of] : strength) {
                world.turns.push_back(id);
            }
            if (clean_) {
                std::ranges::sort(world.turns);
            }
        }
    }
};

// The same in a few names.
class UnorderedNames : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::unordered_set<std::string> names;
            for (const char* name : {"scout", "tank", "healer", "archer", "mage", "thief"}) {
                names.insert(name);
            }
            world.turns.clear();
            for (const std::string& name : names) {
                world.turns.push_back(static_cast<std::uint32_t>(name[0]));
            }
            if (clean_) {
                std::ranges::sort(world.turns);
            }
        }
    }
};

// Sums of floats depend on their order.
class UnorderedSum : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            for (std::uint32_t cell = 0; cell < 50; ++cell) {
                gusts_[cell * 97] = 0.1F / static_cast<float>(cell + 1);
            }
            float sum = 0;
            for (const auto& [cell, gust] : gusts_) {
                sum += gust;
            }
            if (clean_) {
                sum = 0;
                for (std::uint32_t cell = 0; cell < 50; ++cell) {
                    sum += gusts_[cell * 97];
                }
            }
            world.weather.wind = sum;
        }
    }

  private:
    std::unordered_map<std::uint32_t, float> gusts_;
};

// Several are equally near: the first that is found is attacked.
class FirstOfEquals : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::unordered_map<std::uint32_t, std::int32_t> distances;
            for (std::uint32_t id = 1; id <= 30; ++id) {
                distances[id * 11] = id % 7 == 3 ? 5 : 9;
            }
            const auto nearest = std::ranges::min_element(distances, {}, [this](const auto& entry) {
                return std::pair(entry.second, clean_ ? entry.first : 0);
            });
            world.units[3].target = nearest->first;
        }
    }
};

}  // namespace

std::span<const Control> container_controls() {
    static constexpr Control kControls[]{{"unordered-ids", make<UnorderedIds>},
                                         {"unordered-names", make<UnorderedNames>},
                                         {"unordered-sum", make<UnorderedSum>},
                                         {"first-of-equals", make<FirstOfEquals>}};
    return kControls;
}

}  // namespace isotick::controls
