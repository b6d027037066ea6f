/// Holds a name and a password, as bytes: what they are encoded in is the user's choice.
///
/// Printing shows the name alone.
public struct HTTPCredentials: Sendable, Hashable {
    /// Who asks.
    public let user: [UInt8]
    /// What proves it.
    public let password: [UInt8]

    /// Makes credentials of text, as UTF-8.
    public init(user: String, password: String) {
        self.user = Array(user.utf8)
        self.password = Array(password.utf8)
    }

    /// Makes credentials of bytes.
    public init(user: [UInt8], password: [UInt8]) {
        self.user = user
        self.password = password
    }
}

extension HTTPCredentials: CustomStringConvertible, CustomReflectable {
    /// The name; the password is left out, so that it gets into no log by accident.
    public var description: String { String(decoding: user, as: UTF8.self) }

    /// The name alone, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: ["user": description]) }
}
