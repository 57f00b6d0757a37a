// Where objects lie: order by address, buckets by address, alignment.

#include "../arena.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include <sys/mman.h>

namespace isotick::controls {
namespace {

// A unit as the artificial intelligence knows it, with the map as far as it was seen.
struct Actor {
    std::uint32_t id = 0;
    std::array<std::uint8_t, 40'000> seen{};
};

class WithActors : public Rule {
  public:
    explicit WithActors(const Start& start) : Rule(start) {
        for (std::uint32_t id = 1; id <= 8; ++id) {
            actors_.push_back(std::make_unique<Actor>());
            actors_.back()->id = id;
        }
    }

  protected:
    [[nodiscard]] const Actor* actor(std::size_t i) const { return actors_[i].get(); }
    [[nodiscard]] std::size_t count() const { return actors_.size(); }

  private:
    std::vector<std::unique_ptr<Actor>> actors_;
};

// Who acts first is who comes first in a map of pointers.
class PointerKeyedMap : public WithActors {
  public:
    using WithActors::WithActors;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::map<const Actor*, std::uint32_t> by_address;
            std::map<std::uint32_t, std::uint32_t> by_id;
            for (std::size_t i = 0; i < count(); ++i) {
                by_address[actor(i)] = actor(i)->id;
                by_id[actor(i)->id] = actor(i)->id;
            }
            world.turns.clear();
            if (clean_) {
                fill(world.turns, by_id);
            } else {
                fill(world.turns, by_address);
            }
        }
    }

  private:
    static void fill(std::vector<std::uint32_t>& turns, const auto& threats) {
        for (const auto& [key, id] : threats) {
            turns.push_back(id);
        }
    }
};

// Sorts pointers where it means what they point to.
class AddressOrderedSort : public WithActors {
  public:
    using WithActors::WithActors;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::vector<const Actor*> order;
            for (std::size_t i = 0; i < count(); ++i) {
                order.push_back(actor(i));
            }
            if (clean_) {
                std::ranges::sort(order, {}, &Actor::id);
            } else {
                std::ranges::sort(order, std::less<>());
            }
            for (std::size_t i = 0; i < order.size(); ++i) {
                world.turns[i] = order[i]->id;
            }
        }
    }
};

// Sorts by health, and leaves those of equal health in the order in which a set had them.
class UnstableSort : public WithActors {
  public:
    using WithActors::WithActors;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::set<const Actor*> near;
            for (std::size_t i = 0; i < count(); ++i) {
                near.insert(actor(i));
            }
            std::vector<const Actor*> order(near.begin(), near.end());
            std::ranges::sort(order, [this](const Actor* a, const Actor* b) {
                const auto strength = [](const Actor* actor) { return actor->id % 2; };
                return strength(a) != strength(b) ? strength(a) < strength(b)
                                                  : clean_ && a->id < b->id;
            });
            world.units[6].target = order.front()->id;
        }
    }
};

// Of two that collide, the one at the lower address is pushed, as in an engine that orders pairs.
class PairsByAddress : public WithActors {
  public:
    using WithActors::WithActors;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            for (std::size_t i = 0; i + 1 < count(); ++i) {
                const Actor* a = actor(i);
                const Actor* b = actor(i + 1);
                const bool first = clean_ ? a->id < b->id : std::less<>()(a, b);
                world.units[first ? i : i + 1].position.x /= 2;
            }
        }
    }
};

// Walks an unordered map of pointers: which of them share a bucket follows from where they lie.
class UnorderedPointers : public WithActors {
  public:
    using WithActors::WithActors;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::unordered_map<const Actor*, std::uint32_t> threats;
            for (std::size_t i = 0; i < count(); ++i) {
                threats[actor(i)] = actor(i)->id;
            }
            world.turns.clear();
            for (const auto& [who, id] : threats) {
                world.turns.push_back(id);
            }
            if (clean_) {
                std::ranges::sort(world.turns);
            }
        }
    }
};

// An object without a name is shown by its address, as script languages do.
class AddressInText : public WithActors {
  public:
    using WithActors::WithActors;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            char text[64];
            if (clean_) {
                std::snprintf(text, sizeof text, "actor: %u", actor(3)->id);
            } else {
                std::snprintf(text, sizeof text, "actor: %p", static_cast<const void*>(actor(3)));
            }
            world.chat = text;
        }
    }
};

// Events find their handlers by a hash of the address of their name.
class HashOfLiteral : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const char* names[] = {"hit", "heal", "spawn", "leave", "win"};
            std::array<std::uint32_t, 13> table{};
            for (std::uint32_t i = 0; i < std::size(names); ++i) {
                const auto hash = reinterpret_cast<std::uintptr_t>(names[i]);
                std::size_t place = (clean_ ? i : hash) % table.size();
                while (table[place] != 0) {
                    place = (place + 1) % table.size();
                }
                table[place] = i + 1;
            }
            world.turns.assign(table.begin(), table.end());
            std::erase(world.turns, 0U);
        }
    }
};

