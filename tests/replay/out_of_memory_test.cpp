// Whichever allocation fails, once or from then on: no call throws or succeeds wrongly, every file
// that is left can be read, and what was promised is in it.

#include "failing_allocations.hpp"
#include "fake_session.hpp"
#include "scratch.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/new_file.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/playback.hpp>
#include <isotick/replay/recorder.hpp>
#include <isotick/replay/repair.hpp>
#include <isotick/replay/state_ring.hpp>

#if defined(ISOTICK_TEST_C_API)
#include <isotick/replay/isotick.h>
#endif

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#if defined(__GLIBC__)

namespace isotick::replay {
namespace {

constexpr std::uint64_t kMostAllocations = 100'000;

// The ticks of a session, made before memory runs out.
class PreparedTicks {
  public:
    explicit PreparedTicks(const FakeSession& session) : ticks_(session.ticks + 1) {
        for (std::uint64_t tick = 0; tick <= session.ticks; ++tick) {
            prepare(session, tick);
        }
    }

    struct Prepared {
        std::vector<Input> truth;
        std::vector<isotick_input> inputs;
        std::vector<core::PartHash> parts;  // before the tick
        TickHashes before;
        std::optional<core::TickDt> dt;
    };
    [[nodiscard]] const Prepared& operator[](std::uint64_t tick) const {
        return ticks_[static_cast<std::size_t>(tick)];
    }
    [[nodiscard]] const TickHashes& after(std::uint64_t tick) const {
        return (*this)[tick + 1].before;
    }

  private:
    void prepare(const FakeSession& session, std::uint64_t number) {
        Prepared& tick = ticks_[static_cast<std::size_t>(number)];
        const std::uint32_t players = session.head.session.players;
        for (std::uint32_t column = 0; column <= players; ++column) {
            tick.truth.push_back(session.input(number, column));
        }
        for (std::uint32_t column = 0; column <= players; ++column) {
            const Input& input = tick.truth[column];
            tick.inputs.push_back({column < players ? column : ISOTICK_WORLD, input ? 1U : 0U,
                                   input ? input->size() : 0, input ? input->data() : nullptr});
        }
        tick.parts = session.parts_after(number);
        tick.before = {session.state_after(number), tick.parts};
        tick.dt = session.dt(number);
    }

    std::vector<Prepared> ticks_;
};

// What became of a recording, told without memory.
struct Outcome {
    bool threw = false;
    bool created = false;
    bool failed = false;  // a call but finish
    bool finished = false;
    bool has_failure = false;
    std::uint64_t promised = 0;
};

class OutOfMemory : public Scratch {
  protected:
    void SetUp() override {
        if (!FailingAllocations::are_supported()) {
            GTEST_SKIP() << "no allocation can be made to fail here";
        }
    }

    // Does `attempt` with the n-th allocation failing, for every n that there is, then `check`s.
    template <class Attempt, class Check>
    void with_every_failure(const Attempt& attempt, const Check& check) {
        for (const bool lasting : {false, true}) {
            std::uint64_t n = 1;
            for (bool has_failed = true; has_failed && n < kMostAllocations; ++n) {
                SCOPED_TRACE("allocation " + std::to_string(n) + (lasting ? " and all after" : ""));
                {
                    const FailingAllocations failing(n, lasting);
                    attempt();
                }
                has_failed = FailingAllocations::have_failed();
                check();
                if (HasFailure()) {
                    return;
                }
            }
            EXPECT_GT(n, 3U);
        }
    }

    void check_recording(const Outcome& outcome, bool replaces) {
        ASSERT_FALSE(outcome.threw);
        ASSERT_FALSE(outcome.finished && (outcome.failed || outcome.has_failure));
        ASSERT_EQ(outcome.has_failure, outcome.created && !outcome.finished);
        const bool beside = replaces && !outcome.finished;
        if (beside) {
            ASSERT_EQ(read_bytes(path()), old_);
        }
        const auto file = beside ? path("s.isotick.unfinished") : path();
        if (!std::filesystem::exists(file)) {
            ASSERT_EQ(outcome.promised, 0U);
            ASSERT_FALSE(outcome.created && !replaces);
            return;
        }
        ASSERT_TRUE(outcome.created);
        const ReadThrough read = read_through(file, session_);
        ASSERT_FALSE(read.error) << describe(*read.error);
        ASSERT_EQ(read.mismatch, "");
        ASSERT_FALSE(read.damage) << read.damage->reason;
        ASSERT_GE(read.ticks, outcome.promised);
        ASSERT_EQ(read.saw_last, outcome.finished);
        ASSERT_EQ(read.has_tail, outcome.finished);
        ASSERT_EQ(survey(file)->is_unfinished(), !outcome.finished);
    }

