import Glibc

/// Says that the file could not be opened.
struct UnreadableCapture: Error {
    var path: String
}

/// Reads a whole file, or what comes through a pipe.
func capturedOctets(in path: String) throws(UnreadableCapture) -> [UInt8] {
    guard let file = fopen(path, "r") else { throw UnreadableCapture(path: path) }
    defer { fclose(file) }
    var octets: [UInt8] = []
    while case let octet = getc(file), octet != EOF {
        octets.append(UInt8(truncatingIfNeeded: octet))
    }
    return octets
}
