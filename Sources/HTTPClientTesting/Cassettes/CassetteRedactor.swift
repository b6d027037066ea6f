internal import HTTPClient
internal import Wire

/// A filter that replaces the values a cassette must not contain with `***`.
///
/// Content that cannot be parsed and may contain a secret is replaced as a whole.
struct CassetteRedactor: Sendable {
    private let names: SecretNames
    private static let mask = Array(SecretNames.mask.utf8)
    /// The maximum nesting depth of multiparts.
    private static let maxDepth = 4

    /// Creates a redactor.
    ///
    /// - Parameter names: additional names of secret header fields, parameters and members.
    init(_ names: [String]) {
        self.names = SecretNames(names)
    }

    /// Returns the redacted value of a header field; cookies keep their names.
    func redacted(_ value: String, of name: String) -> String {
        names.shown(value, of: FieldName(name))
    }

    func redacted(_ url: URI, _ hidden: inout RedactionDigest) -> String {
        names.redacted(url, or: url.text, &hidden)
    }

    // MARK: - Content

    /// Returns redacted content.
    ///
    /// - Parameters:
    ///   - body: the content, perhaps with a content coding.
    ///   - headers: the message's header fields; Content-Encoding is removed if the content is
    ///     decoded.
    ///   - boundary: the replacement for the boundary of a multipart; nil keeps it.
    ///   - hidden: a digest to which the replaced values are added.
    /// - Returns: the redacted content.
    func redacted(
        _ body: [UInt8],
        _ headers: inout [(name: String, value: String)],
        boundary: String?,
        _ hidden: inout RedactionDigest
    ) -> [UInt8] {
        let fields = HTTPHeaders(headers.map { (FieldName($0.name), $0.value) })
        let type = fields.contentType
        guard !body.isEmpty, ContentCoding.applied(in: fields) != [] else {
            return redacted(body, as: type, boundary: boundary, &hidden)
        }
        let plain = Self.decoded(body, fields)
        let shown = plain.map { redacted($0, as: type, boundary: boundary, &hidden) }
        if let shown, shown == plain { return body }
        headers.removeAll { FieldName($0.name) == .contentEncoding }
        return shown ?? left(out: body, &hidden)
    }

    /// The maximum length of decoded content that is searched for secrets.
    private static let maxDecodedBytes = 64 << 20

    /// Decodes content; nil if that fails or the result is too long.
    private static func decoded(_ body: [UInt8], _ headers: HTTPHeaders) -> [UInt8]? {
        guard var decoder = try? ContentDecoder(headers) else { return nil }
        let step = 1 << 18
        var output: [UInt8] = []
        var start = 0
        do throws(WireError) {
            while true {
                let rest = body.span.extracting(start..<body.count)
                start += try decoder.decode(rest, into: &output, outputLimit: step)
                guard decoder.hasPendingOutput else { break }
                guard output.count <= maxDecodedBytes else { return nil }
            }
            try decoder.finish()
        } catch {
            return nil
        }
        return output
    }

    private func redacted(
        _ body: [UInt8],
        as type: MediaType?,
        boundary: String? = nil,
        level: Int = 0,
        _ hidden: inout RedactionDigest
    ) -> [UInt8] {
        if type?.type == "multipart" {
            guard level < Self.maxDepth, let form = MultipartRedactor(type), form.delimits(body)
            else {
                return body.isEmpty ? body : left(out: body, &hidden)
            }
            return form.rewritten(body, boundary: boundary) { part, content in
                if part.isSecret(by: names) {
                    hidden.record(Array((part.name ?? "").utf8), content)
                    return Self.mask
                }
                return redacted(content, as: part.type, level: level + 1, &hidden)
            }
        }
        if type?.isForm == true { return names.redacted(form: body, &hidden) }
        // Some clients send a form without a type, or as text.
        let mayBeForm = type?.isVague != false && !Self.looksLikeJSON(body[...])
        let text =
            mayBeForm && body.allSatisfy { $0 > UInt8(ascii: " ") }
            ? names.redacted(form: body, &hidden) : body
        return redacted(text: text, isJSON: type?.isJSON == true, &hidden)
    }

