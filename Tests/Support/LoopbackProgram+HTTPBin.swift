extension LoopbackProgram {
    /// Starts httpbin under gunicorn: a widely used test server that is not part of this project.
    ///
    /// `make setup` installs both into `.build-httpbin`. It answers at `/get`, `/post`,
    /// `/status/CODE`, `/gzip`, `/deflate`, `/stream/LINES`, `/delay/SECONDS`, `/range/BYTES`,
    /// `/drip` and more.
    package static func httpbin() throws(SystemError) -> LoopbackProgram {
        let gunicorn = repository + "/.build-httpbin/gunicorn"
        return try LoopbackProgram("httpbin", at: gunicorn) { port, directory in
            // Without its own directories, all running instances would share their files.
            """
            bind = "127.0.0.1:\(port)"
            worker_class = "gthread"
            threads = 8
            keepalive = 10
            graceful_timeout = 1
            worker_tmp_dir = "\(directory)"
            raw_env = ["HOME=\(directory)"]

            """
        } arguments: {
            ["-c", $0, "httpbin:app"]
        }
    }

    /// The directory of the sources that this was built from.
    private static var repository: String {
        var path = #filePath
        for _ in 0..<3 { path = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
        return path
    }
}
