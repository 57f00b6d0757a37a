#include "field_search.hpp"

#include <isotick/core/detail/fields/field_digests.hpp>
#include <isotick/core/hash.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace isotick::core {
namespace {

// A path without its indices and keys.
struct Node {
    std::string kind;
    std::map<std::string, std::size_t> members;
    std::size_t elements = 0;  // where they are; 0, the root: nowhere yet
    std::uint64_t digest = 0;
    bool has_fields = false;  // of its own, in any state so far
};

}  // namespace

struct FieldDigests::Tree {
    std::vector<Node> nodes = {Node()};
    std::vector<std::size_t> kinds;  // nodes in the order in which they first had fields

    std::size_t add(std::string kind) {
        nodes.push_back({std::move(kind), {}, 0, 0, false});
        return nodes.size() - 1;
    }

    std::size_t elements_of(std::size_t node) {
        if (nodes[node].elements == 0) {
            const std::size_t made = add(nodes[node].kind + "[*]");
            nodes[node].elements = made;
        }
        return nodes[node].elements;
    }

    std::size_t member_of(std::size_t node, const std::string& name) {
        if (const auto known = nodes[node].members.find(name); known != nodes[node].members.end()) {
            return known->second;
        }
        const std::string& kind = nodes[node].kind;
        const std::size_t made = add(kind.empty() ? name : kind + "." + name);
        nodes[node].members.emplace(name, made);
        return made;
    }

    // Mixes a number into a node's digest, which then is not 0.
    void mix(std::size_t node, std::uint64_t number) {
        if (!std::exchange(nodes[node].has_fields, true)) {
            kinds.push_back(node);
        }
        std::uint64_t& digest = nodes[node].digest;
        std::uint64_t mixed = (digest ^ number) + 0x9e3779b97f4a7c15U;  // SplitMix64
        mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
        digest = std::max<std::uint64_t>(mixed ^ (mixed >> 31U), 1);
    }
};

namespace {

/// Walks through one state.
template <class Tree>
class Digesting : public FieldSearch<Digesting<Tree>> {
  public:
    static constexpr bool kLooksAtKeys = true;

    Digesting(std::span<const std::byte> fields, Tree& tree)
        : FieldSearch<Digesting<Tree>>(fields), tree_(tree) {}

    bool enter() {
        const auto& path = this->path();
        at_.push_back(path.ends_at_element() ? tree_.elements_of(at_.back())
                                             : tree_.member_of(at_.back(), path.last()));
        return true;
    }
    void leave() { at_.pop_back(); }

    ElementRange elements(FieldToken container, std::uint64_t count) {
        mix(container, count);
        return {0, count};
    }

    bool number(FieldToken type, const std::byte* bytes) {
        std::uint64_t value = 0;
        for (std::uint32_t i = 0; i < number_size(type); ++i) {
            value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        }
        mix(type, value);
        return false;
    }

    bool other(FieldToken token) {
        mix(token, hash_value(this->cursor()));
        return false;
    }

    bool empty(FieldToken container) {
        mix(container, 0);
        return false;
    }

  private:
    void mix(FieldToken token, std::uint64_t number) {
        tree_.mix(at_.back(), static_cast<std::uint64_t>(token));
        tree_.mix(at_.back(), number);
    }

    Tree& tree_;
    std::vector<std::size_t> at_ = {0};
};

}  // namespace

FieldDigests::FieldDigests() : tree_(std::make_unique<Tree>()) {}
FieldDigests::~FieldDigests() = default;
FieldDigests::FieldDigests(FieldDigests&&) noexcept = default;
FieldDigests& FieldDigests::operator=(FieldDigests&&) noexcept = default;

Result<void> FieldDigests::take(std::span<const std::byte> fields) {
    for (Node& node : tree_->nodes) {
        node.digest = 0;
    }
    try {
        Digesting<Tree>(fields, *tree_).walk();
        return {};
    } catch (const FieldDamage& damage) {
        return failure(damage);
    }
}

std::size_t FieldDigests::kinds() const {
    return tree_->kinds.size();
}

const std::string& FieldDigests::kind(std::size_t number) const {
    return tree_->nodes[tree_->kinds[number]].kind;
}

std::uint64_t FieldDigests::digest(std::size_t number) const {
    return tree_->nodes[tree_->kinds[number]].digest;
}

}  // namespace isotick::core
