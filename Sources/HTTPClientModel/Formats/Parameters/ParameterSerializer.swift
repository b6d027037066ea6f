internal import Wire

/// A writer of queries (RFC 3986 §3.4) and of form content (URL Standard §5.2).
package struct ParameterSerializer {
    /// The kind of encoding.
    package enum Coding {
        /// A space is `%20`; `/` and `?` stay.
        case query
        /// A space is `+`, and a name without a value is followed by `=`.
        case form
    }

    /// The full name of a parameter that cannot be written, and the reason.
    package struct EncodeError: Error {
        package let name: String
        package let reason: HTTPParameters.EncodingError

        package init(name: String, reason: HTTPParameters.EncodingError) {
            self.name = name
            self.reason = reason
        }
    }

    private let coding: Coding
    private let style: HTTPParameters.Style
    private var output: [UInt8] = []

    private init(_ coding: Coding, _ style: HTTPParameters.Style) {
        self.coding = coding
        self.style = style
    }

    /// Writes a query, without its question mark.
    package static func query(
        _ parameters: HTTPParameters,
        _ style: HTTPParameters.Style
    ) throws(EncodeError) -> String {
        var text = ParameterSerializer(.query, style)
        for element in parameters { try text.append(element.name, element.value) }
        return String(decoding: text.output, as: UTF8.self)
    }

    /// Writes the content of a form.
    package static func form(
        _ parameters: HTTPParameters,
        _ style: HTTPParameters.Style
    ) throws(EncodeError) -> [UInt8] {
        var text = ParameterSerializer(.form, style)
        for element in parameters { try text.append(element.name, element.value) }
        return text.output
    }

    /// Percent-encodes text for a query.
    package static func encoded(_ text: String) -> String {
        var output: [UInt8] = []
        append(text, .query, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    // MARK: - Structure

    private mutating func append(
        _ name: String,
        _ value: HTTPParameters.ParameterValue
    ) throws(EncodeError) {
        switch value {
        case .array(let elements) where style.array == .comma:
            guard !elements.isEmpty else { return }
            appendName(name)
            output.append(UInt8(ascii: "="))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                encode(try scalarText(element, of: name) ?? "")
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try append(name + mark(ofElement: index), element)
            }
        case .object(let members):
            for member in members { try append("\(name)[\(member.name)]", member.value) }
        default:
            let text = try scalarText(value, of: name)
            appendName(name)
            if text != nil || coding == .form { output.append(UInt8(ascii: "=")) }
            if let text { encode(text) }
        }
    }

    private func mark(ofElement index: Int) -> String {
        switch style.array {
        case .brackets: "[]"
        case .indices: "[\(index)]"
        case .repeated, .comma: ""
        }
    }

    private mutating func appendName(_ name: String) {
        if !output.isEmpty { output.append(UInt8(ascii: "&")) }
        encode(name)
    }

    private mutating func encode(_ text: String) {
        Self.append(text, coding, to: &output)
    }

    // MARK: - Values

    /// Returns the text of a value without elements; nil for null.
    private func scalarText(
        _ value: HTTPParameters.ParameterValue,
        of name: String
    ) throws(EncodeError) -> String? {
        do throws(HTTPParameters.EncodingError) {
            return try Self.scalarText(value, style)
        } catch {
            throw EncodeError(name: name, reason: error)
        }
    }

    /// Returns the text of a value without elements; nil for null.
    static func scalarText(
        _ value: HTTPParameters.ParameterValue,
        _ style: HTTPParameters.Style
    ) throws(HTTPParameters.EncodingError) -> String? {
        switch value {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): try text(of: number)
        case .bool(let truth):
            switch style.bool {
            case .numbers: truth ? "1" : "0"
            case .literals: truth ? "true" : "false"
            }
        case .date(let seconds): try text(of: seconds, style.date)
        case .null: nil
        case .array, .object: throw .nestedInCommaList
        }
    }

    /// Formats a number in the fewest digits that distinguish it, independent of the locale.
    private static func text(of number: Double) throws(HTTPParameters.EncodingError) -> String {
        if number.isNaN { throw .notANumber }
        if number.isInfinite { throw .infinite }
        if number == 0, number.sign == .minus { throw .negativeZero }
        return "\(number)"
    }

    private static func text(
        of seconds: Double,
        _ style: HTTPParameters.Style.DateStyle
    ) throws(HTTPParameters.EncodingError) -> String {
        // The years that four digits can represent, which is the range of `HTTPDate`.
        guard seconds >= -62_167_219_200, seconds < 253_402_300_800 else { throw .dateOutOfRange }
        let whole = Int(seconds.rounded(.down))
        switch style {
        case .secondsSince1970:
            return Double(whole) == seconds ? "\(whole)" : "\(seconds)"
        case .millisecondsSince1970:
            return "\(Int((seconds * 1000).rounded()))"
        case .iso8601:
            return iso8601(HTTPDate(secondsSince1970: whole))
        }
    }

    /// Converts `Sun, 06 Nov 1994 08:49:37 GMT` to the format of RFC 3339.
    private static func iso8601(_ date: HTTPDate) -> String {
        let parts = date.description.split(separator: " ")
        guard parts.count == 6 else { preconditionFailure("a date has six parts") }
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let month = (months.firstIndex { $0 == parts[2] } ?? 0) + 1
        return "\(parts[3])-\(month < 10 ? "0" : "")\(month)-\(parts[1])T\(parts[4])Z"
    }

    // MARK: - Bytes

    private static func append(_ text: String, _ coding: Coding, to output: inout [UInt8]) {
        let digits: [UInt8] = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                output.append(byte)
            case UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"):
                coding == .query ? output.append(byte) : appendTriplet(byte, digits, &output)
            case UInt8(ascii: "*") where coding == .form:
                output.append(byte)
            case UInt8(ascii: " ") where coding == .form:
                output.append(UInt8(ascii: "+"))
            default:
                appendTriplet(byte, digits, &output)
            }
        }
    }

    private static func appendTriplet(_ byte: UInt8, _ digits: [UInt8], _ output: inout [UInt8]) {
        output.append(UInt8(ascii: "%"))
        output.append(digits[Int(byte >> 4)])
        output.append(digits[Int(byte & 15)])
    }
}
