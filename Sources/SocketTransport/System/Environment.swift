private import CSSL
private import Glibc

/// The environment variables of the process.
package enum Environment {
    /// Returns the value of a variable; nil if it is not set or is not UTF-8.
    ///
    /// Changing the environment while another thread reads it is a data race that no reader can
    /// prevent. Read variables early.
    package static func variable(_ name: String) -> String? {
        // SAFETY: the text is copied at once; the Swift code of this package never calls setenv.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: text)
    }

    /// Returns the value of a variable that names files to open.
    ///
    /// The result is nil if the variable is not set, empty or not UTF-8. It is also nil if the
    /// process has more privileges than the user who started it (secure_getenv(3)). Otherwise the
    /// user of a set-user-ID program could make it read or write any file.
    package static func trustedVariable(_ name: String) -> String? {
        // SAFETY: the text is copied at once; the Swift code of this package never calls setenv.
        guard let text = unsafe cssl_secure_getenv(name),
            let value = unsafe String(validatingCString: text), !value.isEmpty
        else { return nil }
        return value
    }
}
