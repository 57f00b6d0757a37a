// A plug-in that describes its inputs, and goes wrong over some of them: bytes that begin with 0xdd
// end the process by a signal, those with 0xee by an exit. Its hashes are the sum of all bytes.

#include <isotick/core/adapter.hpp>

#include <cstdlib>

namespace {

struct Describing {
    static constexpr isotick::core::SimulationInfo kInfo{
        .name = "describing", .build_id = "b1", .most_players = 2, .usual_players = 2};

    void step(const isotick::core::Step& step) {
        for (std::size_t player = 0; player < step.inputs.players(); ++player) {
            if (const auto input = step.inputs.of(player)) {
                for (const std::uint8_t byte : *input) {
                    sum += byte;
                }
            }
        }
    }

    bool propose_input(const isotick::core::Proposal& proposal,
                       std::vector<std::uint8_t>& bytes) const {
        bytes.assign(1 + proposal.entropy % 4, static_cast<std::uint8_t>(proposal.entropy & 0x7f));
        return proposal.entropy % 3 != 0;
    }

    static std::string describe_input(std::uint32_t, std::span<const std::uint8_t> bytes) {
        if (!bytes.empty() && bytes.front() == 0xdd) {
            std::abort();
        }
        if (!bytes.empty() && bytes.front() == 0xee) {
            std::exit(0);
        }
        // Fit for people, not always for the way back.
        return " { \"length\" : " + std::to_string(bytes.size()) + "\n}";
    }

    static std::vector<std::uint8_t> compose_input(std::uint32_t, std::string_view json) {
        const auto text = isotick::core::parse_json(json);
        const auto* length = text ? text->find("length") : nullptr;
        if (length == nullptr || !length->as_unsigned()) {
            throw std::invalid_argument("a length is wanted");
        }
        return std::vector<std::uint8_t>(static_cast<std::size_t>(*length->as_unsigned()), 7);
    }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(sum));
    }

    std::uint64_t sum = 0;
};

}  // namespace

ISOTICK_SIMULATION(Describing)
