// A simulation for audits, with members that nothing visits. Its environment chooses what is wrong
// with it, so that the session stays the same:
//
//   fault=stun         units stand still for a while, by a member that is neither hashed nor saved
//   fault=hash-counts  ticks differ once hash was called more than once in each
//   fault=save-counts  so do they once save was
//   fault=turns        every fourth tick is another, by a member that is neither hashed nor saved
//   fault=blinks       each tick depends on such a member, which is another after each eighth tick
//   fault=lost-heights load leaves the height of units at 0
//
// Without a fault nothing is wrong: what load computes anew, and what it lets the next tick
// compute, are caches; the tuning never changes.

#include <isotick/core/adapter.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cereal/types/vector.hpp>

namespace {

namespace core = isotick::core;

class Audited {
  public:
    static constexpr core::SimulationInfo kInfo{.name = "audited",
                                                .capabilities = ISOTICK_MANY_INSTANCES};

    explicit Audited(const core::SimulationSetup& setup)
        : fault_(setup.environment.find("fault").value_or("")) {}

    void step(const core::Step& step) {
        const std::uint64_t tick = step.tick.value;
        const bool counted_more = hashes_ > tick + 1 || saves_ > tick + 1;
        if (tick % 16 == 8 && units_.size() < 8) {  // not there when an instance is new
            units_.emplace_back();
            is_key_right_ = false;
        }
        if (!is_key_right_) {
            lazy_ = units_.size() * 3;
            is_key_right_ = true;
        }
        for (Unit& unit : units_) {
            if (fault_ == "stun" && tick % 50 == 40) {
                unit.stun = 20;
            }
            unit.height += unit.stun == 0 ? static_cast<std::uint64_t>(rules_.tuning.gravity) : 0;
            unit.height += static_cast<std::uint64_t>(level_.second);
            unit.stun -= unit.stun == 0 ? 0U : 1U;
        }
        total_ += half_ % 5 + lazy_ % 7 + (counted_more ? 2U : 1U);
        const std::uint64_t blink_before = blink_;
        turn_ = (turn_ + 1) % 4;
        total_ += fault_ == "turns" && turn_ == 0 ? 1U : 0U;
        blink_ = tick % 8 == 0 ? 9 : 5;
        total_ += fault_ == "blinks" ? blink_before : 0;
        half_ = total_ / 2;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        if constexpr (std::is_same_v<Archive, core::HashArchive>) {
            hashes_ += fault_ == "hash-counts" ? 1U : 0U;
        } else if constexpr (std::is_same_v<Archive, core::SaveArchive>) {
            saves_ += fault_ == "save-counts" ? 1U : 0U;
        }
        archive(cereal::make_nvp("total", total_), cereal::make_nvp("units", units_));
        if constexpr (std::is_same_v<Archive, core::LoadArchive>) {
            half_ = total_ / 2;
            is_key_right_ = false;
            for (Unit& unit : units_) {
                unit.height = fault_ == "lost-heights" ? 0 : unit.height;
            }
        }
    }

  private:
    struct Unit {
        std::uint64_t height = 0;
        std::uint32_t stun = 0;  // unseen

        template <class Archive>
        void serialize(Archive& archive) {
            archive(CEREAL_NVP(height));
        }
    };
    struct Tuning {
        std::vector<std::string> names{"gravity"};
        double gravity = 3;
    };
    struct Rules {
        std::uint64_t version = 1;
        Tuning tuning;
    };

    std::uint64_t total_ = 0;
    std::vector<Unit> units_;

    // Unseen.
    std::uint64_t half_ = 0;
    std::uint64_t lazy_ = 0;
    std::uint64_t turn_ = 0;
    std::uint64_t blink_ = 0;
    bool is_key_right_ = false;
    Rules rules_;
    std::pair<std::string, double> level_{"flat", 2};  // whose members are the library's affair
    std::uint64_t hashes_ = 0;
    std::uint64_t saves_ = 0;
    std::string fault_;
};

}  // namespace

ISOTICK_SIMULATION(Audited)
