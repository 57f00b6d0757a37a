// States that cannot be hashed are errors that say where, never crashes.

#include "canonical.hpp"

#include <memory>
#include <string>

#include <cereal/types/memory.hpp>
#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core::core_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class T>
std::string failure(const T& state) {
    HashSink sink;
    try {
        hash_state(state, sink);
    } catch (const StateError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

struct Link {
    std::unique_ptr<Link> next;
    Link() = default;
    Link(Link&&) = default;
    Link& operator=(Link&&) = default;
    ~Link() {  // without recursion
        while (next) {
            next = std::move(next->next);
        }
    }
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(next));
    }
};

Link chain(int links) {
    Link first;
    for (int i = 1; i < links; ++i) {
        auto next = std::make_unique<Link>();
        next->next = std::move(first.next);
        first.next = std::move(next);
    }
    return first;
}

TEST(BadState, AThousandObjectsDeepIsFine) {
    const Link links = chain(HashArchive::kDeepest);
    HashSink sink;
    EXPECT_NO_THROW(hash_state(links, sink));
}

TEST(BadState, DeeperIsAnErrorWithThePathReached) {
    EXPECT_THAT(failure(chain(HashArchive::kDeepest + 1)), HasSubstr("more than 1000 deep"));
    const std::string text = failure(chain(10'000));
    EXPECT_THAT(text, StartsWith("at next.next.next."));
    EXPECT_THAT(text, HasSubstr("…: objects are nested more than 1000 deep"));
    EXPECT_LT(text.size(), 500U);
}

struct Tree {
    std::vector<Tree> children;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(children);
    }
};

TEST(BadState, DeepContainersAreAnErrorToo) {
    Tree tree;
    for (int i = 0; i < 2000; ++i) {
        Tree parent;
        parent.children.push_back(std::move(tree));
        tree = std::move(parent);
    }
    EXPECT_THAT(failure(tree), HasSubstr("[0][0]"));
}

struct Owner {
    std::shared_ptr<Owner> strong;
    std::weak_ptr<Owner> weak;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(strong), CEREAL_NVP(weak));
    }
};

struct Family {
    std::shared_ptr<Owner> parent = std::make_shared<Owner>();
    template <class Archive>
    void serialize(Archive& archive) {
        archive(CEREAL_NVP(parent));
    }
};

TEST(BadState, SharedPointersThatOwnEachOtherAreAnError) {
    const Family family;
    family.parent->strong = std::make_shared<Owner>();
    family.parent->strong->strong = family.parent;
    EXPECT_EQ(failure(family),
              "at parent.strong.strong: shared pointers form a cycle and own each other: make one "
              "of them a weak_ptr");
    family.parent->strong.reset();
}

TEST(BadState, AWeakPointerBackIsFine) {
    const Family downwards;
    downwards.parent->strong = std::make_shared<Owner>();
    downwards.parent->strong->weak = downwards.parent;
    EXPECT_EQ(failure(downwards), "nothing was thrown");
    const Family upwards;
    const auto child = std::make_shared<Owner>();
    upwards.parent->weak = child;
    child->strong = upwards.parent;
    EXPECT_EQ(failure(upwards), "nothing was thrown");
}

struct Thrower {
    int error = 0;
    template <class Archive>
    void serialize(Archive& archive) {
        archive(error);
        if (error == 1) {
            throw std::runtime_error("no ammunition");
        }
        if (error == 2) {
            throw 2;
        }
    }
};

struct Army {
    std::vector<Thrower> units = std::vector<Thrower>(20);
    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp(std::string("a name that is gone when the error arrives"), units));
    }
};

TEST(BadState, WhatTheStateThrowsCarriesThePath) {
    Army army;
    army.units[17].error = 1;
    EXPECT_EQ(failure(army), "at a name that is gone when the error arrives[17]: no ammunition");
}

TEST(BadState, AnythingElseThatIsThrownIsAnErrorToo) {
    Army army;
    army.units[3].error = 2;
    EXPECT_THAT(failure(army), HasSubstr("[3]: an exception that is not a std::exception"));
}

TEST(BadState, TheSinkIsAsGoodAsNewAfterwards) {
    Army army;
    HashSink sink;
    hash_state(army, sink);
    const auto before = sink.parts()[0].hash;
    army.units[17].error = 1;
    EXPECT_THROW(hash_state(army, sink), StateError);
    army.units[17].error = 0;
    hash_state(army, sink);
    EXPECT_EQ(sink.parts()[0].hash, before);
}

}  // namespace
}  // namespace isotick::core::core_tests
