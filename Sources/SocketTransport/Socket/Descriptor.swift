/// Owns one file descriptor and closes it exactly once.
package struct Descriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by; valid as long as this value lives.
    package let rawValue: Int32

    /// Takes over `rawValue`; nobody else may close it from now on.
    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        Syscalls.close(rawValue)
    }
}

extension Optional where Wrapped == Descriptor {
    /// The number, while there is an owner.
    var number: Int32? {
        switch self {
        case .some(let owned): owned.rawValue
        case .none: nil
        }
    }
}
