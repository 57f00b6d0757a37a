// A program that is built with a sanitizer, or seems to be, around a simulation that can only be
// made where its memory is not limited: sanitizers reserve more addresses than any limit allows.

#include <isotick/core/adapter.hpp>

#include <cstdint>
#include <stdexcept>

#include <sys/resource.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void __tsan_init();  // NOLINT(bugprone-reserved-identifier)
extern "C" void __tsan_init() {}
#endif

namespace {

class Sanitized {
  public:
    static constexpr isotick::core::SimulationInfo kInfo{.name = "sanitized"};

    explicit Sanitized(const isotick::core::SimulationSetup&) {
        rlimit limit{};
        if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) {
            throw std::runtime_error("the memory is limited");
        }
    }

    void step(const isotick::core::Step&) { ++ticks_; }

    template <class Archive>
    void serialize(Archive& archive) {
        archive(cereal::make_nvp("ticks", ticks_));
    }

  private:
    std::uint64_t ticks_ = 0;
};

}  // namespace

ISOTICK_SIMULATION(Sanitized)
