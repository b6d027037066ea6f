/// Says what a request is about, as far as a digest covers it (RFC 7616 §3.4).
package struct DigestRequestInfo: Sendable {
    let method: String
    let target: String
    /// nil when it is not there to be looked at.
    let body: [UInt8]?

    package init(method: String, target: String, body: [UInt8]? = []) {
        self.method = method
        self.target = target
        self.body = body
    }
}

extension DigestChallenge {
    /// Says whether a digest can be made: not over a body that is made while it is sent.
    func covers(_ subject: DigestRequestInfo) -> Bool {
        qop != .authInt || subject.body != nil
    }
}

extension DigestAuthentication {
    /// Makes the value of the field for a request that the challenge covers.
    mutating func authorization(for subject: DigestRequestInfo) -> String {
        authorization(method: subject.method, target: subject.target, body: subject.body ?? [])
    }
}
