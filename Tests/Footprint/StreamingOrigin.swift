import Glibc
import Support

/// A server that answers GET with the number of bytes in the path, or a part of them, and any other request
/// with the length of its body.
///
/// It has a thread for each connection, stores nothing, and shares no code with the library.
struct StreamingOrigin: Sendable {
    private let listener: Int32
    private let port: Int
    private let block = [UInt8](repeating: 0x61, count: 256 << 10)

    init() throws {
        let socket = try TestSocket.listen()
        listener = socket.descriptor
        port = socket.port
    }

    /// Prints its port and serves until the process ends.
    func serve() throws -> Never {
        print(port)
        fflush(nil)
        while true {
            wait(listener, POLLIN)
            guard let connection = TestSocket.accept(listener) else { continue }
            _ = try WorkerThread {
                serve(connection)
                close(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        var pending: [UInt8] = []
        while let head = head(connection, &pending) {
            let words = head.split(separator: " ")
            // "/1000/stored" asks for 1000 bytes that may be stored.
            let path = words.count > 1 ? words[1].split(separator: "/") : []
            if words.first == "GET", let count = path.first.flatMap({ Int($0) }) {
                let range = range(head, count)
                var answer = range == nil ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 Part\r\n"
                if let range {
                    let last = range.upperBound - 1
                    answer += "Content-Range: bytes \(range.lowerBound)-\(last)/\(count)\r\n"
                }
                if path.last == "stored" { answer += "Cache-Control: max-age=86400\r\n" }
                var left = range?.count ?? count
                answer += "ETag: \"v1\"\r\nContent-Length: \(left)\r\n\r\n"
                guard send(Array(answer.utf8)[...], connection) else { return }
                while left > 0 {
                    let piece = block[..<min(left, block.count)]
                    guard send(piece, connection) else { return }
                    left -= piece.count
                }
            } else {
                guard let count = length(head), skip(count, connection, &pending) else { return }
                let text = "\(count)"
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                guard send(Array(answer.utf8)[...], connection) else { return }
            }
        }
    }

    /// Returns the next request head; nil if the peer is gone.
    private func head(_ connection: Int32, _ pending: inout [UInt8]) -> String? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = pending.firstRange(of: end) {
                defer { pending.removeSubrange(..<range.upperBound) }
                return String(decoding: pending[..<range.lowerBound], as: UTF8.self)
            }
            guard receive(connection, { pending += $0 }) else { return nil }
        }
    }

    private func field(_ name: String, _ head: String) -> Substring? {
        for line in head.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts[0].lowercased() == name, parts.count == 2 {
                return parts[1].drop { $0 == " " }
            }
        }
        return nil
    }

    private func length(_ head: String) -> Int? {
        field("content-length", head).flatMap { Int($0) }
    }

    /// Returns the bytes that a request asks for; nil for all.
    private func range(_ head: String, _ count: Int) -> Range<Int>? {
        guard let value = field("range", head) else { return nil }
        let ends = value.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first else { return nil }
        return first..<min(ends.count > 1 ? ends[1] + 1 : count, count)
    }

    private func skip(_ count: Int, _ connection: Int32, _ pending: inout [UInt8]) -> Bool {
        var left = count - pending.count
        pending = []
        while left > 0 {
            guard receive(connection, { left -= $0.count }) else { return false }
        }
        return left == 0
    }

    // MARK: - Bytes

    private func receive(_ connection: Int32, _ body: (ArraySlice<UInt8>) -> Void) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(connection, $0.baseAddress, $0.count, 0)
            }
            if count > 0 {
                body(buffer[..<count])
                return true
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return false }
            wait(connection, POLLIN)
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>, _ connection: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(
                    connection,
                    $0.baseAddress,
                    $0.count,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN || errno == EINTR {
                wait(connection, POLLOUT)
            } else {
                return false
            }
        }
        return true
    }

    private func wait(_ descriptor: Int32, _ events: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
    }
}
