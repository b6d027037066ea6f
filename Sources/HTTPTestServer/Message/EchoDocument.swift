/// The received request as JSON (RFC 8259).
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

    /// Returns a JSON object of strings; for a repeated name the last value is used.
    static func object(_ items: [(name: String, value: String)]) -> String {
        var names: [String] = []
        var values: [String: String] = [:]
        for (name, value) in items where values.updateValue(value, forKey: name) == nil {
            names.append(name)
        }
        let members = names.map { "\(quoted($0)): \(quoted(values[$0] ?? ""))" }
        return "{\(members.joined(separator: ", "))}"
    }

    /// Returns a JSON string with escaped quotes, backslashes and controls (RFC 8259 §7).
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
