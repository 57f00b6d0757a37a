// Snapshots that are right only straight after they were saved, and one that always is.

#include "counter.hpp"
#include "session.hpp"

#include <isotick/harness/detail/trial_runner.hpp>

#include <atomic>
#include <memory>
#include <new>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace isotick::harness::testing {
namespace {

using ::testing::HasSubstr;

enum class Keeps { itself, a_static, an_address_of_state, an_address_of_memory, its_process };

// What a snapshot holds: the state, or where it is.
template <Keeps kWhat>
class Keeper : public Counter {
  public:
    // Of another size each time, so that no table gets the memory of one that is gone.
    Keeper() : table_(std::make_unique<std::uint64_t[]>(1 + 2 * ++made_)) { table_[0] = 7; }
    ~Keeper() { *const_cast<volatile std::uint64_t*>(table_.get()) = 0; }
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    void step(const core::Step& step) {
        count(step);
        total += table_[0];
    }

    template <class Archive>
    void serialize(Archive& archive) {
        if constexpr (kIsSave<Archive>) {
            kept_ = total;
        }
        std::uint64_t word = kept_word();
        if constexpr (kIsSave<Archive> || kIsLoad<Archive>) {
            archive(word);
        }
        archive(cereal::make_nvp("total", total));
        if constexpr (kIsLoad<Archive>) {
            use(word);
        }
    }

  private:
    [[nodiscard]] std::uint64_t kept_word() const {
        switch (kWhat) {
            case Keeps::an_address_of_state:
                return reinterpret_cast<std::uintptr_t>(&total);
            case Keeps::an_address_of_memory:
                return reinterpret_cast<std::uintptr_t>(table_.get());
            case Keeps::its_process:
                return static_cast<std::uint64_t>(getpid());
            default:
                return 0;
        }
    }

    void use(std::uint64_t word) {
        if constexpr (kWhat == Keeps::a_static) {
            total = kept_;
        } else if constexpr (kWhat == Keeps::an_address_of_state) {
            total = *reinterpret_cast<const std::uint64_t*>(word);
        } else if constexpr (kWhat == Keeps::an_address_of_memory) {
            table_[0] = *reinterpret_cast<const std::uint64_t*>(word);
        } else if constexpr (kWhat == Keeps::its_process) {
            total += word == static_cast<std::uint64_t>(getpid()) ? 0U : 1U;
        }
    }

    static inline std::uint64_t kept_ = 0;
    static inline std::size_t made_ = 0;
    std::unique_ptr<std::uint64_t[]> table_;
};

// Finds no memory to save or to load, once: in which of these calls, all processes together, is
// set from outside.
class ShortOnce : public Counter {
  public:
    void step(const core::Step& step) { count(step); }

    template <class Archive>
    void serialize(Archive& archive) {
        if constexpr (kIsSave<Archive> || kIsLoad<Archive>) {
            if (calls_left->fetch_sub(1) == 1) {
                throw std::bad_alloc();
            }
        }
        archive(cereal::make_nvp("total", total));
    }

    static inline auto* const calls_left = static_cast<std::atomic<std::int64_t>*>(
        mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0));
};

template <class Simulation>
std::string snapshot_spots(AuditOptions options = {}) {
    options.flips = false;  // what a changed address leads to is another question
    const AuditReport report = Session(core::simulation_table<Simulation>()).audit(options);
    std::string text;
    for (const BlindSpot& spot : report.blind_spots) {
        text += spot.measurement == Measurement::snapshot ? to_string(spot) + "\n" : "";
    }
    return text;
}

TEST(AuditOfSnapshots, ThatHoldTheStateIsSilent) {
    EXPECT_EQ(snapshot_spots<Keeper<Keeps::itself>>(), "");
}

TEST(AuditOfSnapshots, FindsAStaticThatTheNextSaveOverwrites) {
    EXPECT_THAT(snapshot_spots<Keeper<Keeps::a_static>>(), HasSubstr("and another save, 8 of 8"));
}

TEST(AuditOfSnapshots, FindsAnAddressOfWhatRunsOn) {
    EXPECT_THAT(snapshot_spots<Keeper<Keeps::an_address_of_state>>(),
                HasSubstr("only until the simulation goes on"));
}

TEST(AuditOfSnapshots, FindsAnAddressOfWhatEndsWithItsInstance) {
    EXPECT_THAT(snapshot_spots<Keeper<Keeps::an_address_of_memory>>(),
                HasSubstr("a snapshot needs the instance that saved it"));
}

TEST(AuditOfSnapshots, FindsWhatHoldsInOneProcessOnly) {
    EXPECT_THAT(snapshot_spots<Keeper<Keeps::its_process>>(),
                HasSubstr("a snapshot needs the process that saved it"));
}

TEST(AuditOfSnapshots, BlamesThemForNoShortageThatIsOverWhenItTriesAgain) {
    AuditOptions options;
    options.restores = 1;
    options.poison_states = 1;
    options.liveness = false;
    std::int64_t call = 1;
    for (bool came = true; came; ++call) {
        *ShortOnce::calls_left = call;
        EXPECT_EQ(snapshot_spots<ShortOnce>(options), "") << "call " << call;
        came = *ShortOnce::calls_left <= 0;
    }
    EXPECT_GT(call, 10);
}

TEST(AuditOfSnapshots, WorkersLoadThemInFreshProcesses) {
    const Session session(reference("skirmish"));
    WorkerOptions options;
    options.executable = ISOTICK_PROGRAM;
    std::size_t fresh = 0;
    const ProbeRunner run = probes_in_worker_processes(SimulationName::chosen("skirmish"), options);
    const auto report = audit(session.path(), {}, [&](std::span<const ProbePlan> plans) {
        fresh += static_cast<std::size_t>(std::ranges::count_if(plans, &ProbePlan::fresh));
        return run(plans);
    });
    ASSERT_TRUE(report) << describe(report.error());
    EXPECT_EQ(lines(report->blind_spots), "");
    EXPECT_EQ(fresh, 8U);
}

}  // namespace
}  // namespace isotick::harness::testing
