#pragma once
// Writes down the shape of a state: which values serialize visits, under which names, as what.

#include <isotick/core/detail/fields/token.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

/// The sink of a FieldWalk that is interested in types only. Makes one line per value, such as
/// `units[].velocity.y f32`. Throws std::length_error when they exceed 1 MiB. Not thread-safe.
class ShapeWriter {
  public:
    static constexpr bool kTypesOnly = true;
    static constexpr std::size_t kLongest = std::size_t{1} << 20U;

    void name(const char* name) { name_ = name; }
    void begin_object() { open("", true); }
    void end_object();

    /// A value that stands for others: `suffix` tells what it is to them, such as `[]`.
    void begin_wrapper(std::string_view suffix) { open(suffix, false); }
    void end_wrapper() { close(); }

    /// A value of a type that is not looked into.
    void leaf(std::string_view type);

    template <class T>
    void number(T) {
        leaf(number_name(number_token<T>()));
    }
    template <class T>
    void fixed(unsigned fraction_bits, T) {
        leaf(fixed_name(number_token<T>(), fraction_bits));
    }
    template <class T>
    void numbers(const T*, std::size_t) {
        leaf(std::string(number_name(number_token<T>())) + "[]");
    }
    void bytes(const void*, std::size_t) { leaf("bytes"); }

    /// An example of a type begins; false if it is inside of one already. `tag` is the type's.
    [[nodiscard]] bool begin_example(const void* tag);
    void end_example() { examples_.pop_back(); }

    /// The lines, each with its end of line.
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    struct Frame {
        std::size_t path_size;  // of the path outside
        bool object;            // its values have names or numbers
        std::size_t done;       // values that were begun in it
    };

    void open(std::string_view suffix, bool object);
    void close();
    void step();

    std::string text_;
    std::string path_;
    std::string name_;
    std::vector<Frame> frames_;
    std::vector<const void*> examples_;
};

}  // namespace isotick::core
