#include "value_origin.hpp"

#include "../system/site_names.hpp"
#include "traced_step.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace isotick::harness {
namespace {

constexpr std::size_t kMostFollowed = 4096;  // instructions
constexpr std::uint64_t kCarryFlag = 0x1;
constexpr std::uint64_t kZeroFlag = 0x40;
constexpr RegisterValue kAddress{~std::uint64_t{0}, 0};
constexpr std::size_t kMostTried = 16;      // origins whose code is looked up
constexpr std::size_t kMostApart = 65'536;  // instructions of which the sides run others

// What it computes with depends on addresses, and is no concern of the simulation's.
bool is_of_allocator(std::string_view function) {
    constexpr std::array<std::string_view, 7> kFunctions{
        "malloc", "calloc", "realloc", "free", "operator new", "operator delete", "new"};
    return std::ranges::find(kFunctions, function) != kFunctions.end();
}

// Which instructions of two traces are the same one.
class Alignment {
  public:
    Alignment(const TracedStep& a, const TracedStep& b) : of_a_(a.size()), of_b_(b.size()) {
        const auto in_a = names(a);
        const auto in_b = names(b);
        std::size_t i = 0;
        std::size_t k = 0;
        while (i < in_a.size() && k < in_b.size()) {
            if (in_a[i] == in_b[k]) {
                of_a_[i] = k;
                of_b_[k] = i;
                last_ = std::pair(i, k);
                ++i;
                ++k;
            } else if (!meet_again(in_a, in_b, i, k)) {
                break;
            }
            split_a_.resize(i + 1, last_);
            split_b_.resize(k + 1, last_);
        }
        split_a_.resize(a.size() + 1, last_);
        split_b_.resize(b.size() + 1, last_);
    }

    using Pair = std::optional<std::pair<std::size_t, std::size_t>>;

    [[nodiscard]] std::optional<std::size_t> of_a(std::size_t at) const { return of_a_[at]; }
    [[nodiscard]] std::optional<std::size_t> of_b(std::size_t at) const { return of_b_[at]; }

    /// The last common instruction in front of one that is not.
    [[nodiscard]] Pair before_a(std::size_t at) const { return split_a_[at]; }
    [[nodiscard]] Pair before_b(std::size_t at) const { return split_b_[at]; }

  private:
    // The instruction, and how deep in calls.
    using Name = std::tuple<std::string_view, std::uint64_t, std::size_t>;

    static std::vector<Name> names(const TracedStep& step) {
        std::vector<Name> all;
        all.reserve(step.size());
        for (std::size_t at = 0; at < step.size(); ++at) {
            const TracedStep::Place place = step.place(at);
            all.emplace_back(place.file, place.offset, step.depth(at));
        }
        return all;
    }

    // The nearest instruction that both run, in the same call or in one around it.
    static bool meet_again(const std::vector<Name>& a, const std::vector<Name>& b, std::size_t& i,
                           std::size_t& k) {
        std::map<Name, std::size_t> seen_a;
        std::map<Name, std::size_t> seen_b;
        const std::size_t deepest =
            std::min(i == 0 ? SIZE_MAX : std::get<2>(a[i - 1]), std::get<2>(a[i]));
        for (std::size_t ahead = 0; ahead < kMostApart; ++ahead) {
            const bool has_a = i + ahead < a.size();
            const bool has_b = k + ahead < b.size();
            if (!has_a && !has_b) {
                return false;
            }
            if (has_a && std::get<2>(a[i + ahead]) <= deepest) {
                seen_a.try_emplace(a[i + ahead], i + ahead);
            }
            if (has_b && std::get<2>(b[k + ahead]) <= deepest) {
                seen_b.try_emplace(b[k + ahead], k + ahead);
            }
            if (has_a) {
                if (const auto found = seen_b.find(a[i + ahead]); found != seen_b.end()) {
                    i += ahead;
                    k = found->second;
                    return true;
                }
            }
            if (has_b) {
                if (const auto found = seen_a.find(b[k + ahead]); found != seen_a.end()) {
                    i = found->second;
                    k += ahead;
                    return true;
                }
            }
        }
        return false;
    }

