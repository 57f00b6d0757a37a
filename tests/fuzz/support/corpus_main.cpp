// Runs a fuzz target on files, where nothing fuzzes: corpus_main FOLDER…

#include "fuzz_target.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace {

// A copy that is exactly as long, so that sanitizers see a read behind its end.
std::vector<char> content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
    return {content.begin(), content.end()};
}

}  // namespace

int main(int count, char** arguments) {
    std::size_t ran = 0;
    for (const char* folder : std::span(arguments, static_cast<std::size_t>(count)).subspan(1)) {
        std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
        std::sort(files.begin(), files.end());
        for (const std::filesystem::path& file : files) {
            std::cerr << file.string() << std::endl;  // the last one named is the one at fault
            const std::vector<char> content = content_of(file);
            isotick::fuzz::run(std::as_bytes(std::span(content)));
            ++ran;
        }
    }
    std::cout << ran << " inputs\n";
    return ran == 0 ? 1 : 0;
}
