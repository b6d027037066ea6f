import Glibc

/// Returns the bytes of a file or pipe; if it cannot be read, prints the reason and exits.
func readFile(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else {
        perror(path)
        exit(1)
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF {
        bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    return bytes
}
