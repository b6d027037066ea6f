/// A part of an open file, which is copied into another file.
package struct FileExtent: Sendable {
    /// The file whose reading or writing failed.
    package enum CopyError: Error, Sendable, Hashable {
        /// The file of the extent cannot be read, or it has become shorter since it was opened.
        case source(Errno)
        case target(Errno)
    }

    /// The file; it stays readable after its name is removed.
    package let file: FileReader
    /// The path of the file when it was opened, for errors.
    package let path: String
    /// The position of the first byte in the file.
    package let offset: Int
    /// The number of bytes.
    package let count: Int

    package init(_ file: FileReader, path: String, at offset: Int, count: Int) {
        (self.file, self.path, self.offset, self.count) = (file, path, offset, count)
    }

    /// Returns the part after the first `count` bytes.
    func dropping(_ count: Int) -> FileExtent {
        FileExtent(file, path: path, at: offset + count, count: self.count - count)
    }

    /// Reads bytes from a position in the extent: at least one, and 256 KiB at most.
    fileprivate func read(at position: Int) throws(CopyError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileReader.ReadError) {
            bytes = try file.read(min(count - position, 256 << 10), at: offset + position)
        } catch .system(let errno) {
            throw .source(errno)
        } catch {
            throw .source(.inputOutput)
        }
        guard !bytes.isEmpty else { throw .source(.inputOutput) }
        return bytes
    }
}

extension DownloadFiles {
    /// Reads all bytes of an extent into memory, and writes them at `offset`.
    package func copy(_ extent: FileExtent, at offset: Int) throws(FileExtent.CopyError) {
        var copied = 0
        while copied < extent.count {
            let bytes = try extent.read(at: copied)
            do throws(Errno) {
                try write(bytes, at: offset + copied)
            } catch {
                throw .target(error)
            }
            copied += bytes.count
        }
    }
}
