/// A file descriptor with a single owner, which closes it exactly once.
package struct Descriptor: ~Copyable, Sendable {
    /// The descriptor number; valid as long as this value lives.
    package let rawValue: Int32

    /// Takes ownership of `rawValue`; no other code may close it from now on.
    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        Syscalls.close(rawValue)
    }
}

extension Optional where Wrapped == Descriptor {
    /// The descriptor number; nil if there is no owner.
    var number: Int32? {
        switch self {
        case .some(let owned): owned.rawValue
        case .none: nil
        }
    }
}
