private import Glibc

/// Returns the monotonic clock in nanoseconds.
func monotonic() -> Int64 { clock(CLOCK_MONOTONIC) }

/// Returns the time of day in nanoseconds since 1970.
func timeOfDay() -> Int64 { clock(CLOCK_REALTIME) }

private func clock(_ id: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(id, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Returns the CPU time that this process has used, in nanoseconds.
func processTime() -> Int64 { clock(CLOCK_PROCESS_CPUTIME_ID) }

/// Raises the limit of open descriptors as far as the system allows, because each connection has one.
func raiseDescriptorLimit() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    // Without it, connections beyond the limit fail with a reason of their own.
    _ = setrlimit(resource, &limit)
}

/// Returns the content of a file.
func readFile(_ path: String) throws(LoadError) -> [UInt8] {
    guard let file = fopen(path, "re") else { throw failure("cannot open", path) }
    defer { fclose(file) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = fread(&buffer, 1, buffer.count, file)
        content += buffer[..<count]
        if count == 0 { break }
    }
    guard ferror(file) == 0 else { throw failure("cannot read", path) }
    return content
}

/// Writes a text to a file, which it replaces.
func writeFile(_ path: String, _ text: String) throws(LoadError) {
    guard let file = fopen(path, "we") else { throw failure("cannot create", path) }
    let bytes = Array(text.utf8)
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { throw failure("cannot write", path) }
}

private func failure(_ what: String, _ path: String) -> LoadError {
    LoadError("\(what) \(path): \(String(cString: strerror(errno)))")
}

/// Writes a text to standard output.
func printText(_ text: String) { write(text, to: 1) }

/// Writes a line to standard error.
func printError(_ line: String) { write("http-load: \(line)\n", to: 2) }

/// Writes a text to standard error.
func printProgress(_ text: String) { write(text, to: 2) }

/// Whether standard error is a terminal.
func isErrorTerminal() -> Bool { isatty(2) == 1 }

private func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        // The terminal or the pipe is closed, so an error message could not be written either.
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
