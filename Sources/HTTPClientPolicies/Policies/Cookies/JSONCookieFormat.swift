internal import Wire

/// The JSON format for cookies, which stores all their properties.
enum JSONCookieFormat {
    private static let version = 1

    static func encode(_ cookies: [Cookie]) -> [UInt8] {
        // Each cookie has its own line, so that two files can be compared by lines.
        let lines = cookies.map { "  \(json($0))" }
        let list = lines.isEmpty ? "" : "\n\(lines.joined(separator: ",\n"))\n"
        return Array("{\"version\": \(version), \"cookies\": [\(list)]}\n".utf8)
    }

    private static func json(_ cookie: Cookie) -> HTTPJSON {
        var members: [HTTPJSON.Member] = [
            .init("name", .string(cookie.name)), .init("value", .string(cookie.value)),
            .init("domain", .string(cookie.domain)), .init("hostOnly", .bool(cookie.isHostOnly)),
            .init("path", .string(cookie.path)), .init("expires", time(cookie.expires)),
            .init("secure", .bool(cookie.isSecure)), .init("httpOnly", .bool(cookie.isHTTPOnly)),
            .init("sameSite", HTTPJSON(cookie.sameSite?.rawValue)),
            .init("creation", time(cookie.creation)),
            .init("lastAccess", time(cookie.lastAccess)),
        ]
        // Present only where name and value are bytes that are not UTF-8, which JSON cannot represent.
        if cookie.isLatin1 { members.append(.init("latin1", .bool(true))) }
        return .object(members)
    }

    private static func time(_ seconds: Int?) -> HTTPJSON {
        seconds.map { .integer($0) } ?? .null
    }

    static func decode(_ bytes: [UInt8]) throws(CookieJar.FileError) -> [Cookie] {
        let json: HTTPJSON
        do {
            json = try HTTPJSON(reading: bytes, maxDepth: 8)
        } catch {
            throw .json(error)
        }
        guard let number = json["version"].int, let list = json["cookies"].array else {
            throw .unrecognizedFormat
        }
        guard number == version else { throw .unknownVersion }
        var cookies: [Cookie] = []
        for (index, element) in list.enumerated() {
            cookies.append(try cookie(Members(json: element, index: index)))
        }
        return cookies
    }

    private static func cookie(_ members: Members) throws(CookieJar.FileError) -> Cookie {
        let site = try members.optional("sameSite", \.string)
        let sameSite = site.flatMap { SetCookie.SameSite(rawValue: $0) }
        guard (site == nil) == (sameSite == nil) else { throw members.failure("sameSite") }
        let cookie = Cookie(
            try members.required("name", \.string),
            try members.required("value", \.string),
            domain: try members.required("domain", \.string),
            isHostOnly: try members.required("hostOnly", \.bool),
            path: try members.required("path", \.string),
            expires: try members.optional("expires", \.int),
            isSecure: try members.required("secure", \.bool),
            isHTTPOnly: try members.required("httpOnly", \.bool),
            sameSite: sameSite,
            isLatin1: try members.optional("latin1", \.bool) ?? false
        )
        guard var cookie else { throw .invalidCookie(members.index) }
        cookie.creation = try members.required("creation", \.int)
        cookie.lastAccess = try members.required("lastAccess", \.int)
        return cookie
    }

    /// The members of one cookie.
    private struct Members {
        let json: HTTPJSON
        let index: Int

        func required<Value>(
            _ name: String,
            _ kind: (HTTPJSON) -> Value?
        ) throws(CookieJar.FileError) -> Value {
            guard let value = kind(json[name]) else { throw failure(name) }
            return value
        }

        func optional<Value>(
            _ name: String,
            _ kind: (HTTPJSON) -> Value?
        ) throws(CookieJar.FileError) -> Value? {
            json[name].isNull ? nil : try required(name, kind)
        }

        func failure(_ name: String) -> CookieJar.FileError {
            .invalidMember(name, cookie: index)
        }
    }
}
