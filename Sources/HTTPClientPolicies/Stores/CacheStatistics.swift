/// The size of a store.
package struct CacheStatistics: Sendable, Hashable {
    /// The number of entries.
    package let entries: Int
    /// The bytes that the entries take, including their heads.
    package let bytes: Int
}
