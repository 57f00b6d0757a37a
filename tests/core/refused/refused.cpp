// Does not compile, on purpose: each line must end in the message that check.cmake expects.

#include <isotick/core/hash_archive.hpp>

#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace {

struct Forgotten {
    int value = 0;
};
struct Gap {
    char a = 0;
    int b = 0;
};

template <class T>
void hash(const T& value) {
    isotick::core::HashSink sink;
    isotick::core::HashArchive archive(sink);
    archive(value);
}

void refused(int* pointer) {
    hash(pointer);
    hash(1.0L);
    hash(L'w');
    hash(std::string_view("text"));
    hash(std::function<void()>());
    hash(std::unique_ptr<int[]>());
    hash(std::map<std::shared_ptr<int>, int>());
    hash(Forgotten());
    const int number = 0;
    hash(cereal::defer(number));
    Gap gap;
    hash(cereal::binary_data(&gap, sizeof gap));
}

}  // namespace
