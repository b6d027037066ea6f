internal import Wire

extension DownloadDecision.RangeRequest {
    /// Returns the request with the condition under which the rest is sent, if it goes to the origin that
    /// sent the start.
    ///
    /// A validator means nothing to another origin: the same text may name another resource there.
    ///
    /// - Parameters:
    ///   - request: one of the call, with the URL that it goes to.
    ///   - origin: where the bytes so far came from; nil when there are none.
    /// - Returns: the request as it is to be sent.
    func resuming(_ request: HTTPRequest, from origin: String?) -> HTTPRequest {
        guard offset > 0, case .uri(let url) = request.target,
            url.origin.map({ "\($0)" }) == origin
        else { return request }
        var request = request
        request.headers.replace(.range, with: RangeHeader(.from(offset)).description)
        request.headers.replace(.ifRange, with: validator)
        return request
    }
}
