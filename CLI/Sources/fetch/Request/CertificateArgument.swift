/// Takes the value of `--cert` apart: `file[:passphrase]`.
///
/// A backslash before a colon makes it part of the file's name, and one before a backslash too.
package struct CertificateArgument: Sendable, Hashable {
    /// Where the certificate lies.
    package let file: String
    /// What opens its key; nil when there is no colon.
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
