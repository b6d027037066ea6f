internal import Wire

/// Puts `***` in the place of what a cassette must not hold.
struct CassetteSecrets: Sendable {
    /// Of members, parameters and fields of forms, besides those that every URL is searched for.
    private static let members = [
        "password", "access_token", "refresh_token", "id_token", "client_secret",
        "client_assertion", "token", "secret", "api_key", "apikey",
    ]

    private let names: SecretNames

    /// - Parameter names: of fields, parameters and members that are secrets too.
    init(_ names: [String]) {
        self.names = SecretNames(Self.members + names)
    }

    /// Returns the value of a field as it may be written down; cookies keep their names.
    func redacted(_ value: String, of name: String) -> String {
        let field = FieldName(name)
        if field == .setCookie {
            guard let equals = value.firstIndex(of: "=") else { return SecretNames.mask }
            let attributes = value[equals...].firstIndex(of: ";").map { value[$0...] } ?? ""
            return "\(value[..<equals])=\(SecretNames.mask)\(attributes)"
        }
        if field == .cookie {
            return value.split(separator: ";").map { pair in
                "\(pair.prefix { $0 != "=" })=\(SecretNames.mask)"
            }
            .joined(separator: ";")
        }
        if field == .location || field == .referer || field == .contentLocation {
            return names.redacted(try? URI(percentEncoding: value), or: value)
        }
        return names.redacted(value, of: field)
    }

    func redacted(_ url: URI) -> String { names.redacted(url, or: url.text) }

    /// Returns a form as it may be written down.
    func redacted(form: [UInt8]) -> [UInt8] {
        guard let text = String(validating: form, as: UTF8.self) else { return form }
        return Array(names.redacted(query: text).utf8)
    }

    /// Returns content as it may be written down: JSON without its secret members, all else as it is.
    func redacted(_ body: [UInt8]) -> [UInt8] {
        guard let first = body.first(where: { $0 > UInt8(ascii: " ") }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let json = try? HTTPJSON(parsing: body)
        else { return body }
        var isChanged = false
        let redacted = redacted(json, &isChanged)
        guard isChanged, let octets = try? JSONEncoding.encode(redacted) else { return body }
        return octets
    }

    private func redacted(_ json: HTTPJSON, _ isChanged: inout Bool) -> HTTPJSON {
        switch json {
        case .array(let elements): return .array(elements.map { redacted($0, &isChanged) })
        case .object(let members):
            return .object(
                members.map { member in
                    guard areNamed(member.name) else {
                        return .init(member.name, redacted(member.value, &isChanged))
                    }
                    isChanged = true
                    return .init(member.name, .string(SecretNames.mask))
                }
            )
        default: return json
        }
    }

    /// Whether members, or parts of a form, of that name are secrets.
    func areNamed(_ name: String) -> Bool { names.hasOther(name) }
}
