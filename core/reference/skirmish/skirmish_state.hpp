#pragma once
// The state of a skirmish: everything that influences its future, and nothing else.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cereal/cereal.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::core::reference {

/// Every player's units form this many groups (by id), which take orders separately.
inline constexpr std::uint32_t kGroups = 8;

/// All units, the oldest first; entry i of every member belongs to one unit. Columns rather than
/// structs, so that movement vectorizes and hashing copies memory. Distances are in metres.
struct Units {
    std::vector<std::uint32_t> id;
    std::vector<std::uint8_t> owner;
    std::vector<std::int16_t> health;    ///< zero or less: buried at the next tick
    std::vector<std::uint8_t> cooldown;  ///< decisions until the unit may look for enemies again
    std::vector<float> position_x;
    std::vector<float> position_y;
    std::vector<float> velocity_x;  ///< metres per second
    std::vector<float> velocity_y;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(id), CEREAL_NVP(owner), CEREAL_NVP(health), CEREAL_NVP(cooldown),
                CEREAL_NVP(position_x), CEREAL_NVP(position_y), CEREAL_NVP(velocity_x),
                CEREAL_NVP(velocity_y));
    }

    [[nodiscard]] std::size_t size() const { return id.size(); }

    /// Calls `act` with each column.
    template <class Act>
    void for_each_column(const Act& act) {
        act(id);
        act(owner);
        act(health);
        act(cooldown);
        act(position_x);
        act(position_y);
        act(velocity_x);
        act(velocity_y);
    }
};

/// What a group was last told to do.
enum class OrderKind : std::uint8_t {
    scatter = 0,  ///< wander about and fight
    move = 1,     ///< go there, fight nobody
    attack = 2,   ///< go there and fight on the way
    hold = 3,     ///< stay and fight
};

/// The orders in force; entry `player * kGroups + group` of every member belongs to one group.
struct Orders {
    std::vector<std::uint8_t> kind;  ///< an OrderKind
    std::vector<float> goal_x;
    std::vector<float> goal_y;

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(kind), CEREAL_NVP(goal_x), CEREAL_NVP(goal_y));
    }
};

struct Player {
    float base_x = 0;
    float base_y = 0;
    std::uint32_t alive = 0;       ///< units that are not buried yet
    std::uint32_t most_alive = 0;  ///< no unit is produced beyond this number
    std::uint32_t formation = 0;   ///< columns of the square that a group forms at its goal
    std::uint32_t supplies = 0;    ///< spent on new units
    std::uint32_t kills = 0;
    std::uint32_t inputs = 0;  ///< inputs that were present, empty ones included
    std::uint32_t orders = 0;  ///< well-formed orders among them

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(base_x), CEREAL_NVP(base_y), CEREAL_NVP(alive), CEREAL_NVP(most_alive),
                CEREAL_NVP(formation), CEREAL_NVP(supplies), CEREAL_NVP(kills), CEREAL_NVP(inputs),
                CEREAL_NVP(orders));
    }
};

struct World {
    std::uint64_t ticks = 0;    ///< ticks done
    std::uint32_t next_id = 0;  ///< of the next unit
    std::uint32_t columns = 0;  ///< the square world is columns × columns cells
    float side = 0;             ///< its length, metres

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(ticks), CEREAL_NVP(next_id), CEREAL_NVP(columns), CEREAL_NVP(side));
    }
};

}  // namespace isotick::core::reference
