/// The content of a stored response.
package enum CacheContent: Sendable {
    /// All bytes; a store has verified them.
    case memory([UInt8])
    /// An open file, whose bytes are verified as they are read.
    case file(CacheFile)
}
