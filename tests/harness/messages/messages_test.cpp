// What one process tells another arrives value by value, and what no parent would ask does not.

#include "example_messages.hpp"
#include "run/message_fields.hpp"

#include <cstddef>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness {
namespace {

using ::testing::HasSubstr;

// Changes the value number `wanted` in a message, and counts those it passes. Values with rules of
// their own are left alone, and members that are not carried.
class OneValue {
  public:
    explicit OneValue(std::size_t wanted) : left_(wanted) {}

    [[nodiscard]] bool changed() const { return changed_; }

    template <class T>
    void visit(T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            change([&] { value = !value; });
        } else if constexpr (std::is_same_v<T, InputSource> || detail::HasStandIn<T>) {
            return;
        } else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
            change([&] { value = value == T{} ? T{kLastOf<T>} : T{}; });
        } else if constexpr (std::is_arithmetic_v<T>) {
            change([&] { value = static_cast<T>(value + T{1}); });
        } else if constexpr (std::is_same_v<T, std::byte>) {
            change([&] { value ^= std::byte{0xff}; });
        } else if constexpr (std::is_same_v<T, std::string>) {
            change([&] { value += '\xff'; });
        } else if constexpr (detail::kIsVector<T>) {
            for (auto& element : value) {
                visit(element);
            }
            change([&] { value.emplace_back(); });
        } else if constexpr (detail::kIsOptional<T>) {
            if (value) {
                visit(*value);
            }
            change([&] { value ? value.reset() : void(value.emplace()); });
        } else if constexpr (detail::kIsVariant<T>) {
            std::visit([this](auto& held) { this->visit(held); }, value);
        } else {
            visit_members(value, [&](auto&... members) {
                (..., (detail::is_carried(value, members) ? visit(members) : void()));
            });
        }
    }

  private:
    template <class Change>
    void change(const Change& change) {
        if (left_ == 0 && !changed_) {
            change();
            changed_ = true;
        } else if (!changed_) {
            --left_;
        }
    }

    std::size_t left_;
    bool changed_ = false;
};

template <class Message>
void expect_each_value_carried(const Message& example) {
    for (std::size_t n = 0;; ++n) {
        Message sent = example;
        OneValue one(n);
        one.visit(sent);
        if (!one.changed()) {
            return;
        }
        const std::string bytes = to_bytes(sent);
        EXPECT_NE(bytes, to_bytes(example)) << "value " << n << " is not sent";
        const auto arrived = from_bytes<Message>(bytes);
        ASSERT_TRUE(arrived) << "value " << n << ": " << describe(arrived.error());
        EXPECT_EQ(to_bytes(*arrived), bytes) << "value " << n;
    }
}

TEST(Messages, CarryEveryValue) {
    for (const Job& job : tests::example_jobs()) {
        expect_each_value_carried(job);
    }
    for (const Response& response : tests::example_responses()) {
        expect_each_value_carried(response);
    }
}

core::Schedule captured(const std::shared_ptr<const core::CapturedFrames>& frames) {
    return core::Schedule::parse(
               "5ms, capture(\"run.csv\", from=20ms)",
               [&](const std::string&) {
                   return core::Result<std::shared_ptr<const core::CapturedFrames>>(frames);
               })
        .value();
}

TEST(Messages, CarryCapturesOnTheirOwnOrByTheirFile) {
    const std::vector<std::int64_t> ends{10'000'000, 30'000'000, 60'000'000};
    const core::Schedule own = captured(core::CapturedFrames::own(ends).value());
    const core::Schedule stored = captured(store_frames(ends).value());
    for (const core::Schedule& schedule : {own, stored}) {
        const auto arrived = from_bytes<Drive>(to_bytes(Drive{{}, schedule, {}}));
        ASSERT_TRUE(arrived) << describe(arrived.error());
        EXPECT_EQ(arrived->schedule, own);
    }
    EXPECT_THAT(to_bytes(Drive{{}, stored, {}}), HasSubstr("/proc/")) << "it went frame by frame";
}

TEST(Messages, CarryWhoseWordANameIs) {
    for (const SimulationName& name :
         {SimulationName::recorded(""), SimulationName::chosen("./libgame.so")}) {
        const auto arrived = from_bytes<Job>(to_bytes(Job{name, 0, FactsPlan{}, {}}));
        ASSERT_TRUE(arrived) << describe(arrived.error());
        EXPECT_EQ(arrived->simulation.text(), name.text());
        EXPECT_EQ(arrived->simulation.is_recorded(), name.is_recorded());
    }
}

TEST(Messages, LetAWorkerRecordIntoNothingButAFileOfItsParents) {
    RecordPlan plan;
    plan.overwrite = true;
    plan.appearance = replay::Appearance::complete;
    plan.recorded_inputs = "s.isotick";
    plan.inputs = InputSource::recording;
    const auto arrived = from_bytes<RecordPlan>(to_bytes(plan));
    ASSERT_TRUE(arrived) << describe(arrived.error());
    EXPECT_FALSE(arrived->overwrite);
    EXPECT_EQ(arrived->appearance, replay::Appearance::filled_in);
    EXPECT_EQ(arrived->recorded_inputs, "s.isotick");
    EXPECT_EQ(arrived->inputs, InputSource::recording);
    plan.recorded_inputs.clear();
    EXPECT_FALSE(from_bytes<RecordPlan>(to_bytes(plan)));
}

TEST(Messages, LeaveToTheParentWhatItAdds) {
    TrialResult result;
    const std::string usual = to_bytes(result);
    result.output = "printed";
    result.fresh = !result.fresh;
    EXPECT_EQ(to_bytes(result), usual);
}

TEST(Messages, KeepTheRulesOfWhatTheyCarry) {
    const auto refused = [](auto carried, auto whole) {
        const auto result = from_bytes<decltype(whole)>(to_bytes(carried));
        return result ? "nothing wrong" : result.error().message;
    };
    struct Scheduled {  // which has no usual value
        core::Schedule schedule = core::Schedule::nominal();
    };
    using Text = std::string;
    EXPECT_THAT(refused(Text("round"), core::LoopOptions()), HasSubstr("round"));
    EXPECT_THAT(refused(std::vector{std::pair(Text("a=b"), Text())}, core::Settings()),
                HasSubstr("a=b"));
    EXPECT_THAT(refused(std::pair(std::uint32_t{1}, std::uint32_t{0}), core::TickRate()),
                HasSubstr("above zero"));
    EXPECT_THAT(refused(std::pair(Text("x"), std::vector<CarriedFrames>()), Scheduled()),
                HasSubstr("column 1"));
    EXPECT_NE(refused(std::pair(Text("capture(\"a\")"), std::vector<CarriedFrames>()), Scheduled()),
              "nothing wrong");
    EXPECT_NE(refused(std::pair(Text("capture(\"a\")"),
                                std::vector<CarriedFrames>{std::vector<std::int64_t>{2, 1}}),
                      Scheduled()),
              "nothing wrong");
}

}  // namespace
}  // namespace isotick::harness
