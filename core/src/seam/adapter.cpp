#include <isotick/core/adapter.hpp>
#include <isotick/core/detail/seam/seam_text.hpp>

#include <cstddef>
#include <mutex>

namespace isotick::core::detail {

void write_all(const isotick_sink& sink, std::string_view bytes) {
    if (sink.write(sink.context, bytes.data(), bytes.size()) != ISOTICK_OK) {
        throw std::runtime_error("the host takes no more");
    }
}

/// Passes on what is looked up until it is closed: settings may be copied and live longer.
class ReportedReads::Reporter : public ReadObserver {
  public:
    using Call = void (*)(void* reads, const char* key);

    Reporter(Call call, void* reads) : call_(call), reads_(reads) {}

    void read(const char* key) override {
        const std::lock_guard lock(mutex_);
        if (call_ != nullptr) {
            call_(reads_, key);
        }
    }

    void close() {
        const std::lock_guard lock(mutex_);
        call_ = nullptr;
    }

  private:
    std::mutex mutex_;
    Call call_;
    void* reads_;
};

ReportedReads::ReportedReads(const isotick_setup& setup) {
    config_ = std::make_shared<Reporter>(setup.read_config, setup.reads);
    environment_ = std::make_shared<Reporter>(setup.read_environment, setup.reads);
}

ReportedReads::~ReportedReads() {
    config_->close();
    environment_->close();
}

SimulationSetup ReportedReads::take(const isotick_setup& setup) const {
    SimulationSetup made{
        .rate = take_setting(TickRate::make(setup.rate_numerator, setup.rate_denominator)),
        .players = setup.players,
        .seed = setup.seed,
        .config = take_setting(settings_from_c(setup.config, setup.config_count)),
        .environment = take_setting(settings_from_c(setup.environment, setup.environment_count))};
    made.config.observe_reads(config_);
    made.environment.observe_reads(environment_);
    return made;
}

bool copy_parts(const HashSink& sink, std::span<isotick_part> parts, std::uint32_t& count) {
    const std::span<const HashSink::Part> hashed = sink.parts();
    if (hashed.size() > parts.size()) {
        return false;
    }
    for (std::size_t i = 0; i < hashed.size(); ++i) {
        parts[i] = {hashed[i].name.c_str(), hashed[i].hash.value};
    }
    count = static_cast<std::uint32_t>(hashed.size());
    return true;
}

}  // namespace isotick::core::detail
