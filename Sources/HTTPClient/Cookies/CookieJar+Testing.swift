internal import Wire

extension CookieJar {
    /// The value of Cookie for a request as text; bytes that are not UTF-8 are replaced.
    package func field(for url: URI) -> String? {
        fieldBytes(for: url).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension CookieTable {
    /// The value of Cookie as text; bytes that are not UTF-8 are replaced.
    package mutating func field(for url: URI, now: Int) -> String? {
        fieldBytes(for: url, now: now).map { String(decoding: $0, as: UTF8.self) }
    }
}
