internal import Glibc

/// A program or file that `make setup` installs, for tests that need it.
package enum InstalledFile {
    /// Returns whether the file exists or is required.
    ///
    /// Continuous integration sets `CI` and skips no test.
    package static func isExpected(_ path: String) -> Bool {
        unsafe access(path, R_OK) == 0 || getenv("CI") != nil
    }
}
