package import Wire

/// The rules for invalidating stored responses (RFC 9111 §4.4).
package enum CacheInvalidation {
    /// Returns the URIs whose stored responses a response invalidates.
    ///
    /// A method that is not safe, or is unknown, with a status of 2xx or 3xx invalidates its target, and the targets of
    /// Location and Content-Location with the same origin. Targets of other origins stay, because a server could
    /// otherwise remove the responses of another one.
    ///
    /// - Parameters:
    ///   - response: the head of the response.
    ///   - method: the method of the request.
    ///   - url: the absolute URL of the request.
    /// - Returns: absolute URIs without fragments and repeats, the target first; empty if nothing is invalidated.
    package static func targets(
        of response: ResponseHead,
        to method: HTTPMethod,
        _ url: URI
    ) -> [URI] {
        let kind = response.status.kind
        guard !method.isSafe, kind == .successful || kind == .redirection, let origin = url.origin
        else { return [] }
        var targets = [withoutFragment(url)]
        for name in [FieldName.location, .contentLocation] {
            for text in response.headers.values(name) {
                guard let reference = try? URI(encoding: text) else { continue }
                let target = withoutFragment(url.resolve(reference))
                if target.origin == origin, !targets.contains(target) { targets.append(target) }
            }
        }
        return targets
    }

    private static func withoutFragment(_ url: URI) -> URI {
        guard url.fragment != nil else { return url }
        var parts = URLParts(url)
        parts.fragment = nil
        return (try? parts.uri()) ?? url
    }
}