    Pair last_;
    std::vector<std::optional<std::size_t>> of_a_;
    std::vector<std::optional<std::size_t>> of_b_;
    std::vector<Pair> split_a_;
    std::vector<Pair> split_b_;
};

// Follows values that differ back to what they were computed from.
class Slice {
  public:
    Slice(const TracedStep& a, const TracedStep& b) : a_(a), b_(b), alignment_(a, b) {}

    std::optional<ValueOrigin> origin_of(std::uint64_t in_a, std::uint64_t in_b) {
        if ((in_a > 0 && in_a <= a_.size()) || (in_b > 0 && in_b <= b_.size())) {
            follow_write(in_a, in_b);
        }
        while (!left_.empty() && known_.size() < kMostFollowed) {
            const Both next = left_.back();
            left_.pop_back();
            follow(next);
        }
        return left_.empty() ? first_found() : std::nullopt;
    }

  private:
    // An instruction on both sides whose result differs, or which only is the last common one.
    struct Both {
        std::size_t in_a = 0;
        std::size_t in_b = 0;
        bool is_store = false;  // the one that it began with, which need not read what differs
        // Followed for an address, which may be another on both sides though it means the same.
        bool is_for_address = false;
    };
    enum class Difference { none, of_addresses, of_values };

    void follow_write(std::uint64_t in_a, std::uint64_t in_b) {
        const bool has_a = in_a > 0 && in_a <= a_.size();
        if (has_a) {
            if (const auto other = alignment_.of_a(in_a - 1)) {
                left_.push_back({in_a - 1, *other, true});
            } else {
                take_split(alignment_.before_a(in_a - 1), false);
            }
        } else if (const auto other = alignment_.of_b(in_b - 1)) {
            left_.push_back({*other, in_b - 1, true});
        } else {
            take_split(alignment_.before_b(in_b - 1), false);
        }
    }

    void take_split(const Alignment::Pair& last_common, bool is_for_address) {
        if (last_common) {
            left_.push_back({last_common->first, last_common->second, false, is_for_address});
        }
    }

    void follow(const Both& at) {
        if (!known_.emplace(at.in_a, at.in_b).second) {
            return;
        }
        const Operation& operation = a_.operation(at.in_a);
        Difference found = Difference::none;
        for (const auto& [from, bits] : operation.reads) {
            const Difference difference = differs(from, bits, at);
            found = std::max(found, difference);
            if (difference == Difference::of_values) {
                follow_register(from, at, at.is_for_address);
            }
        }
        if (found == Difference::of_values) {
            return;
        }
        if (found == Difference::of_addresses && !at.is_store && makes_number(at)) {
            found_at(at, ValueOrigin::Kind::address);
        } else if (a_.read(at.in_a).size > 0) {
            follow_memory(at);
        } else if (found == Difference::of_addresses) {
            follow_addresses(at);
        } else if (operation.kind == Operation::Kind::asks_processor) {
            found_at(at, ValueOrigin::Kind::processor);
        } else if (operation.kind == Operation::Kind::asks_system) {
            found_at(at, ValueOrigin::Kind::system);
        } else if (at.is_store) {
            follow_place(operation.to, at);
        }
    }

    [[nodiscard]] Difference differs(std::size_t of, const RegisterValue& bits,
                                     const Both& at) const {
        const RegisterValue in_a = a_.value(of, at.in_a);
        const RegisterValue in_b = b_.value(of, at.in_b);
        Difference found = Difference::none;
        for (std::size_t i = 0; i < in_a.size(); ++i) {
            if ((in_a[i] & bits[i]) != (in_b[i] & bits[i])) {
                found = std::max(found, kind_of(in_a[i] & bits[i], in_b[i] & bits[i]));
            }
        }
        return found;
    }

