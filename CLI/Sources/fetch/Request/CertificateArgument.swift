/// The parsed value of `--cert`: `file[:passphrase]`.
///
/// A backslash before a colon makes the colon part of the file's name. A backslash is escaped the
/// same way.
package struct CertificateArgument: Sendable, Hashable {
    /// The path of the certificate file.
    package let file: String
    /// The passphrase of the key; nil when there is no colon.
    package let passphrase: String?

    package init(_ value: String) {
        var file = ""
        var rest = value[...]
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.first, next == "\\" || next == ":" {
                rest.removeFirst()
                file.append(next)
            } else if character == ":" {
                self.file = file
                passphrase = String(rest)
                return
            } else {
                file.append(character)
            }
        }
        self.file = file
        passphrase = nil
    }
}
