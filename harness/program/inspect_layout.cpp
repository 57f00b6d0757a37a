#include "inspect_views.hpp"
#include "json_pieces.hpp"
#include "text.hpp"

#include <isotick/replay/layout.hpp>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::Result;
using harness::Json;
using replay::LayoutBlock;
using replay::LayoutField;
using replay::LayoutReader;

constexpr const char* kTickChunk = "tick chunk";

std::string beginning_of(const std::string& text) {
    constexpr std::size_t kMost = 200;
    return printable(text.substr(0, kMost)) + (text.size() > kMost ? " …" : "");
}

std::string block_row(const LayoutBlock& block) {
    std::string text = fmt::format("{:>12} {:>9}  {}", block.offset, block.bytes, block.type);
    text += block.summary.empty() ? "" : ": " + block.summary;
    text += block.damage.empty() ? "" : fmt::format("  DAMAGED: {}", block.damage);
    return heading(text);
}

std::string field_rows(const LayoutBlock& block) {
    std::string text;
    for (const LayoutField& field : block.fields) {
        text += fmt::format("{:>12} {:>9}    {:<18} {}\n", field.offset, field.bytes,
                            beginning_of(field.name), beginning_of(field.value));
    }
    return text;
}

// The blocks one after the other. Of intact tick chunks the first is spelled out: the others differ
// in their numbers alone.
class LayoutText {
  public:
    static std::string begin(const std::string& path, const LayoutReader& reader) {
        return fmt::format("{}, {}\n{:>12} {:>9}\n", printable(path),
                           counted(reader.file_size(), "byte"), "offset", "bytes");
    }
    std::string of(const LayoutBlock& block) {
        const bool is_routine = block.type == kTickChunk && block.damage.empty();
        const bool is_spelled = !is_routine || !ticks_spelled_;
        ticks_spelled_ = ticks_spelled_ || is_routine;
        return block_row(block) + (is_spelled ? field_rows(block) : "");
    }
    static std::string end(std::uint64_t damages) {
        return damages == 0 ? "" : counted(damages, "damaged place") + "\n";
    }

  private:
    bool ticks_spelled_ = false;
};

// One document; one line for each block.
class LayoutJson {
  public:
    static std::string begin(const std::string& path, const LayoutReader& reader) {
        return beginning_of_document() + fmt::format("\"path\": {}, \"bytes\": {}, \"blocks\": [",
                                                     in_one_line(path), reader.file_size());
    }
    std::string of(const LayoutBlock& block) {
        const Json json{{"offset", block.offset},
                        {"bytes", block.bytes},
                        {"type", block.type},
                        {"summary", block.summary},
                        {"damage", block.damage.empty() ? Json(nullptr) : Json(block.damage)},
                        {"harmless", block.harmless}};
        std::string text = (is_first_ ? "\n" : ",\n") + in_one_line(json);
        is_first_ = false;
        // One by one: a head may have very many.
        text.back() = ',';
        text += "\"fields\":[";
        const char* separator = "";
        for (const LayoutField& field : block.fields) {
            text += separator + in_one_line({{"offset", field.offset},
                                             {"bytes", field.bytes},
                                             {"name", field.name},
                                             {"value", field.value}});
            separator = ",";
        }
        return text + "]}";
    }
    static std::string end(std::uint64_t damages) {
        return fmt::format("\n], \"damages\": {}}}\n", damages);
    }

  private:
    bool is_first_ = true;
};

// How many blocks are damaged to some harm, and to none.
struct Damages {
    std::uint64_t harmful = 0;
    std::uint64_t harmless = 0;
};

template <class Form>
Result<Damages> show(Form form, const std::string& path, LayoutReader& reader, Console& console) {
    Damages damages;
    console.print(Form::begin(path, reader));
    for (;;) {
        const auto block = reader.next();
        if (!block) {
            return tl::unexpected(block.error());
        }
        if (!*block) {
            break;
        }
        if (!(*block)->damage.empty()) {
            ++((*block)->harmless ? damages.harmless : damages.harmful);
        }
        console.print(form.of(**block));
        if (auto drained = console.drain(); !drained) {
            return tl::unexpected(drained.error());
        }
    }
    console.print(Form::end(damages.harmful + damages.harmless));
    return damages;
}

}  // namespace

int show_layout(const InspectOptions& options, Console& console) {
    auto reader = LayoutReader::open(options.recording);
    if (!reader) {
        return fail_with(reader.error(), console);
    }
    const auto damages = options.json ? show(LayoutJson(), options.recording, *reader, console)
                                      : show(LayoutText(), options.recording, *reader, console);
    if (!damages) {
        return fail_with(damages.error(), console);
    }
    return damages->harmful == 0 ? 0 : 3;
}

}  // namespace isotick::program
