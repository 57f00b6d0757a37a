#pragma once
// A simulation with planted faults, chosen by its environment, so that the session stays the same
// and only its execution goes wrong:
//
//   fault=NAME   what goes wrong
//   at=TICK      when (default 20)
//   onwards=1    not only then, but in each later tick too (those of a step)
//   in=CALL      where: step (default), render, hash, fields, begin_frame, create, destroy
//   with=TEXT    whatever the fault needs to know
//   once=FILE    only where there is no such file yet; it is then made
//
// Misconduct: all that misconduct.hpp knows, also in a row: `page+hang`.
// Faults of the bits: build (another increment), process (the process id in the state), address (an
// address in the state), second (that of the clock), lustrum (five years of it), cycles (the
// timestamp counter), eon (years of it), signals (another increment where handlers of signals and
// started programs do not work beside that counter), dice (those of rand), machine (its name),
// entries (of a folder, in their order), buckets (elements of an unordered container, likewise),
// heap (memory that nothing has written), environ (another increment in an environment of over
// 30,000 bytes), libm (sines, as libm rounds them here), block-order (another increment where later
// blocks lie higher), time-zone (the hour of a moment, here), zone-name (another increment where a
// time zone is named, as for a runtime that knows names alone), fresh (another increment, unless
// the process was forked from the one that loaded this), bot (asking it changes the state), swapped
// (the parts), silent (nothing), print (a line per tick), print-tunables (GLIBC_TUNABLES, once),
// inputs-ignored, constant, nan (in a part of its own).
//
// Faults of the bits that only an unusual host shows: local (a variable that nothing has written),
// kept-input (looks at the memory that an input of an earlier tick was in), rounding (thirds and
// tenths, as the processor rounds), denormal (half of the least normal number), x87 (a third in
// long double), late (15 ms between frame and step), comma (a number in a text, as this locale
// writes it), relative-file (here.txt, where the program was started), descriptor (a file's number,
// if it is 64 or more), upward (another increment where the later of two mappings lies higher),
// home (another increment without a HOME). Their clean twin is own-rounding (thirds, tenths,
// halves, behind a fesetenv of its own).
//
// Faults that only a load shows, of tick `at` and later: predicted-leak (a tick that is stepped
// again has what the inputs added to it the first time), missing-member (`inputs` is not restored),
// late-input (the first step after a load has what the inputs added to the tick before),
// unframed-load (a load outside of a frame adds to the state), stale-cache (what follows from the
// state is not computed again after a load), static (steps are counted in a static), load-clock
// (the first step after a load adds the nanoseconds of the clock), load-second (its seconds).
// Of other instances, at tick `at`: history (one that has not run tick 3 adds to the state),
// leftover (so does one that was destroyed before this one was created), neighbor (so does another
// one that is there).
//
// Of a frame behind tick `at`: long-frame (one that takes a second adds to the state), guarded (so
// does one of a fifth of a second; before tick `at` too, as long as there was no input at all).

#include <isotick/core/adapter.hpp>

#include <chrono>
#include <cstdint>
#include <map>
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
        const std::uint64_t inputs_before = inputs;
        maybe_go_wrong(std::is_same_v<Archive, core::FieldArchive> ? "fields" : "hash");
        if (is("swapped")) {
            archive(CEREAL_NVP(inputs), CEREAL_NVP(counter));
        } else {
            archive(CEREAL_NVP(counter), CEREAL_NVP(inputs));
        }
        if (is("nan")) {
            archive(CEREAL_NVP(ratio));
        }
        if constexpr (std::is_same_v<Archive, core::LoadArchive>) {
            loaded_ = true;
            cached_ = is("stale-cache") ? cached_ : counter;
            inputs = is("missing-member") && tick_ >= at_ ? inputs_before : inputs;
            counter += is("unframed-load") && tick_ >= at_ && !in_frame_ ? 1U : 0U;
        }
    }

    mutable std::uint64_t counter = 0;  // for the fault `bot`
    std::uint64_t inputs = 0;
    float ratio = 0;

  private:
    [[nodiscard]] std::uint64_t wrong_by_host(const core::Step& step, bool now);
    [[nodiscard]] bool is(const char* fault) const { return fault_ == fault; }
    void maybe_go_wrong(const char* call) const;
    [[nodiscard]] std::uint64_t added_by(const core::Step& step);

    std::uint64_t destroyed_before_;  // instances
    std::string fault_;
    std::string call_;
    std::string with_;
    std::string once_;
    std::uint64_t at_ = 0;
    bool onwards_ = false;
    std::uint64_t tick_ = 0;
    bool long_ = false;                   // the frame
    bool had_input_ = false;              // up to now
    bool loaded_ = false;                 // since the last step
    const std::uint8_t* kept_ = nullptr;  // an input's data
    std::uint64_t cached_ = 0;            // `counter`, as it was after the last step
    std::chrono::steady_clock::time_point frame_began_;
    bool in_frame_ = false;                         // between begin_frame and render
    std::map<std::uint64_t, std::uint64_t> added_;  // to `inputs`, by tick, the last time
};

}  // namespace isotick::tests