    private func left(out body: [UInt8], _ hidden: inout RedactionDigest) -> [UInt8] {
        hidden.record([], body)
        return Self.mask
    }

    // MARK: - JSON

    private func redacted(
        text body: [UInt8],
        isJSON: Bool,
        _ hidden: inout RedactionDigest
    ) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = body.starts(with: mark) ? body[3...] : body[...]
        if isJSON || Self.looksLikeJSON(text) {
            if let bytes = redacted(json: text, &hidden) { return bytes ?? body }
            let lines = text.split(separator: UInt8(ascii: "\n"))
            var found = hidden
            let shown = lines.map { line -> [UInt8]? in
                guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { return Array(line) }
                return redacted(json: line, &found).map { $0 ?? Array(line) }
            }
            if lines.count > 1, !shown.contains(nil) {
                hidden = found
                let whole = Array(shown.compactMap(\.self).joined(separator: [UInt8(ascii: "\n")]))
                return text.last == UInt8(ascii: "\n") ? whole + [UInt8(ascii: "\n")] : whole
            }
        }
        return names.areMentioned(in: body) ? left(out: body, &hidden) : body
    }

    private static func looksLikeJSON(_ text: ArraySlice<UInt8>) -> Bool {
        let first = text.first { $0 > UInt8(ascii: " ") }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Parses and redacts JSON text.
    ///
    /// - Returns: nil if the text is not JSON; an inner nil if there was nothing to hide.
    private func redacted(
        json text: ArraySlice<UInt8>,
        _ hidden: inout RedactionDigest
    ) -> [UInt8]?? {
        guard
            let json = try? HTTPJSON(parsing: Array(text), maxDepth: JSONEncoding.maxDepth)
        else { return nil }
        let shown = redacted(json, &hidden)
        if shown == json { return .some(nil) }
        // Parsed JSON can be encoded again if duplicate names are allowed.
        return .some((try? JSONEncoding.encode(shown, duplicates: .allowed)) ?? Self.mask)
    }

    private func redacted(_ json: HTTPJSON, _ hidden: inout RedactionDigest) -> HTTPJSON {
        switch json {
        case .array(let elements): return .array(elements.map { redacted($0, &hidden) })
        case .object(let members):
            return .object(
                members.map { member in
                    let isSecret = names.isSecret(member.name, in: .member)
                    let value =
                        isSecret
                        ? masked(member.value, member.name, &hidden)
                        : redacted(member.value, &hidden)
                    return .init(member.name, value)
                }
            )
        case .string(let text) where names.areMentioned(in: Array(text.utf8)):
            return masked(json, "", &hidden)
        default: return json
        }
    }

    /// Masks a value but keeps its type, so that code that decodes the JSON still can.
    private func masked(
        _ json: HTTPJSON,
        _ name: String,
        _ hidden: inout RedactionDigest
    ) -> HTTPJSON {
        switch json {
        case .null, .bool: return json
        case .integer, .unsigned, .number:
            if json.double != 0 { hidden.record(Array(name.utf8), Array(json.description.utf8)) }
            return .integer(0)
        case .string(let text):
            hidden.record(Array(name.utf8), Array(text.utf8))
            return .string(SecretNames.mask)
        case .array(let elements): return .array(elements.map { masked($0, name, &hidden) })
        case .object(let members):
            return .object(
                members.map { .init($0.name, masked($0.value, "\(name).\($0.name)", &hidden)) }
            )
        }
    }
}

extension MediaType {
    fileprivate var isForm: Bool { type == "application" && subtype == "x-www-form-urlencoded" }

    /// Whether the type is plain text, which can be the type of content in any text format.
    fileprivate var isVague: Bool { type == "text" && subtype == "plain" }

    fileprivate var isJSON: Bool { subtype.hasSuffix("json") }
}
