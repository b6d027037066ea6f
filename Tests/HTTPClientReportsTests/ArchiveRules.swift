import HTTPClient

/// The fields that HAR 1.2 requires, and their permitted values.
enum ArchiveRules {
    /// Returns the names of the rules that a file violates.
    static func violations(in har: HTTPJSON) -> [String] {
        let log = har["log"]
        var found = missing(log, "log", ["version": .text, "creator": .object, "entries": .array])
        if log["version"].string != "1.2" { found.append("log.version") }
        found += missing(log["creator"], "creator", ["name": .text, "version": .text])
        for (number, entry) in (log["entries"].array ?? []).enumerated() {
            found += violations(inEntry: entry).map { "entries[\(number)].\($0)" }
        }
        return found
    }

    private enum Kind {
        case text, object, array, number, flag

        func fits(_ value: HTTPJSON) -> Bool {
            switch self {
            case .text: value.string != nil
            case .object: value.members != nil
            case .array: value.array != nil
            case .number: value.double != nil
            case .flag: value.bool != nil
            }
        }
    }

    private static let entry: [String: Kind] = [
        "startedDateTime": .text, "time": .number, "request": .object, "response": .object,
        "cache": .object, "timings": .object,
    ]
    private static let request: [String: Kind] = [
        "method": .text, "url": .text, "httpVersion": .text, "cookies": .array, "headers": .array,
        "queryString": .array, "headersSize": .number, "bodySize": .number,
    ]
    private static let response: [String: Kind] = [
        "status": .number, "statusText": .text, "httpVersion": .text, "cookies": .array,
        "headers": .array, "content": .object, "redirectURL": .text, "headersSize": .number,
        "bodySize": .number,
    ]
    private static let pair: [String: Kind] = ["name": .text, "value": .text]
    private static let timings = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]

    private static func missing(
        _ value: HTTPJSON,
        _ path: String,
        _ fields: [String: Kind]
    ) -> [String] {
        fields.filter { name, kind in !(value.member(name).map(kind.fits) ?? false) }.keys
            .map { "\(path).\($0)" }
    }

    private static func violations(inEntry value: HTTPJSON) -> [String] {
        var found = missing(value, "entry", entry)
        found += missing(value["request"], "request", request)
        found += missing(value["response"], "response", response)
        found += missing(
            value["response"]["content"],
            "content",
            ["size": .number, "mimeType": .text]
        )
        if let data = value["request"].member("postData") {
            found += missing(
                data,
                "postData",
                ["mimeType": .text, "params": .array, "text": .text]
            )
        }
        for (message, lists) in [
            ("request", ["headers", "cookies", "queryString"]),
            ("response", ["headers", "cookies"]),
        ] {
            for list in lists {
                for element in value[message][list].array ?? [] {
                    found += missing(element, "\(message).\(list)", pair)
                }
            }
            for size in ["headersSize", "bodySize"] where value[message][size].int ?? -2 < -1 {
                found.append("\(message).\(size) is below -1")
            }
        }
        if !isDate(value["startedDateTime"].string ?? "") { found.append("startedDateTime") }
        found += times(value)
        // Names of custom fields begin with an underscore.
        let known = Set(entry.keys).union(["serverIPAddress", "connection", "pageref", "comment"])
        found += (value.members ?? []).map(\.name).filter { !known.contains($0) && $0.first != "_" }
        return found
    }

    /// Checks that all timings exist, that `send`, `wait` and `receive` are not negative, and that
    /// the sum of all is the entry's time.
    private static func times(_ entry: HTTPJSON) -> [String] {
        var found: [String] = []
        var sum = 0.0
        for name in timings {
            guard let time = entry["timings"][name].double else {
                found.append("timings.\(name)")
                continue
            }
            let isOptional = !["send", "wait", "receive"].contains(name)
            if time < 0, !(isOptional && time == -1) { found.append("timings.\(name) is \(time)") }
            if name != "ssl", time > 0 { sum += time }
        }
        if abs(sum - (entry["time"].double ?? -1)) > 0.001 { found.append("time is not the sum") }
        let (connect, ssl) = (entry["timings"]["connect"].double, entry["timings"]["ssl"].double)
        if let connect, let ssl, ssl > connect { found.append("ssl is not within connect") }
        return found
    }

    /// Whether a text has the form `2009-07-24T19:20:30.456Z`.
    private static func isDate(_ text: String) -> Bool {
        let form = Array("dddd-dd-ddTdd:dd:dd.dddZ".utf8)
        let bytes = Array(text.utf8)
        return form.count == bytes.count
            && zip(form, bytes).allSatisfy { mark, byte in
                mark == UInt8(ascii: "d") ? (0x30...0x39).contains(byte) : mark == byte
            }
    }
}
