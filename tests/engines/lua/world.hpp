#pragma once
// A simulation written in Lua 5.4 (cluster.lua), run by an interpreter of its own.

#include "../support/pile_plan.hpp"
#include "../support/vectors.hpp"

#include <isotick/core/simulation_type.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cereal/cereal.hpp>
#include <lua.hpp>

namespace isotick::engines::lua {

struct Body {
    Vector2<double> position, velocity;
    double mass;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(mass));
    }
};

/// The script's table `state`, field by field; a field that is missing here is an error.
struct State {
    std::vector<Body> bodies;
    std::int64_t random = 0;
    std::int64_t ticks = 0;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(bodies), CEREAL_NVP(random), CEREAL_NVP(ticks));
    }
};

class World {
  public:
    using State = lua::State;

    static constexpr core::SimulationInfo kInfo{
        .name = "lua",
        .summary = "stars that draw each other, written in Lua 5.4, pushed by players",
        .config_help =
            "bodies=1..2000 (default 30), order=sequence|address|name (default "
            "sequence; the others are planted leaks)",
        .build_id = LUA_RELEASE,
        .most_players = 8,
        .usual_players = 1};
    static constexpr bool kRestores = true;

    explicit World(const core::SimulationSetup& setup);

    [[nodiscard]] std::uint32_t bodies() const { return count_; }
    void push(const Push& push);
    void advance(double dt_seconds);
    [[nodiscard]] State state() const;
    void restore(const State& state);

  private:
    struct Close {
        void operator()(lua_State* lua) const { lua_close(lua); }
    };

    void run_script(const std::string& order);

    // Calls the function below its arguments on the stack; throws what the script says went wrong.
    void call(int arguments);

    std::uint32_t count_;
    std::unique_ptr<lua_State, Close> lua_;
};

}  // namespace isotick::engines::lua
