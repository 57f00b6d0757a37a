#pragma once
// Whether each field of a struct crosses from process to process.

#include "run/message_archives.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace isotick::harness::tests {

/// `CarriedFields<Place>().carry(&Place::steps, 3U)…`
template <class T>
class CarriedFields {
  public:
    /// A struct in which this field alone is not as usual arrives with it.
    template <class Member, class Value>
    CarriedFields& carry(Member T::*member, Value value) {
        SCOPED_TRACE("field " + std::to_string(++carried_));
        T sent{};
        sent.*member = std::move(value);
        const std::string bytes = to_bytes(sent);
        EXPECT_NE(bytes, to_bytes(T{})) << "it is not sent, or has its usual value";
        const auto arrived = from_bytes<T>(bytes);
        EXPECT_TRUE(arrived) << describe(arrived.error());
        if (arrived) {
            EXPECT_EQ(to_bytes(*arrived), bytes);
        }
        return *this;
    }

  private:
    int carried_ = 0;  // so far
};

}  // namespace isotick::harness::tests
