#pragma once
// A simulation with planted faults, chosen by its environment, so that the session stays the same
// and only its execution goes wrong:
//
//   fault=NAME   what goes wrong
//   at=TICK      when (default 20)
//   in=CALL      where: step (default), render, hash, fields, begin_frame, create, destroy
//   once=FILE    only where there is no such file yet; it is then made
//
// Crashing faults: abort, segfault, stack, exit, kill, throw, throw-int, hang, memory,
// closed-channel.
// Faults of the bits: build (another increment), process (the process id in the state), address (an
// address in the state), second (that of the clock), heap (memory that nothing has written),
// environ (another increment in an environment of over 30,000 bytes), fresh (another increment,
// unless the process was forked from the one that loaded this), bot (asking it changes the state),
// swapped (the parts), silent (nothing), print (a line per tick), inputs-ignored, constant, nan (in
// a part of its own).

#include <isotick/core/adapter.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace isotick::tests {

class Faulty {
  public:
    static constexpr core::SimulationInfo kInfo{.name = "faulty",
                                                .summary = "goes wrong when told to",
                                                .most_players = 4,
                                                .usual_players = 1};

    explicit Faulty(const core::SimulationSetup& setup);
    ~Faulty();
    Faulty(const Faulty&) = delete;
    Faulty& operator=(const Faulty&) = delete;

    void begin_frame(core::FrameTime);
    void step(const core::Step& step);
    void render(double alpha);
    bool propose_input(const core::Proposal& proposal, std::vector<std::uint8_t>& bytes) const;

    template <class Archive>
    void serialize(Archive& archive) {
        maybe_go_wrong(std::is_same_v<Archive, core::FieldArchive> ? "fields" : "hash");
        if (is("swapped")) {
            archive(CEREAL_NVP(inputs), CEREAL_NVP(counter));
        } else {
            archive(CEREAL_NVP(counter), CEREAL_NVP(inputs));
        }
        if (is("nan")) {
            archive(CEREAL_NVP(ratio));
        }
    }

    mutable std::uint64_t counter = 0;  // for the fault `bot`
    std::uint64_t inputs = 0;
    float ratio = 0;

  private:
    [[nodiscard]] bool is(const char* fault) const { return fault_ == fault; }
    void maybe_go_wrong(const char* call) const;

    std::string fault_;
    std::string call_;
    std::string once_;
    std::uint64_t at_ = 0;
    std::uint64_t tick_ = 0;
};

}  // namespace isotick::tests
