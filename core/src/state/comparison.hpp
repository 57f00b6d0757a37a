#pragma once
// Compares two field streams, field by field.

#include "field_cursor.hpp"
#include "field_path.hpp"

#include <isotick/core/detail/field_difference.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isotick::core {

// Walks through two field streams side by side and collects what differs.

/// One comparison. Throws FieldDamage where either stream breaks the format.
class Comparison {
  public:
    Comparison(const FieldBytes& before, const FieldBytes& after, std::size_t limit)
        : before_(before), after_(after), limit_(limit) {}

    FieldDifferences run();

  private:
    // A value that is found by its name or key.
    struct Child {
        std::uint64_t key;     // the hash of its name or key
        std::uint64_t key_at;  // where that stands
        std::uint64_t value_at;
        std::uint64_t place;  // among its object's values
        bool used;
    };
    // What the values of a container are found by.
    struct Kind {
        FieldToken token;
        std::uint64_t before_name = 0;  // of entities: where it stands what the key is called
        std::uint64_t after_name = 0;
    };

    void values();
    void contents(FieldToken token, std::uint64_t before_at, std::uint64_t after_at);
    void numbers(FieldToken type);
    void runs();
    void named();
    void fixed();
    void arrays();
    void array_elements(FieldToken type, std::uint64_t count);
    void references(std::uint64_t before_at, std::uint64_t after_at);
    void sequences();
    void unequal_sequences(std::uint64_t before_count, std::uint64_t after_count);
    void objects();
    void keyed(FieldToken token);
    void keyed_otherwise(const Kind& kind);
    bool keys_are_equal();
    [[nodiscard]] std::vector<Child> rest_of_object(FieldCursor& cursor, std::uint64_t place);
    [[nodiscard]] std::vector<Child> rest_of_keyed(FieldCursor& cursor, std::uint64_t count);
    void match(std::vector<Child>& before, std::vector<Child>& after, const Kind& kind);
    void push(FieldCursor& cursor, const Child& child, const Kind& kind);

    void changed(std::uint64_t before_at, std::uint64_t after_at, std::uint64_t from = 0,
                 std::string note = {});
    void changed_number(FieldToken type, std::uint64_t before_at, std::uint64_t after_at);
    void changed_fixed(FixedType type);
    void changed_length(std::uint64_t before, std::uint64_t after, std::uint64_t first,
                        std::uint64_t differing);
    void only(FieldCursor& cursor, const Child& child, const Kind& kind);
    FieldDifference* add(DifferenceKind kind);
    std::size_t count_kind();

    FieldCursor before_;
    FieldCursor after_;
    std::size_t limit_;
    FieldPath path_;
    FieldDifferences found_;
    std::map<std::string, std::size_t> kinds_;  // where they are in found_
    int depth_ = 0;
    bool silent_ = false;  // counts, but lists nothing
};

}  // namespace isotick::core
