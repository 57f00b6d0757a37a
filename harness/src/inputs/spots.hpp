#pragma once
// The values within a JSON text, each with its place, so that one can be exchanged for another.

#include <isotick/core/detail/text/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// One value of a document.
struct Spot {
    std::string path;              ///< `orders[].x`: the same for all elements of an array
    const core::JsonValue* value;  ///< within the document, which must outlive the spot
    std::size_t members_end;       ///< of the object whose member it is: where its last one ends;
                                   ///< of any other value: where it ends itself
};

/// All values of the document, its own first and each before those within it; at most the first
/// 1,024. A leaf that is exchanged for another leaves the spots before it and its own where they
/// were.
[[nodiscard]] std::vector<Spot> spots_of(const core::JsonValue& document);

/// The text of `value` within its document's.
[[nodiscard]] std::string_view literal_of(const core::JsonValue& value, std::string_view text);

/// `text` with `literal` in place of what is from offset `begin` to `end`.
[[nodiscard]] std::string spliced(std::string_view text, std::size_t begin, std::size_t end,
                                  std::string_view literal);

}  // namespace isotick::harness
