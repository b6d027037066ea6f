internal import Glibc

/// A server program on a loopback port, for tests against independent implementations.
///
/// It is started with its own configuration file, and ends when the object is released.
package final class LoopbackProgram: Sendable {
    package let port: Int
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts a program and returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - name: the name of the program.
    ///   - place: its path; nil searches Debian's program directories.
    ///   - files: names and contents of files in the directory of the configuration.
    ///   - configuration: creates the configuration from the port and the directory.
    ///   - arguments: creates the arguments from the configuration's path.
    init(
        _ name: String,
        at place: String? = nil,
        files: [String: String] = [:],
        configuration: (_ port: Int, _ directory: String) -> String,
        arguments: (_ file: String) -> [String]
    ) throws(SystemError) {
        guard let path = place ?? Self.path(of: name), unsafe access(path, X_OK) == 0 else {
            throw SystemError(text: "\(name) is not installed: run `make setup`")
        }
        let directory = try TemporaryDirectory()
        // Some programs drop their privileges and must still read the directory.
        unsafe chmod(directory.path, 0o755)
        for (name, text) in files {
            unsafe chmod(try directory.write(text, as: name), 0o644)
        }
        var lastFailure = SystemError(text: "\(name) did not start")
        // Another process may take the port between the check for a free one and the program's
        // bind.
        for _ in 0..<5 {
            let port = try UnreachablePorts.free()
            let file = try directory.write(
                configuration(port, directory.path),
                as: "configuration.py"
            )
            unsafe chmod(file, 0o644)
            let log = "\(directory.path)/log"
            let process = try ChildProcess([path] + arguments(file), output: log)
            if process.accepts(port) {
                self.port = port
                self.directory = directory
                self.process = process
                return
            }
            process.stop()
            let text = String(decoding: TestFileSystem.contents(of: log) ?? [], as: UTF8.self)
            lastFailure = SystemError(text: "\(name) did not start: \(text)")
        }
        throw lastFailure
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// Ends the process and waits for it. Idempotent.
    package func stop() {
        process.stop()
    }

    private static func path(of program: String) -> String? {
        ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"].map { "\($0)/\(program)" }
            .first { unsafe access($0, X_OK) == 0 }
    }
}

extension LoopbackProgram {
    /// Starts HAProxy in front of a server on this machine and of a server that is down.
    ///
    /// | path | response |
    /// |---|---|
    /// | `/denied` | 403, by a rule |
    /// | `/down` | 503: the server behind it does not listen |
    /// | `/stall` | the response of the server at `upstream`; 504 if it takes longer than 5 seconds |
    /// | other | the same within 2 minutes |
    ///
    /// - Parameters:
    ///   - upstream: a port on 127.0.0.1.
    ///   - directives: additional lines for the frontend.
    package static func haproxy(
        upstream: Int,
        directives: String = ""
    ) throws(SystemError) -> LoopbackProgram {
        let dead = try UnreachablePorts.refusing()
        return try LoopbackProgram("haproxy") { port, _ in
            """
            global
                maxconn 200
            defaults
                mode http
                retries 0
                timeout connect 5s
                timeout client 120s
                timeout server 120s
            frontend clients
                bind 127.0.0.1:\(port)
                \(directives)
                http-request deny deny_status 403 if { path /denied }
                use_backend down if { path /down }
                default_backend live
            backend live
                http-request set-timeout server 5s if { path /stall }
                server live 127.0.0.1:\(upstream)
            backend down
                server down 127.0.0.1:\(dead)

            """
        } arguments: {
            ["-db", "-f", $0]
        }
    }

    /// Starts squid as a proxy without a cache.
    ///
    /// - Parameter asksForPassword: whether it requires the user `ada` with the password `secret`.
    package static func squid(
        asksForPassword: Bool = false
    ) throws(SystemError) -> LoopbackProgram {
        // Created by `openssl passwd -apr1`; it protects nothing.
        let passwords = "ada:$apr1$abcdefgh$h9FWgUz3n9YxylKLlR5SQ/\n"
        return try LoopbackProgram("squid", files: ["passwords": passwords]) { port, directory in
            let access =
                asksForPassword
                ? """
                auth_param basic program /usr/lib/squid/basic_ncsa_auth \(directory)/passwords
                auth_param basic children 1
                auth_param basic realm test
                acl known proxy_auth REQUIRED
                http_access allow known
                http_access deny all
                """ : "http_access allow all"
            return """
                http_port 127.0.0.1:\(port)
                visible_hostname squid.test
                pid_filename none
                cache deny all
                cache_mem 8 MB
                access_log none
                cache_log /dev/null
                cache_store_log none
                coredump_dir none
                netdb_filename none
                pinger_enable off
                shutdown_lifetime 0 seconds
                max_filedescriptors 512
                dns_nameservers 127.0.0.1
                \(access)

                """
        } arguments: {
            ["-N", "-f", $0]
        }
    }
}
