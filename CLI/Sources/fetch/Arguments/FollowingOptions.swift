internal import ArgumentParser
internal import HTTPClient

/// Holds the options about redirects.
struct FollowingOptions: ParsableArguments {
    @Flag(name: [.customShort("L"), .long], help: "Follow redirects.")
    var location = false

    @Flag(help: "Follow redirects, and send credentials to wherever they lead.")
    var locationTrusted = false

    @Option(help: "Follow so many at most; 50 unless given, -1 for any number.")
    var maxRedirs: RedirectLimit?

    @Flag(name: .customLong("post301"), help: "Keep POST behind a 301.")
    var keepsPost301 = false

    @Flag(name: .customLong("post302"), help: "Keep POST behind a 302.")
    var keepsPost302 = false

    @Flag(name: .customLong("post303"), help: "Keep POST behind a 303.")
    var keepsPost303 = false

    /// What the library is told.
    ///
    /// - Parameter method: chosen by name, so that no redirect changes it; what becomes of the content
    ///   is another matter.
    /// - Returns: settings that refuse redirects unless they are asked for.
    func redirects(keeping method: HTTPMethod?) -> HTTPRedirects {
        guard location || locationTrusted else { return .refuse }
        var redirects = HTTPRedirects(limit: maxRedirs?.value ?? 50)
        if let method {
            redirects.mode = .custom { _, next in
                var next = next
                next.method = method
                return next
            }
        }
        let kept: [(Bool, HTTPStatus)] = [
            (keepsPost301, .movedPermanently), (keepsPost302, .found), (keepsPost303, .seeOther),
        ]
        redirects.keepsPost = HTTPStatusSet(kept.filter(\.0).map(\.1))
        redirects.sendsCredentialsAnywhere = locationTrusted
        return redirects
    }
}

/// Holds how many redirects may be followed.
struct RedirectLimit: ExpressibleByArgument {
    let value: Int

    init?(argument: String) {
        if argument == "-1" {
            value = .max
        } else {
            guard let number = Decimal.value(of: argument.utf8) else { return nil }
            value = Int(number)
        }
    }
}
