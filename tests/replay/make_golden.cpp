// Writes the golden recordings into a directory: replay_make_golden tests/replay/golden
// Only for a new format version; those of released versions never change.

#include "golden_sessions.hpp"

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: replay_make_golden <directory>\n", stderr);
        return 2;
    }
    const std::string directory = std::string(argv[1]) + "/";
    using namespace isotick::replay;
    const auto plain = golden_session().record(directory + "version-1.isotick");
    const auto zstd = golden_zstd_session().record(directory + "version-1-zstd.isotick");
    const auto dts = golden_dt_session().record(directory + "version-1-dt.isotick");
    const auto dt_zstd = golden_dt_zstd_session().record(directory + "version-1-dt-zstd.isotick");
    for (const auto& recorded : {plain, zstd, dts, dt_zstd}) {
        if (!recorded) {
            std::fprintf(stderr, "%s\n", describe(recorded.error()).c_str());
            return 3;
        }
    }
    return 0;
}