    [[nodiscard]] Difference kind_of(std::uint64_t in_a, std::uint64_t in_b) const {
        const TracedStep::Place one = a_.place_of(in_a);
        const TracedStep::Place other = b_.place_of(in_b);
        if (!one.file.empty() && one == other) {
            return Difference::none;
        }
        return a_.is_on_heap_or_stack(in_a) && b_.is_on_heap_or_stack(in_b)
                   ? Difference::of_addresses
                   : Difference::of_values;
    }

    void follow_register(std::size_t of, const Both& at, bool is_for_address) {
        follow_writers(a_.last_writer(of, at.in_a), b_.last_writer(of, at.in_b), is_for_address);
    }

    // Those that wrote last, on each side. False if they are common, but not the same.
    bool follow_writers(std::optional<std::size_t> in_a, std::optional<std::size_t> in_b,
                        bool is_for_address) {
        if (in_a && in_b && alignment_.of_a(*in_a) == in_b) {
            left_.push_back({*in_a, *in_b, false, is_for_address});
        } else if (in_a && !alignment_.of_a(*in_a)) {
            take_split(alignment_.before_a(*in_a), is_for_address);
        } else if (in_b && !alignment_.of_b(*in_b)) {
            take_split(alignment_.before_b(*in_b), is_for_address);
        } else {
            return false;
        }
        return true;
    }

    void follow_memory(const Both& at) {
        const Operation::Operand& operand = a_.operation(at.in_a).from;
        if (follow_place(operand, at) || at.is_store) {
            return;  // other memory
        }
        const auto in_a = a_.last_writer(a_.read(at.in_a), at.in_a);
        const auto in_b = b_.last_writer(b_.read(at.in_b), at.in_b);
        if (follow_writers(in_a, in_b, at.is_for_address)) {
            return;
        }
        if (const auto other = later_writer(in_a, in_b)) {
            const Operation::Operand& to = a_.operation(other->in_a).to;
            if (!follow_place(to, *other)) {
                follow_addresses_of(to, *other);
            }
        }
        follow_addresses_of(operand, at);
        if (in_a || in_b || !has_other_result(at)) {
            return;
        }
        found_at(at, a_.asks_system(0, at.in_a) || b_.asks_system(0, at.in_b)
                         ? ValueOrigin::Kind::system
                         : ValueOrigin::Kind::memory);
    }

    // Of two common writers, the one that writes there on one side only.
    [[nodiscard]] std::optional<Both> later_writer(std::optional<std::size_t> in_a,
                                                   std::optional<std::size_t> in_b) const {
        const auto of_b = in_b ? alignment_.of_b(*in_b) : std::nullopt;
        if (in_a && (!of_b || *in_a > *of_b)) {
            return Both{*in_a, *alignment_.of_a(*in_a)};
        }
        return of_b ? std::optional(Both{*of_b, *in_b}) : std::nullopt;
    }

    void follow_addresses_of(const Operation::Operand& operand, const Both& at) {
        for (const auto& part : {operand.base, operand.index}) {
            if (part && part != kStackRegister &&
                differs(*part, kAddress, at) == Difference::of_addresses) {
                follow_register(*part, at, true);
            }
        }
    }

    // What an address of memory is computed from, if that differs.
    bool follow_place(const Operation::Operand& operand, const Both& at) {
        bool does = false;
        for (const auto& part : {operand.base, operand.index}) {
            if (part && differs(*part, kAddress, at) == Difference::of_values) {
                follow_register(*part, at, at.is_for_address);
                does = true;
            }
        }
        return does;
    }

    // Whether it makes another number of addresses that differ, or orders them otherwise.
    [[nodiscard]] bool makes_number(const Both& at) const {
        const Both behind{at.in_a + 1, at.in_b + 1};
        const Operation& operation = a_.operation(at.in_a);
        if (operation.kind == Operation::Kind::compares) {
            return differs(kFlagsRegister, {kCarryFlag, 0}, behind) != Difference::none &&
                   differs(kFlagsRegister, {kZeroFlag, 0}, behind) == Difference::none;
        }
        return a_.read(at.in_a).size == 0 && has_other_result(at, kFlagsRegister);
    }

