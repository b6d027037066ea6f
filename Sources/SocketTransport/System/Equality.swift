/// A class whose objects are equal only to themselves.
package protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    package static func == (left: Self, right: Self) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// An object that is equal only to itself, for classes that do not say so.
package struct ByIdentity<Object: AnyObject & Sendable>: Sendable, Hashable {
    package let object: Object

    package init(_ object: Object) {
        self.object = object
    }

    package static func == (left: ByIdentity, right: ByIdentity) -> Bool {
        left.object === right.object
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(object))
    }
}

/// A value with its hash computed once, for large parts of keys.
package struct CachedHash<Value: Sendable & Hashable>: Sendable, Hashable {
    package let value: Value
    private let cachedHash: Int

    package init(_ value: Value) {
        self.value = value
        cachedHash = value.hashValue
    }

    package static func == (left: CachedHash, right: CachedHash) -> Bool {
        left.cachedHash == right.cachedHash && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(cachedHash)
    }
}
