/// Writes what a server saw of a request as JSON (RFC 8259).
enum EchoDocument {
    static func text(of request: HTTPTestServer.Request) -> String {
        var names: [String] = []
        for field in request.headers {
            let isKnown = names.contains { field.isNamed(FieldName($0)) }
            if !isKnown { names.append(field.name) }
        }
        let fields = names.map { name in
            "\(quoted(name)): \(quoted(request.headers.combined(FieldName(name)) ?? ""))"
        }
        return """
            {"method": \(quoted(request.method.rawValue)), "target": \(quoted(request.target)), \
            "query": \(object(request.queryItems)), "headers": {\(fields.joined(separator: ", "))}, "body": \(quoted(request.text)), \
            "connection": \(request.connection)}
            """
    }

    /// Writes an object of texts; of several with one name the last counts.
    static func object(_ items: [(name: String, value: String)]) -> String {
        var names: [String] = []
        var values: [String: String] = [:]
        for (name, value) in items where values.updateValue(value, forKey: name) == nil {
            names.append(name)
        }
        let members = names.map { "\(quoted($0)): \(quoted(values[$0] ?? ""))" }
        return "{\(members.joined(separator: ", "))}"
    }

    /// Escapes the quotation mark, the backslash and controls (RFC 8259 §7); the rest may stand.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