    // Other than an address.
    [[nodiscard]] bool has_other_result(const Both& at, std::size_t except = kRegisters) const {
        const Both behind{at.in_a + 1, at.in_b + 1};
        for (std::size_t to = 0; to < kRegisters; ++to) {
            if ((a_.operation(at.in_a).writes >> to & 1U) != 0 && to != except &&
                differs(to, {~std::uint64_t{0}, ~std::uint64_t{0}}, behind) ==
                    Difference::of_values) {
                return true;
            }
        }
        return false;
    }

    void follow_addresses(const Both& at) {
        for (const auto& [from, bits] : a_.operation(at.in_a).reads) {
            if (from != kStackRegister && differs(from, bits, at) == Difference::of_addresses) {
                follow_register(from, at, true);
            }
        }
    }

    void found_at(const Both& at, ValueOrigin::Kind kind) {
        found_.emplace(at.in_a, std::pair(kind, at.is_for_address));
    }

    // Of all that was found, what ran first.
    [[nodiscard]] std::optional<ValueOrigin> first_found() const {
        std::size_t tried = 0;
        for (const auto& [in_a, found] : found_) {
            const auto& [kind, is_for_address] = found;
            CalledCode code = called_code_of(a_.stack(in_a), kMostFunctions);
            const bool is_of_library = is_for_address && !code.called.empty();
            if (!code.code.empty() && !is_of_library && !is_of_allocator(code.called)) {
                return ValueOrigin{kind, std::move(code.called), std::move(code.code)};
            }
            if (++tried == kMostTried) {
                break;
            }
        }
        return std::nullopt;
    }

    const TracedStep& a_;
    const TracedStep& b_;
    Alignment alignment_;
    std::vector<Both> left_;
    std::set<std::pair<std::size_t, std::size_t>> known_;
    std::map<std::size_t, std::pair<ValueOrigin::Kind, bool>> found_;  // by instruction
};

}  // namespace

std::optional<ValueOrigin> find_origin(const TracedWrite& a, const TracedWrite& b) {
    const TracedStep in_a(a.trace);
    const TracedStep in_b(b.trace);
    auto found = Slice(in_a, in_b).origin_of(a.instruction, b.instruction);
    if (found && found->kind == ValueOrigin::Kind::memory && (!a.is_whole || !b.is_whole)) {
        found->kind = ValueOrigin::Kind::earlier;
    }
    return found;
}

namespace {

// None if the system may have written there after it.
std::optional<std::size_t> last_certain_writer(const TracedStep& step, const MemoryOperand& to) {
    const auto found = step.last_writer(to, step.size());
    return found && !step.may_be_written_by_system(*found, step.size()) ? found : std::nullopt;
}

}  // namespace

std::optional<LastWrites> first_written(const InstructionTrace& a, const InstructionTrace& b,
                                        std::span<const ValuePlaces> values) {
    const TracedStep in_a(a);
    const TracedStep in_b(b);
    std::optional<LastWrites> first;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto one = last_certain_writer(in_a, {values[i].in_a, values[i].size});
        const auto other = last_certain_writer(in_b, {values[i].in_b, values[i].size});
        if (one && other && (!first || *one < first->in_a - 1)) {
            first = LastWrites{i, *one + 1, *other + 1, {}, {}};
        }
    }
    if (!first) {
        return std::nullopt;
    }
    first->code_a = called_code_of(in_a.stack(first->in_a - 1), kMostFunctions).code;
    first->code_b = called_code_of(in_b.stack(first->in_b - 1), kMostFunctions).code;
    return first->code_a.empty() || first->code_b.empty() ? std::nullopt : std::move(first);
}

}  // namespace isotick::harness
