import Glibc

/// Reads a whole file, or what comes through a pipe; says why it cannot, and ends the program.
func octets(in path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else {
        perror(path)
        exit(1)
    }
    defer { fclose(file) }
    var octets: [UInt8] = []
    while case let octet = getc(file), octet != EOF {
        octets.append(UInt8(truncatingIfNeeded: octet))
    }
    return octets
}
