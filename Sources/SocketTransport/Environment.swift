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
}
