internal import Glibc

/// A real proxy on loopback, for tests against independent implementations.
package final class ProxyProgram: Sendable {
    /// The program.
    package enum Program: String, Sendable, CaseIterable {
        /// An HTTP proxy (Debian: tinyproxy-bin).
        case tinyproxy
        /// A SOCKS5 proxy (Debian: microsocks).
        case microsocks
    }

    package let port: Int
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Returns whether the program is installed or required; continuous integration requires it.
    package static func isExpected(_ program: Program) -> Bool {
        path(of: program) != nil || InstalledFile.isExpected("/usr/bin/\(program.rawValue)")
    }

    /// Starts a proxy and returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - program: the program.
    ///   - login: the credentials that it requires; nil for none.
    package init(
        _ program: Program,
        login: (user: String, password: String)? = nil
    ) throws(SystemError) {
        guard let path = Self.path(of: program) else {
            throw SystemError(text: "\(program.rawValue) is not installed: run `make setup`")
        }
        let directory = try TemporaryDirectory()
        var lastFailure = SystemError(text: "\(program.rawValue) did not start")
        // Another process may take the port between the check for a free one and the proxy's bind.
        for _ in 0..<5 {
            let port = try UnreachablePorts.free()
            var arguments = [path]
            switch program {
            case .tinyproxy:
                var text = "Port \(port)\nListen 127.0.0.1\nTimeout 600\nMaxClients 100\n"
                if let login { text += "BasicAuth \(login.user) \(login.password)\n" }
                arguments += ["-d", "-c", try directory.write(text, as: "tinyproxy.conf")]
            case .microsocks:
                arguments += ["-i", "127.0.0.1", "-p", "\(port)"]
                if let login { arguments += ["-u", login.user, "-P", login.password] }
            }
            let log = "\(directory.path)/log"
            let process = try ChildProcess(arguments, output: log)
            if process.accepts(port) {
                self.port = port
                self.directory = directory
                self.process = process
                return
            }
            process.stop()
            let text = String(decoding: TestFileSystem.contents(of: log) ?? [], as: UTF8.self)
            lastFailure = SystemError(text: "\(program.rawValue) did not start: \(text)")
        }
        throw lastFailure
    }

    /// Ends the process and waits for it. Idempotent.
    package func stop() {
        process.stop()
    }

    private static func path(of program: Program) -> String? {
        ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map { "\($0)/\(program.rawValue)" }
            .first { unsafe access($0, X_OK) == 0 }
    }
}
