import HTTPClient
import Wire

/// Heads for tests of the cache.
///
/// Fields are lines such as `Age: 5`; `@5` in a line stands for the HTTP date of second 5.
enum CacheHeads {
    static func fields(_ lines: [String]) -> HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers.append(FieldName(String(parts[0])), dated(String(parts[1])))
        }
        return headers
    }

    static func response(_ status: HTTPStatus = 200, _ lines: [String]) -> ResponseHead {
        ResponseHead(status: status, headers: fields(lines))
    }

    static func request(_ method: HTTPMethod = .get, _ lines: [String] = []) -> RequestHead {
        RequestHead(method: method, target: .origin("/"), headers: fields(lines))
    }

    /// Returns a response that was requested and received at the given second.
    static func stored(
        _ lines: [String],
        _ status: HTTPStatus = 200,
        selectedBy request: [String] = [],
        content: StoredResponse.Content = .whole(length: 100),
        at second: Int = 1000
    ) -> StoredResponse {
        let headers = fields(lines)
        return StoredResponse(
            ResponseHead(status: status, headers: headers),
            variant: CacheVariant(headers, selectedBy: fields(request)) ?? CacheVariant(),
            content: content,
            requestTime: date(second),
            responseTime: date(second)
        )
    }

    static func date(_ second: Int) -> HTTPDate {
        HTTPDate(secondsSince1970: second)
    }

    private static func dated(_ value: String) -> String {
        guard let mark = value.firstIndex(of: "@") else { return value }
        let number = value[value.index(after: mark)...].prefix { $0.isNumber || $0 == "-" }
        let rest = value[mark...].dropFirst(number.count + 1)
        return value[..<mark] + date(Int(number) ?? 0).description + rest
    }
}
