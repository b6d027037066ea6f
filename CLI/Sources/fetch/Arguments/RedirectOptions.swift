internal import ArgumentParser
internal import HTTPClient

/// Holds the options about redirects.
struct RedirectOptions: ParsableArguments {
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
    /// - Parameters:
    ///   - method: chosen by name, so that no redirect changes it; what becomes of the content is
    ///     another matter.
    ///   - namesReferer: each request says which URL led to it.
    /// - Returns: settings that refuse redirects unless they are asked for.
    func redirects(keeping method: HTTPMethod?, namesReferer: Bool) -> HTTPRedirectOptions {
        guard location || locationTrusted else { return .refuse }
        var redirects = HTTPRedirectOptions(maxRedirects: maxRedirs?.value ?? 50)
        // curl asks whether there is a Location, and not what the status means.
        redirects.statuses = HTTPStatusSet(300...399)
        if method != nil || namesReferer {
            redirects.mode = .custom { step, next in
                var next = next
                if let method { next.method = method }
                if namesReferer { Self.name(step, in: &next) }
                return next
            }
        }
        let kept: [(Bool, HTTPStatus)] = [
            (keepsPost301, .movedPermanently), (keepsPost302, .found), (keepsPost303, .seeOther),
        ]
        redirects.keepsPost = HTTPStatusSet(kept.filter(\.0).map(\.1))
        redirects.sendsCredentialsCrossOrigin = locationTrusted
        return redirects
    }

    /// Writes where a step came from, without a fragment; nothing that was protected is told in clear.
    private static func name(_ step: HTTPRedirect, in next: inout HTTPRequest) {
        next.headers.remove(.referer)
        guard step.url.scheme != "https" || step.location.scheme == "https" else { return }
        let text = step.url.text.prefix { $0 != "#" }
        next.headers.append(.referer, String(text))
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
