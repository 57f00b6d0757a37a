#include <isotick/core/hash.hpp>
#include <isotick/core/snapshot.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace isotick::core::detail {
namespace {

constexpr std::array<unsigned char, 8> kMagic = {0x8a, 'I', 'S', 'S', '\r', '\n', 0x1a, '\n'};
constexpr std::uint32_t kVersion = 1;

struct Line {
    std::string_view path;
    std::string_view type;
};

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t space = std::min(line.size(), line.rfind(' '));
        lines.push_back({line.substr(0, space), line.substr(std::min(line.size(), space + 1))});
    }
    std::sort(lines.begin(), lines.end(),
              [](const Line& a, const Line& b) { return a.path < b.path; });
    return lines;
}

std::string named(std::string_view path) {
    constexpr std::size_t kLongest = 200;
    return path.empty() ? "the state" : "member `" + std::string(path.substr(0, kLongest)) + "`";
}

// What made the shape of the snapshot, `then`, the shape of this build, `now`.
std::string changes(std::string_view then_text, std::string_view now_text) {
    constexpr std::size_t kMost = 5;
    const std::vector<Line> then = lines_of(then_text);
    const std::vector<Line> now = lines_of(now_text);
    std::vector<std::string> found;
    auto old = then.begin();
    auto fresh = now.begin();
    while (old != then.end() || fresh != now.end()) {
        if (old == then.end() || (fresh != now.end() && fresh->path < old->path)) {
            found.push_back(named((fresh++)->path) + " is new in this build");
        } else if (fresh == now.end() || old->path < fresh->path) {
            found.push_back(named((old++)->path) + " is gone in this build");
        } else {
            if (old->type != fresh->type) {
                found.push_back(named(old->path) + " was " + std::string(old->type.substr(0, 40)) +
                                ", is " + std::string(fresh->type));
            }
            ++old;
            ++fresh;
        }
    }
    if (found.empty()) {
        return "its members come in another order";
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i) {
        text += (i == 0 ? "" : "; ") + found[i];
    }
    return found.size() <= kMost ? text
                                 : text + "; and " + std::to_string(found.size() - kMost) + " more";
}

}  // namespace

Shape finish_shape(std::string text) {
    const std::uint64_t fingerprint = hash_bytes(std::as_bytes(std::span(text)));
    return {std::move(text), fingerprint};
}

void write_snapshot_head(ByteWriter& writer, const Shape& shape) {
    writer.put(kMagic.data(), kMagic.size());
    writer.put_number(kVersion);
    writer.put_number(shape.fingerprint);
    writer.put_number(static_cast<std::uint32_t>(shape.text.size()));
    writer.put(shape.text.data(), shape.text.size());
}

std::span<const std::byte> read_snapshot_head(std::span<const std::byte> bytes,
                                              const Shape& shape) {
    LoadReader reader(bytes);
    if (bytes.size() < kMagic.size() ||
        std::memcmp(reader.take(kMagic.size()).data(), kMagic.data(), kMagic.size()) != 0) {
        throw std::runtime_error("this is not a snapshot");
    }
    const auto version = reader.number<std::uint32_t>();
    if (version != kVersion) {
        throw std::runtime_error("the snapshot has version " + std::to_string(version) +
                                 ", this isotick reads version " + std::to_string(kVersion));
    }
    const auto fingerprint = reader.number<std::uint64_t>();
    const std::size_t size = reader.number<std::uint32_t>();
    if (size > ShapeWriter::kLongest) {
        throw std::runtime_error("the snapshot's description of its state is too long");
    }
    const auto text = reader.take(size);
    const std::string_view then(reinterpret_cast<const char*>(text.data()), text.size());
    if (fingerprint != hash_bytes(text)) {
        throw std::runtime_error("the snapshot's description of its state is damaged");
    }
    if (then != shape.text) {
        throw std::runtime_error("the snapshot is of another build: " + changes(then, shape.text));
    }
    return bytes.subspan(reader.offset());
}

void throw_trailing(std::size_t size) {
    throw std::runtime_error(std::to_string(size) + " extra bytes after the state");
}

}  // namespace isotick::core::detail