// Adds up four at a time where memory is aligned for it, else one by one.
class AlignmentPath : public Rule {
  public:
    explicit AlignmentPath(const Start& start) : Rule(start), heights_(new float[kCount]) {
        for (std::size_t i = 0; i < kCount; ++i) {
            heights_[i] = 1.0F / static_cast<float>(i + 1);
        }
    }

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const auto address = reinterpret_cast<std::uintptr_t>(heights_.get());
            const bool by_four = clean_ || address % 64 == 16;
            world.weather.wind = by_four ? sum_by_four() : sum_one_by_one();
        }
    }

  private:
    [[nodiscard]] float sum_one_by_one() const {
        float sum = 0;
        for (std::size_t i = 0; i < kCount; ++i) {
            sum += heights_[i];
        }
        return sum;
    }

    [[nodiscard]] float sum_by_four() const {
        std::array<float, 4> sums{};
        for (std::size_t i = 0; i < kCount; ++i) {
            sums[i % 4] += heights_[i];
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    static constexpr std::size_t kCount = 40'000;
    std::unique_ptr<float[]> heights_;
};

// The same with a buffer on the stack, which lies elsewhere in each process.
class StackAlignment : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::array<float, 4> force{0.1F, 0.2F, 0.3F, 0.4F};
            const auto address = reinterpret_cast<std::uintptr_t>(force.data());
            world.weather.wind = clean_ || address % 64 < 32
                                     ? (force[0] + force[1]) + (force[2] + force[3])
                                     : force[0] + (force[1] + (force[2] + force[3] * 1.5F));
        }
    }
};

// Two big blocks: who asks first is taken to lie lower.
class BlocksGrowUpward : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const bool upward = clean_ || std::less<>()(terrain_.data(), water_.data());
            world.weather.wind += upward ? 1.0F : -1.0F;
        }
    }

  private:
    std::vector<std::uint8_t> terrain_ = std::vector<std::uint8_t>(40'000);
    std::vector<std::uint8_t> water_ = std::vector<std::uint8_t>(40'000);
};

// The dying give their ids back, in the order in which a map with pointers for keys destroys them.
class OrderOfDestruction : public WithActors {
  public:
    using WithActors::WithActors;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            std::vector<std::uint32_t> free_ids;
            {
                std::map<const Actor*, Corpse> by_address;
                std::map<std::uint32_t, Corpse> by_id;
                for (std::size_t i = 0; i < count(); ++i) {
                    if (clean_) {
                        by_id.try_emplace(actor(i)->id, actor(i)->id, free_ids);
                    } else {
                        by_address.try_emplace(actor(i), actor(i)->id, free_ids);
                    }
                }
            }
            world.units[7].target = free_ids.back();  // the next to be born has this id
        }
    }

  private:
    struct Corpse {
        Corpse(std::uint32_t its_id, std::vector<std::uint32_t>& ids) : id(its_id), free_ids(ids) {}
        ~Corpse() { free_ids.push_back(id); }
        Corpse(const Corpse&) = delete;
        Corpse& operator=(const Corpse&) = delete;
        std::uint32_t id;
        std::vector<std::uint32_t>& free_ids;
    };
};

// Chunks of the level are mapped by the game itself, and walked from the lowest address up.
class MappedChunks : public Rule {
  public:
    explicit MappedChunks(const Start& start) : Rule(start) {
        for (void*& chunk : chunks_) {
            chunk =
                mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        }
    }
    ~MappedChunks() override {
        for (void* chunk : chunks_) {
            munmap(chunk, kBytes);
        }
    }

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const bool first_is_lower = std::less<>()(chunks_[0], chunks_[1]);
            world.units[3].target = clean_ || first_is_lower ? 1 : 2;
        }
    }

  private:
    static constexpr std::size_t kBytes = 1 << 20;
    std::array<void*, 2> chunks_{};
};

constexpr Control kControls[] = {
    {"pointer-keyed-map", make<PointerKeyedMap>},
    {"address-ordered-sort", make<AddressOrderedSort>},
    {"unstable-sort", make<UnstableSort>},
    {"pairs-by-address", make<PairsByAddress>},
    {"unordered-pointers", make<UnorderedPointers>},
    {"address-in-text", make<AddressInText>},
    {"hash-of-literal", make<HashOfLiteral>},
    {"alignment-path", make<AlignmentPath>},
    {"stack-alignment", make<StackAlignment>},
    {"blocks-grow-upward", make<BlocksGrowUpward>},
    {"order-of-destruction", make<OrderOfDestruction>},
    {"mapped-chunks", make<MappedChunks>},
};

}  // namespace

std::span<const Control> address_controls() {
    return kControls;
}

}  // namespace isotick::controls
