private import CSSL
private import Glibc

/// Reads the variables that the process was started with.
package enum Environment {
    /// Finds the value of a variable; nil when it is not set or is not UTF-8.
    ///
    /// Changing the environment while another thread reads it is a race that no reader can avoid;
    /// so read early.
    package static func variable(_ name: String) -> String? {
        // SAFETY: the text is copied at once; Swift code of this package never calls setenv.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: text)
    }

    /// Finds the value of a variable that names files to be opened; nil when it is not set, empty, not
    /// UTF-8, or when the process runs with more rights than the user who started it (secure_getenv(3)).
    ///
    /// In a set-user-ID program, its user could otherwise have any file read or written.
    package static func trustedVariable(_ name: String) -> String? {
        // SAFETY: the text is copied at once; Swift code of this package never calls setenv.
        guard let text = unsafe cssl_secure_getenv(name),
            let value = unsafe String(validatingCString: text), !value.isEmpty
        else { return nil }
        return value
    }
}
