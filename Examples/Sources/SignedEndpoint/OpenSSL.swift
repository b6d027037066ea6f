import Foundation

/// The installed program `openssl`, and the formats that it reads and writes.
enum OpenSSL {
    struct Failure: Error {
        var command: String
        var status: Int32
    }

    /// Runs the program and returns what it prints.
    ///
    /// The input must fit into the buffer of a pipe (64 KiB), because it is written before the program runs.
    @discardableResult
    static func run(_ arguments: String..., input: [UInt8] = []) async throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let (source, sink) = (Pipe(), Pipe())
        process.standardInput = source
        process.standardOutput = sink
        try source.fileHandleForWriting.write(contentsOf: input)
        try source.fileHandleForWriting.close()
        try await withCheckedThrowingContinuation { ended in
            process.terminationHandler = { _ in ended.resume() }
            do {
                try process.run()
            } catch {
                ended.resume(throwing: error)
            }
        }
        guard process.terminationStatus == 0 else {
            throw Failure(command: arguments[0], status: process.terminationStatus)
        }
        return Array(try sink.fileHandleForReading.readToEnd() ?? Data())
    }

    /// Returns whether a signature of 64 bytes is valid for the key with these coordinates.
    static func isValid(
        _ signature: [UInt8],
        of bytes: [UInt8],
        x: [UInt8],
        y: [UInt8]
    ) async -> Bool {
        guard signature.count == 64, x.count == 32, y.count == 32 else { return false }
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (key, file) = (directory.appending(path: "key"), directory.appending(path: "signature"))
        let encodedKey = Data(publicKeyPrefix + x + y).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed]
        )
        let pem = "-----BEGIN PUBLIC KEY-----\n\(encodedKey)\n-----END PUBLIC KEY-----\n"
        do {
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: true
            )
            try Data(pem.utf8).write(to: key)
            try Data(derSignature(raw: signature)).write(to: file)
            // The program ends with 1 if the signature is wrong.
            try await run(
                "dgst",
                "-sha256",
                "-verify",
                key.path,
                "-signature",
                file.path,
                input: bytes
            )
            return true
        } catch {
            return false
        }
    }

    /// The bytes before the coordinates of a public key of P-256 in DER.
    static let publicKeyPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    /// Returns r and s, 32 bytes each, of `SEQUENCE { INTEGER r, INTEGER s }`.
    ///
    /// No length exceeds 127, so each is one byte.
    static func rawSignature(der: [UInt8]) -> [UInt8] {
        var rest = der.dropFirst(2)
        var raw: [UInt8] = []
        for _ in 0..<2 {
            let length = Int(rest.dropFirst().first ?? 0)
            let digits = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
            raw += Array(repeating: 0, count: max(0, 32 - digits.count)) + digits
            rest = rest.dropFirst(2 + length)
        }
        return raw
    }

    /// Returns the DER of a signature of 64 bytes.
    static func derSignature(raw: [UInt8]) -> [UInt8] {
        let integers = [raw.prefix(32), raw.suffix(32)].flatMap { number -> [UInt8] in
            let digits = number.drop { $0 == 0 }
            // A first bit of 1 would make the integer negative.
            let bytes = (digits.first ?? 0x80) < 0x80 ? Array(digits) : [0] + digits
            return [0x02, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(integers.count)] + integers
    }
}

/// Returns the text of bytes in base64url without padding (RFC 7515 §2).
func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
}

/// Returns the bytes of a text in base64url without padding; nil if it is malformed.
func bytes(base64URL text: some StringProtocol) -> [UInt8]? {
    let text = String(text).replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: text + padding).map { Array($0) }
}
