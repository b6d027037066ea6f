import Glibc

/// Reads a whole file, or what comes through a pipe; says why it cannot, and ends the program.
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
