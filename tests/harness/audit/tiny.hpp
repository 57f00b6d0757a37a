#pragma once
// A very small simulation with one thing in it that an audit must find, or must not mind.

#include <isotick/core/adapter.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <cereal/types/vector.hpp>

namespace isotick::tests {

/// What is in it.
enum class Tiny {
    clean,
    hash_misses_bonus,    ///< the hash does not see `bonus`, snapshot and fields do
    load_refuses,         ///< load throws
    load_merges,          ///< load keeps `total` if it is higher than what it reads
    cache_of_load,        ///< an unseen cache, made anew by load and after each tick
    cache_with_key,       ///< an unseen cache that knows what it holds
    age,                  ///< an unseen counter that decides something only when it is huge
    from_setup,           ///< an unseen member that create sets from the seed
    forgotten_in_bodies,  ///< an unseen member of the elements of a vector
    endless_if_poisoned,  ///< ticks never end once an unseen flag is set
    render_counts,        ///< render changes `total`
    propose_counts,       ///< so does propose_input
    hash_counts,          ///< so does hash
    deaf,                 ///< inputs change nothing
    frozen,               ///< the hash never changes
    address_in_state,     ///< two instances compute different states
};

template <Tiny kIs, std::uint64_t kCapabilities = ISOTICK_MANY_INSTANCES>
class TinySimulation {
  public:
    static constexpr core::SimulationInfo kInfo{
        .name = "tiny", .most_players = 1, .usual_players = 1, .capabilities = kCapabilities};

    explicit TinySimulation(const core::SimulationSetup& setup) : factor_(setup.seed % 5 + 3) {
        if (++alive_ > 1 && (kCapabilities & ISOTICK_MANY_INSTANCES) == 0) {
            throw std::logic_error("there is one already");
        }
        find_half();
    }
    ~TinySimulation() { --alive_; }
    TinySimulation(const TinySimulation&) = delete;
    TinySimulation& operator=(const TinySimulation&) = delete;

    void step(const core::Step& step) {
        if constexpr (kIs == Tiny::frozen) {
            return;
        }
        while (kIs == Tiny::endless_if_poisoned && flag_ != 0) {
            spins_ = spins_ + 1;
        }
        if (const auto input = step.inputs.of(0); kIs != Tiny::deaf && input && !input->empty()) {
            bonus_ += input->front();
        }
        total_ += 1 + bonus_ % 7;
        for (Body& body : bodies_) {
            advance(body);
        }
        use_unseen();
    }

    void render(double) { total_ += kIs == Tiny::render_counts ? 1 : 0; }

    bool propose_input(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) const {
        proposals_ += kIs == Tiny::propose_counts ? 1 : 0;
        bytes.assign(1, static_cast<std::uint8_t>(proposal.entropy));
        return proposal.player == 0 && proposal.entropy % 16 == 0;
    }

    template <class Archive>
    void serialize(Archive& archive) {
        constexpr bool kHashes = std::is_same_v<Archive, core::HashArchive>;
        constexpr bool kLoads = std::is_same_v<Archive, core::LoadArchive>;
        total_ += kHashes && kIs == Tiny::hash_counts ? 1 : 0;
        const std::uint64_t before = total_;
        archive(cereal::make_nvp("total", total_), cereal::make_nvp("bodies", bodies_),
                cereal::make_nvp("proposals", proposals_));
        if constexpr (!kHashes || kIs != Tiny::hash_misses_bonus) {
            archive(cereal::make_nvp("bonus", bonus_));
        }
        if constexpr (kLoads) {
            after_load(before);
        }
    }

  private:
    struct Body {
        std::uint32_t seen = 0;
        std::uint32_t forgotten = 0;

        template <class Archive>
        void serialize(Archive& archive) {
            archive(CEREAL_NVP(seen));
        }
    };

    void advance(Body& body) {
        body.seen += 1;
        if constexpr (kIs == Tiny::forgotten_in_bodies) {
            body.forgotten += body.seen % 3;
            body.seen += body.forgotten % 2;
        }
    }

    void use_unseen() {
        if constexpr (kIs == Tiny::cache_of_load) {
            total_ += half_;
            find_half();
        } else if constexpr (kIs == Tiny::cache_with_key) {
            if (key_ != bonus_) {
                key_ = bonus_;
                find_half();
            }
            total_ += half_;
        } else if constexpr (kIs == Tiny::age) {
            total_ += ++age_ > 1'000'000 ? 1U : 0U;
        } else if constexpr (kIs == Tiny::from_setup) {
            total_ += factor_;
        } else if constexpr (kIs == Tiny::address_in_state) {
            total_ += reinterpret_cast<std::uintptr_t>(this) % 4093;
        }
    }

    void after_load(std::uint64_t before) {
        if constexpr (kIs == Tiny::load_refuses) {
            throw std::runtime_error("no snapshot will do");
        } else if constexpr (kIs == Tiny::load_merges) {
            total_ = std::max(total_, before);
        } else if constexpr (kIs == Tiny::cache_of_load) {
            find_half();
        }
    }

    void find_half() { half_ = bonus_ / 2; }

    static inline int alive_ = 0;

    std::uint64_t total_ = 0;
    std::uint64_t bonus_ = 0;
    mutable std::uint64_t proposals_ = 0;
    std::vector<Body> bodies_{3};

    // Unseen.
    std::uint64_t half_ = 0;
    std::uint64_t key_ = ~std::uint64_t{0};
    std::uint64_t factor_;
    std::uint64_t flag_ = 0;
    std::uint64_t age_ = 0;
    volatile std::uint64_t spins_ = 0;
};

}  // namespace isotick::tests
