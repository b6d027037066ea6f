/// The content of a stored response.
package enum CacheContent: Sendable {
    /// All bytes; a store has verified them.
    case memory([UInt8])
    /// An open file, whose bytes are verified as they are read.
    case file(CacheFile)
    /// An object of a storage of the application, whose bytes are verified as they are read.
    case object(VerifiedObject)
}

extension CacheContent {
    /// Reads from a position to the end of its chunk, or to the end of a content in memory.
    ///
    /// - Parameter position: the position in the content.
    /// - Returns: verified bytes; empty at the end.
    /// - Throws: `.damaged` if the chunk is not the stored one; the next use of the entry finds that, and removes it.
    package func read(at position: Int) throws(CacheStoreError) -> [UInt8] {
        switch self {
        case .memory(let bytes): Array(bytes.dropFirst(position))
        case .file(let file): try file.read(at: position)
        case .object(let object): try object.read(at: position)
        }
    }

    /// Verifies the whole content; a content in memory was verified before.
    package func verify() throws(CacheStoreError) {
        if case .memory = self { return }
        var position = 0
        while true {
            let count = try read(at: position).count
            if count == 0 { return }
            position += count
        }
    }
}
