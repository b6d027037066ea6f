internal import ArgumentParser
internal import HTTPClient

/// The options for redirects.
struct RedirectOptions: ParsableArguments {
    @Flag(name: [.customShort("L"), .long], help: "Follow redirects.")
    var location = false

    @Flag(help: "Follow redirects, and send credentials to every origin.")
    var locationTrusted = false

    @Option(help: "Follow at most this many redirects; 50 by default, -1 for no limit.")
    var maxRedirs: RedirectLimit?

    @Flag(name: .customLong("post301"), help: "Keep POST after a 301 redirect.")
    var keepsPost301 = false

    @Flag(name: .customLong("post302"), help: "Keep POST after a 302 redirect.")
    var keepsPost302 = false

    @Flag(name: .customLong("post303"), help: "Keep POST after a 303 redirect.")
    var keepsPost303 = false

    /// Returns the redirect options of the client.
    ///
    /// - Parameters:
    ///   - method: the method that the user chose by name; redirects do not change it. Whether the
    ///     content is sent again is decided separately.
    ///   - namesReferer: whether each request names the URL that led to it.
    /// - Returns: options that refuse redirects unless the user asked to follow them.
    func redirects(keeping method: HTTPMethod?, namesReferer: Bool) -> HTTPRedirectOptions {
        guard location || locationTrusted else { return .refuse }
        var redirects = HTTPRedirectOptions(maxRedirects: maxRedirs?.value ?? 50)
        // curl follows any 3xx status that has a Location.
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

    /// Sets Referer to the URL of the previous request, without its fragment.
    ///
    /// An `https` URL is never sent over `http`.
    private static func name(_ step: HTTPRedirect, in next: inout HTTPRequest) {
        next.headers.remove(.referer)
        guard step.url.scheme != "https" || step.location.scheme == "https" else { return }
        let text = step.url.text.prefix { $0 != "#" }
        next.headers.append(.referer, String(text))
    }
}

/// The number of redirects that may be followed.
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
