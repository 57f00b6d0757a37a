// parse_json: RapidJSON reads, in the copy that comes with cereal.

#include <isotick/core/detail/json.hpp>

#include <set>
#include <utility>

#include <cereal/archives/json.hpp>

namespace isotick::core {
namespace {

namespace rapid = rapidjson;

/// Builds a document from what RapidJSON's reader meets, within limits, noting where each value
/// stands. Each event returns false to stop; error() then says why.
class DocumentBuilder {
  public:
    DocumentBuilder(std::string_view text, const rapid::MemoryStream& stream,
                    const JsonLimits& limits)
        : text_(text), stream_(stream), limits_(limits) {}

    bool Null() { return leaf(JsonValue::Kind::null, {}); }
    bool Bool(bool truth) {
        truth_ = truth;
        return leaf(JsonValue::Kind::boolean, {});
    }
    bool RawNumber(const char* text, rapid::SizeType size, bool /*copy*/) {
        return leaf(JsonValue::Kind::number, {text, size});
    }
    bool String(const char* text, rapid::SizeType size, bool /*copy*/) {
        return leaf(JsonValue::Kind::string, {text, size});
    }
    bool StartObject() { return open(JsonValue::Kind::object); }
    bool StartArray() { return open(JsonValue::Kind::array); }
    bool EndObject(rapid::SizeType /*members*/) { return close(); }
    bool EndArray(rapid::SizeType /*elements*/) { return close(); }

    bool Key(const char* text, rapid::SizeType size, bool /*copy*/) {
        Open& object = open_.back();
        object.name.assign(text, size);
        object.name_offset = begin_token();
        if (!is_utf8(object.name)) {
            return refuse_surrogate(object.name_offset);
        }
        if (!object.names.insert(object.name).second) {
            return refuse(ErrorCode::damaged, "\"" + object.name + "\" appears twice here",
                          object.name_offset);
        }
        return true;
    }

    // Numbers come as text.
    bool Int(int) { return false; }
    bool Uint(unsigned) { return false; }
    bool Int64(std::int64_t) { return false; }
    bool Uint64(std::uint64_t) { return false; }
    bool Double(double) { return false; }

    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    [[nodiscard]] JsonValue& document() { return root_; }

  private:
    struct Open {
        JsonValue value;
        std::set<std::string> names;  // of the object so far
        std::string name;             // of the member that comes next
        std::size_t name_offset = 0;
    };

    // RapidJSON tells where a token ends; between tokens there is nothing but these.
    std::size_t begin_token() {
        const std::size_t begin = text_.find_first_not_of(" \t\r\n,:", last_end_);
        last_end_ = stream_.Tell();
        return begin;
    }

    bool refuse(ErrorCode code, std::string message, std::size_t offset) {
        error_ = Error{code, std::move(message), {}, offset, {}};
        return false;
    }

    // RapidJSON lets the second half of a pair pass without the first.
    bool refuse_surrogate(std::size_t offset) {
        return refuse(ErrorCode::damaged, "half of a surrogate pair is missing", offset);
    }

    bool begin_value(JsonValue& value, JsonValue::Kind kind) {
        value.kind = kind;
        value.offset = begin_token();
        if (++values_ > limits_.values) {
            return refuse(ErrorCode::limit,
                          "more than " + std::to_string(limits_.values) + " values", value.offset);
        }
        return true;
    }

    bool leaf(JsonValue::Kind kind, std::string_view content) {
        JsonValue value;
        if (!begin_value(value, kind)) {
            return false;
        }
        if (kind == JsonValue::Kind::string && !is_utf8(content)) {
            return refuse_surrogate(value.offset);
        }
        value.truth = kind == JsonValue::Kind::boolean && truth_;
        value.text = content;
        end_value(std::move(value));
        return true;
    }

    bool open(JsonValue::Kind kind) {
        Open opened;
        if (!begin_value(opened.value, kind)) {
            return false;
        }
        if (open_.size() == limits_.depth) {
            return refuse(ErrorCode::limit, "nested too deeply", opened.value.offset);
        }
        open_.push_back(std::move(opened));
        return true;
    }

