internal import Glibc

/// Holds what the system answered when it refused.
struct SystemError: Error {
    /// The system's number.
    let number: Int32

    /// Takes the number of the call that just failed.
    init() {
        number = errno
    }

    /// The system's text.
    var reason: String {
        // SAFETY: strerror gives a NUL-terminated string, which is copied at once.
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        // SAFETY: as above.
        return unsafe String(cString: text)
    }
}