    void start_over(bool replaces) {
        for (const std::string& name : names()) {
            std::filesystem::remove(path(name));
        }
        if (replaces) {
            write_bytes(path(), old_);
        }
    }

    // Each in a state of its own, as `record` makes it with memory running out.
    template <class Record>
    void check_recorder(const Record& record) {
        for (const bool replaces : {false, true}) {
            Outcome outcome;
            start_over(replaces);
            with_every_failure(
                [&] {
                    outcome = {};
                    try {
                        record(replaces, outcome);
                    } catch (...) {
                        outcome.threw = true;
                    }
                },
                [&] {
                    check_recording(outcome, replaces);
                    start_over(replaces);
                });
        }
    }

    const FakeSession session_ = small_session();
    const PreparedTicks ticks_{session_};
    const std::vector<std::byte> old_{std::byte{1}};
    const std::string path_ = path();
};

TEST_F(OutOfMemory, EndsARecorderCleanly) {
    for (const std::uint32_t most_unconfirmed : {0U, 8U}) {
        check_recorder([&](bool replaces, Outcome& outcome) {
            auto recorder = Recorder::create(path_, session_.head, ticks_[0].before,
                                             {.overwrite = replaces,
                                              .durable = false,
                                              .patience_ms = 60'000,
                                              .most_unconfirmed = most_unconfirmed});
            if (!recorder) {
                return;
            }
            outcome.created = true;
            for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
                const bool recorded = recorder
                                          ->record(core::Tick{tick}, ticks_[tick].inputs,
                                                   &ticks_.after(tick), ticks_[tick].dt)
                                          .has_value();
                const bool confirmed = recorder->confirm(core::Tick{tick}).has_value();
                outcome.failed = outcome.failed || !recorded || !confirmed;
                outcome.promised = recorder->written_through();
            }
            outcome.finished = recorder->finish(ticks_[session_.ticks].before).has_value();
            outcome.promised = recorder->written_through();
            outcome.has_failure = recorder->failure().has_value();
        });
    }
}

TEST_F(OutOfMemory, EndsAWriterCleanly) {
    check_recorder([&](bool replaces, Outcome& outcome) {
        auto writer =
            Writer::create(path_, session_.head, ticks_[0].before, {.overwrite = replaces});
        if (!writer) {
            return;
        }
        outcome.created = true;
        for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
            const bool appended =
                writer->append(ticks_[tick].inputs, &ticks_.after(tick), ticks_[tick].dt)
                    .has_value();
            outcome.failed = outcome.failed || !appended;
            outcome.promised = writer->written_through();
        }
        outcome.finished = writer->finish(ticks_[session_.ticks].before).has_value();
        outcome.promised = writer->written_through();
        outcome.has_failure = !outcome.finished;
        (void)writer->session_digest();
    });
}

#if defined(ISOTICK_TEST_C_API)

