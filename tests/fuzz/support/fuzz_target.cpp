#include "fuzz_target.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace isotick::fuzz {

void require(bool kept, std::string_view broken) {
    if (!kept) {
        std::cerr << "broken promise: " << broken << std::endl;
        std::abort();
    }
}

}  // namespace isotick::fuzz

/// What libFuzzer and corpus_main.cpp call.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    isotick::fuzz::run(std::as_bytes(std::span(data, size)));
    return 0;
}
