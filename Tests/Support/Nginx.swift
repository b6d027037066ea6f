internal import Glibc

/// An nginx on loopback, for tests against an independent server.
///
/// | path | response |
/// |---|---|
/// | `/` | 200, 13 bytes of text |
/// | `/json` | 200, a small JSON object |
/// | `/status/404` | that status; `statuses` below lists the known ones |
/// | `/redirect` | 302 to `/` |
/// | `/files/NAME` | a file passed at the start; ranges, ETag, Last-Modified |
/// | `/gzip/NAME` | the same file, gzip on the fly (chunked) |
/// | `/proxy/PATH` | the upstream's response to `/PATH`, unbuffered, HTTP/1.1 |
package final class Nginx: Sendable {
    /// The paths of a PEM certificate chain and of its PEM key.
    package struct TLSFiles: Sendable {
        package let certificate: String
        package let key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// The number of processes.
    package enum Processes: Sendable {
        case single
        /// As in production: this form supports a reload.
        case masterWithWorker
    }

    /// The port for plain HTTP.
    package let port: Int
    /// The port for TLS; 0 if no certificate was given.
    package let tlsPort: Int
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts nginx and returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - tls: the certificate and key; nil, the default, for no TLS.
    ///   - upstream: the port on 127.0.0.1 that `/proxy/` forwards to.
    ///   - files: names and contents of the files for `/files/` and `/gzip/`.
    ///   - directives: additional lines for every server block.
    ///   - processes: the number of processes; a single one by default.
    /// - Throws: an error that names the package to install if nginx is missing.
    package init(
        tls: TLSFiles? = nil,
        upstream: Int? = nil,
        files: [String: [UInt8]] = [:],
        directives: String = "",
        processes: Processes = .single
    ) throws(SystemError) {
        guard let program = Self.program else {
            throw SystemError(text: "nginx is not installed: run `make setup` (nginx-light)")
        }
        let directory = try TemporaryDirectory()
        unsafe mkdir("\(directory.path)/files", 0o700)
        for (name, bytes) in files { try directory.write(bytes, as: "files/\(name)") }

        var lastFailure = SystemError(text: "nginx did not start")
        // Another process may take the port between the check for a free one and nginx's bind.
        for _ in 0..<5 {
            let port = try UnreachablePorts.free()
            let tlsPort = tls == nil ? 0 : try UnreachablePorts.free()
            let configuration = Self.configuration(
                directory: directory.path,
                port: port,
                tls: tls,
                tlsPort: tlsPort,
                upstream: upstream,
                directives: directives,
                processes: processes
            )
            let file = try directory.write(configuration, as: "nginx.conf")
            let log = "\(directory.path)/error.log"
            let process = try ChildProcess(
                [program, "-p", directory.path, "-c", file, "-e", log],
                output: log
            )
            if process.accepts(port), tls == nil || process.accepts(tlsPort) {
                self.port = port
                self.tlsPort = tlsPort
                self.directory = directory
                self.process = process
                return
            }
            process.stop()
            let text = String(decoding: TestFileSystem.contents(of: log) ?? [], as: UTF8.self)
            lastFailure = SystemError(text: "nginx did not start: \(text)")
        }
        throw lastFailure
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// Ends the process and waits for it. Idempotent.
    package func stop() {
        process.stop()
    }

    /// Makes nginx read its configuration again.
    ///
    /// Its worker accepts no new connections, finishes its requests and closes idle connections.
    package func reload() throws(SystemError) {
        let text = TestFileSystem.contents(of: "\(directory.path)/nginx.pid").map {
            String(decoding: $0, as: UTF8.self)
        }
        guard let number = text?.split(separator: "\n").first.flatMap({ pid_t($0) }),
            kill(number, SIGHUP) == 0
        else { throw SystemError(text: "SIGHUP could not be sent to nginx") }
    }

    /// The contents of nginx's error log.
    package var log: String {
        String(
            decoding: TestFileSystem.contents(of: "\(directory.path)/error.log") ?? [],
            as: UTF8.self
        )
    }

    /// The path of nginx: `/usr/sbin` is not in every user's PATH.
    private static var program: String? {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        let directories =
            path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return directories.map { "\($0)/nginx" }.first { unsafe access($0, X_OK) == 0 }
    }

    private static func configuration(
        directory: String,
        port: Int,
        tls: TLSFiles?,
        tlsPort: Int,
        upstream: Int?,
        directives: String,
        processes: Processes
    ) -> String {
        var listen = "listen 127.0.0.1:\(port);\n"
        if let tls {
            listen += """
                listen 127.0.0.1:\(tlsPort) ssl;
                ssl_certificate \(tls.certificate);
                ssl_certificate_key \(tls.key);
                ssl_protocols TLSv1.2 TLSv1.3;

                """
        }
        var proxy = ""
        if let upstream {
            proxy = """
                location /proxy/ {
                    proxy_pass http://127.0.0.1:\(upstream)/;
                    proxy_http_version 1.1;
                    proxy_buffering off;
                }
                """
        }
        let statuses = [200, 204, 301, 400, 401, 403, 404, 410, 418, 429, 500, 502, 503]
            .map { "location = /status/\($0) { return \($0); }" }.joined(separator: "\n")
        // The worker drops root's privileges, but root created the directory.
        let user = geteuid() == 0 ? "user root;" : ""
        return """
            daemon off;
            master_process \(processes == .single ? "off" : "on");
            worker_processes 1;
            \(user)
            pid \(directory)/nginx.pid;
            error_log \(directory)/error.log warn;
            events { worker_connections 1024; }
            http {
                access_log off;
                default_type text/plain;
                keepalive_requests 1000000;
                client_max_body_size 0;
                client_body_temp_path \(directory)/body;
                proxy_temp_path \(directory)/proxy;
                fastcgi_temp_path \(directory)/fastcgi;
                uwsgi_temp_path \(directory)/uwsgi;
                scgi_temp_path \(directory)/scgi;
                types { application/json json; text/html html; text/plain txt; }
                server {
                    \(listen)
                    \(directives)
                    location = / { return 200 "hello, world\\n"; }
                    location = /json {
                        default_type application/json;
                        return 200 '{"name":"nginx","values":[1,2,3]}';
                    }
                    \(statuses)
                    location = /redirect { return 302 /; }
                    location /files/ { alias \(directory)/files/; }
                    location /gzip/ {
                        alias \(directory)/files/;
                        gzip on;
                        gzip_min_length 1;
                        gzip_types *;
                    }
                    \(proxy)
                }
            }
            """
    }
}