TEST_F(OutOfMemory, EndsARecorderInCCleanly) {
    const std::string name = path_;
    const char* const parts[] = {"part0", "part1"};
    isotick_recording_head head{};
    head.struct_size = sizeof head;
    head.players = 2;
    head.seed = session_.head.session.seed;
    head.rate_numerator = 10;
    head.rate_denominator = 1;
    head.hash_every = session_.head.hash_every;
    head.parts_every = session_.head.parts_every;
    head.simulation = "fake";
    head.part_count = 2;
    head.part_names = parts;
    const auto hashes = [&](std::uint64_t ticks_done) {
        const TickHashes& given = ticks_[ticks_done].before;
        return isotick_hashes{given.state.value,
                              reinterpret_cast<const std::uint64_t*>(given.parts.data()), 2, 0};
    };
    check_recorder([&](bool replaces, Outcome& outcome) {
        isotick_recorder_options options{};
        options.struct_size = sizeof options;
        options.overwrite = replaces ? 1 : 0;
        options.skip_sync = 1;
        options.patience_ms = 60'000;
        const isotick_hashes initial = hashes(0);
        isotick_recorder* recorder = nullptr;
        if (isotick_recorder_create(name.c_str(), &head, &initial, &options, &recorder, nullptr) !=
            ISOTICK_OK) {
            outcome.created = recorder != nullptr;
            return;
        }
        outcome.created = true;
        for (std::uint64_t tick = 0; tick < session_.ticks; ++tick) {
            const isotick_hashes after = hashes(tick + 1);
            const auto& own = ticks_[tick].dt;
            const isotick_dt dt{own ? own->numerator() : 1, own ? own->denominator() : 10, 0};
            outcome.failed = isotick_recorder_record_dt(recorder, tick, ticks_[tick].inputs.data(),
                                                        3, &dt, &after, nullptr) != ISOTICK_OK ||
                             outcome.failed;
            outcome.promised = isotick_recorder_written_through(recorder);
        }
        const isotick_hashes last = hashes(session_.ticks);
        outcome.finished = isotick_recorder_finish(recorder, &last, 60'000, nullptr) == ISOTICK_OK;
        outcome.promised = isotick_recorder_written_through(recorder);
        outcome.has_failure = isotick_recorder_failure(recorder, nullptr) != ISOTICK_OK;
        isotick_recorder_destroy(recorder);
    });
}

#endif

// Each reads a recording and says how many ticks it found, 0 where something is wrong with it.
using ReadTicks = core::Result<std::uint64_t> (*)(const std::string& path);

template <class Chunks>
core::Result<std::uint64_t> ticks_of(Chunks& chunks) {
    std::uint64_t ticks = 0;
    for (;;) {
        ISOTICK_TRY_ASSIGN(const auto* const chunk, chunks.next());
        if (chunk == nullptr) {
            return ticks;
        }
        ticks += chunk->ticks();
    }
}

constexpr std::array<ReadTicks, 6> kReads{
    [](const std::string& path) -> core::Result<std::uint64_t> {
        ISOTICK_TRY_ASSIGN(auto reader, Reader::open(path));
        ISOTICK_TRY_ASSIGN(const std::uint64_t ticks, ticks_of(reader));
        return reader.saw_last() && !reader.damage() ? ticks : 0;
    },
    [](const std::string& path) -> core::Result<std::uint64_t> {
        ISOTICK_TRY_ASSIGN(auto reader, Reader::open(path));
        ISOTICK_TRY_ASSIGN(std::uint64_t n, reader.chunk_count());
        std::uint64_t ticks = 0;
        while (n-- > 0) {
            ISOTICK_TRY_ASSIGN(const auto* const chunk, reader.chunk(n));
            ticks += chunk->ticks();
        }
        return ticks;
    },
    [](const std::string& path) -> core::Result<std::uint64_t> {
        ISOTICK_TRY_ASSIGN(auto chunks, SurvivingChunks::open(path));
        ISOTICK_TRY_ASSIGN(const auto extent, chunks.extent());
        ISOTICK_TRY(chunks.seek(core::Tick{0}));
        ISOTICK_TRY_ASSIGN(const std::uint64_t ticks, ticks_of(chunks));
        return extent.end.value == ticks ? ticks : 0;
    },
    [](const std::string& path) -> core::Result<std::uint64_t> {
        ISOTICK_TRY_ASSIGN(const auto found, survey(path));
        return found.finished && found.damages.empty() ? found.ticks : 0;
    },
    [](const std::string& path) -> core::Result<std::uint64_t> {
        ISOTICK_TRY_ASSIGN(const auto found, compare(path, path));
        return found.identical() ? found.a.ticks : 0;
    },
    [](const std::string& path) -> core::Result<std::uint64_t> {
        ISOTICK_TRY_ASSIGN(const auto found, compare(path, path, CompareDepth::digests));
        return found.identical() ? found.b.ticks : 0;
    },
};

TEST_F(OutOfMemory, IsAnErrorWhereverARecordingIsRead) {
    ASSERT_TRUE(session_.record(path_));
    const auto whole = read_bytes(path_);
    const std::string without_tail = path("without_tail");
    Corruption(whole).truncate(whole.size() - 1).save(without_tail);
    for (const auto* const file : {&path_, &without_tail}) {
        for (const ReadTicks& read : kReads) {
            SCOPED_TRACE("read " + std::to_string(&read - kReads.data()));
            std::optional<core::Result<std::uint64_t>> ticks;
            with_every_failure(
                [&] {
                    ticks.reset();
                    try {
                        ticks.emplace(read(*file));
                    } catch (...) {  // stays empty
                    }
                },
                [&] {
                    ASSERT_TRUE(ticks) << "an exception was thrown";
                    if (*ticks) {
                        ASSERT_EQ(**ticks, session_.ticks);
                    } else {
                        ASSERT_EQ(ticks->error().code, core::ErrorCode::io);
                    }
                });
        }
    }
}

TEST_F(OutOfMemory, NeverMakesAPlaybackSayMoreThanItSaw) {
    ASSERT_TRUE(session_.record(path_));
    const PlaybackOptions options{.most_rollback = 4};
    std::optional<PlaybackReport> report;
    bool threw = false;
    with_every_failure(
        [&] {
            report.reset();
            try {
                auto playback = Playback::open(path_, options);
                if (!playback) {
                    return;
                }
                (void)playback->check_initial(ticks_[0].before);
                std::uint64_t tick = 0;
                while (playback->next_frame()) {
                    if (playback->inputs(core::Tick{tick})) {
                        (void)playback->check(core::Tick{tick}, &ticks_.after(tick));
                        ++tick;
                    }
                }
                report.emplace(playback->report());
            } catch (...) {
                threw = true;
            }
        },
        [&] {
            ASSERT_FALSE(threw);
            if (!report || report->verdict == PlaybackVerdict::identical) {
                ASSERT_TRUE(!report || report->ticks == session_.ticks);
                return;
            }
            ASSERT_EQ(report->reason, "out of memory");
            ASSERT_EQ(report->verdict, PlaybackVerdict::unreadable);
        });
}

TEST_F(OutOfMemory, NeverLetsAStateRingWriteHalfAState) {
    std::vector<std::byte> fields;
    const isotick_sink sink{&fields, [](void* context, const void* data, std::uint64_t size) {
                                auto& all = *static_cast<std::vector<std::byte>*>(context);
                                const auto* const first = static_cast<const std::byte*>(data);
                                all.insert(all.end(), first, first + size);
                                return std::int32_t{ISOTICK_OK};
                            }};
    core::write_fields(std::vector<std::uint64_t>(50, 7), sink);
    StateRing whole("ring", 2);
    ASSERT_TRUE(whole.keep(3, {5}, fields));
    ASSERT_TRUE(whole.write(3, path("whole")));
    bool kept = false;
    bool written = false;
    bool threw = false;
    StateRing empty("ring", 2);
    with_every_failure(
        [&] {
            try {
                written = false;
                StateRing ring("ring", 2);
                kept = ring.keep(3, {5}, fields).has_value();
                written = ring.write(3, path_).has_value();
            } catch (const std::bad_alloc&) {  // from the constructor, which says so
                kept = false;
            } catch (...) {
                threw = true;
            }
        },
        [&] {
            ASSERT_FALSE(threw);
            ASSERT_FALSE(written && !kept);
            ASSERT_EQ(std::filesystem::exists(path_), written);
            if (written) {
                ASSERT_EQ(read_bytes(path_), read_bytes(path("whole")));
                std::filesystem::remove(path_);
            }
        });
}

TEST_F(OutOfMemory, NeverLetsARepairWriteLess) {
    ASSERT_TRUE(session_.record(path("whole")));
    Corruption damaged(read_bytes(path("whole")));
    damaged.flip_byte(damaged.chunks()[2] + 30).save(path("damaged"));
    const auto expected = repair(path("damaged"), path("expected"));
    ASSERT_TRUE(expected);
    const std::string source = path("damaged");
    std::optional<core::Result<RepairReport>> report;
    bool threw = false;
    with_every_failure(
        [&] {
            try {
                report.emplace(repair(source, path_));
            } catch (...) {
                threw = true;
            }
        },
        [&] {
            ASSERT_FALSE(threw);
            ASSERT_EQ(std::filesystem::exists(path_), report->has_value());
            if (!*report) {
                ASSERT_EQ(report->error().code, core::ErrorCode::io) << describe(report->error());
                return;
            }
            ASSERT_EQ(read_bytes(path_), read_bytes(path("expected")));
            ASSERT_EQ((*report)->skipped.size(), expected->skipped.size());
            ASSERT_EQ((*report)->saved_ticks, expected->saved_ticks);
            std::filesystem::remove(path_);
        });
    for (const std::string& name : names()) {
        EXPECT_EQ(name.find("partial"), std::string::npos) << name;
    }
}

}  // namespace
}  // namespace isotick::replay

#endif