    bool close() {
        last_end_ = stream_.Tell();
        JsonValue closed = std::move(open_.back().value);
        open_.pop_back();
        end_value(std::move(closed));
        return true;
    }

    void end_value(JsonValue value) {
        value.size = stream_.Tell() - value.offset;
        if (open_.empty()) {
            root_ = std::move(value);
            return;
        }
        Open& parent = open_.back();
        parent.value.members.push_back(
            {std::move(parent.name), parent.name_offset, std::move(value)});
        parent.name.clear();
    }

    std::string_view text_;
    const rapid::MemoryStream& stream_;
    JsonLimits limits_;
    std::vector<Open> open_;
    JsonValue root_;
    std::size_t last_end_ = 0;
    std::size_t values_ = 0;
    bool truth_ = false;
    std::optional<Error> error_;
};

std::string message_of(rapid::ParseErrorCode code) {
    switch (code) {
        case rapid::kParseErrorDocumentEmpty:
            return "a value is missing";
        case rapid::kParseErrorDocumentRootNotSingular:
            return "nothing may follow here";
        case rapid::kParseErrorValueInvalid:
            return "no JSON value begins like this";
        case rapid::kParseErrorObjectMissName:
            return "a name in quotes is missing";
        case rapid::kParseErrorObjectMissColon:
            return "':' is missing";
        case rapid::kParseErrorObjectMissCommaOrCurlyBracket:
            return "',' or '}' is missing";
        case rapid::kParseErrorArrayMissCommaOrSquareBracket:
            return "',' or ']' is missing";
        case rapid::kParseErrorStringUnicodeEscapeInvalidHex:
            return "four hexadecimal digits are wanted";
        case rapid::kParseErrorStringUnicodeSurrogateInvalid:
            return "half of a surrogate pair is missing";
        case rapid::kParseErrorStringEscapeInvalid:
            return "there is no such escape, or a control character is not escaped";
        case rapid::kParseErrorStringMissQuotationMark:
            return "the string does not end";
        case rapid::kParseErrorStringInvalidEncoding:
            return "this is not UTF-8";
        case rapid::kParseErrorNumberMissFraction:
        case rapid::kParseErrorNumberMissExponent:
            return "a digit is missing";
        case rapid::kParseErrorNumberTooBig:
            return "the exponent is beyond what a double has";
        default:
            return "this is not JSON";
    }
}

}  // namespace

Result<JsonValue> parse_json(std::string_view text, const JsonLimits& limits) {
    rapid::MemoryStream stream(text.data(), text.size());
    DocumentBuilder builder(text, stream, limits);
    // Not the iterative parser, which tells its handler of brackets before it has taken them. The
    // limit on depth bounds the recursion.
    constexpr unsigned kFlags =
        rapid::kParseValidateEncodingFlag | rapid::kParseNumbersAsStringsFlag;
    const rapid::ParseResult read = rapid::Reader().Parse<kFlags>(stream, builder);
    if (builder.error()) {
        return tl::unexpected(*builder.error());
    }
    // A NUL looks like the end to RapidJSON.
    const bool went_through = stream.Tell() == text.size();
    if (read.IsError() || !went_through) {
        const auto code = read.IsError() ? read.Code() : rapid::kParseErrorDocumentRootNotSingular;
        const std::size_t offset = read.IsError() ? read.Offset() : stream.Tell();
        const bool is_too_big = code == rapid::kParseErrorNumberTooBig;
        return tl::unexpected(Error{
            is_too_big ? ErrorCode::limit : ErrorCode::damaged, message_of(code), {}, offset, {}});
    }
    return std::move(builder.document());
}

bool is_utf8(std::string_view text) {
    rapid::MemoryStream stream(text.data(), text.size());
    unsigned code_point = 0;
    while (stream.Tell() < text.size()) {
        if (!rapid::UTF8<>::Decode(stream, &code_point)) {
            return false;
        }
    }
    return true;
}

}  // namespace isotick::core
