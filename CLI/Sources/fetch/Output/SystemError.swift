internal import Glibc

/// An error of a system call.
struct SystemError: Error {
    /// The value of `errno`.
    let number: Int32

    /// Creates the error from `errno`, right after the failed call.
    init() {
        number = errno
    }

    /// Creates the error for a value of `errno`.
    init(number: Int32) {
        self.number = number
    }

    /// The system's message for the number.
    var reason: String {
        // SAFETY: strerror returns a NUL-terminated string, which is copied at once.
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        // SAFETY: as above.
        return unsafe String(cString: text)
    }
}
