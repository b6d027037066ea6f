/// A part of an open file, which is copied into another file.
package struct FileExtent: Sendable {
    /// The file; it stays readable after its name is removed.
    package let file: FileReader
    /// The position of the first byte in the file.
    package let offset: Int
    /// The number of bytes.
    package let count: Int

    package init(_ file: FileReader, at offset: Int, count: Int) {
        (self.file, self.offset, self.count) = (file, offset, count)
    }
}

extension DownloadFiles {
    /// Reads all bytes of an extent into memory, and writes them at `offset`.
    package func copy(_ extent: FileExtent, at offset: Int) throws(Errno) {
        var copied = 0
        while copied < extent.count {
            let bytes: [UInt8]
            do throws(FileReader.ReadError) {
                let size = min(extent.count - copied, 256 << 10)
                bytes = try extent.file.read(size, at: extent.offset + copied)
            } catch .system(let errno) {
                throw errno
            } catch {
                throw .inputOutput
            }
            // The file has become shorter since it was opened.
            guard !bytes.isEmpty else { throw .inputOutput }
            try write(bytes, at: offset + copied)
            copied += bytes.count
        }
    }
}
