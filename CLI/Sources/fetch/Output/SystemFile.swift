internal import Glibc
internal import HTTPClient

/// Access to files and the terminal.
///
/// Apart from `SystemTerminal`, only this type makes system calls.
enum SystemFile {
    /// Standard input.
    static let input: Int32 = 0
    /// Standard output.
    static let output: Int32 = 1
    /// Standard error.
    static let errors: Int32 = 2

    /// Whether a file of any kind exists at this path.
    static func exists(_ path: String) -> Bool {
        // SAFETY: the text lives for the call.
        unsafe access(path, F_OK) == 0
    }

    /// Whether a path refers to a device, a pipe or a socket.
    static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the text and the local live for the call.
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    }

    /// Whether another file may take this name: it is that of a regular file, of a directory or of none.
    ///
    /// Names in `/dev` and `/proc`, such as `/dev/stdout`, lead to open files, also to regular ones.
    static func isReplaceable(_ path: String) -> Bool {
        guard !isSpecial(path) else { return false }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { String(path[...$0]) } ?? "."
        // SAFETY: the text lives for the call, which allocates the result.
        guard let name = unsafe realpath(directory, nil) else { return true }
        // SAFETY: realpath allocated it, and it is not used later.
        defer { unsafe free(name) }
        // SAFETY: the result is a string that ends with NUL.
        let real = unsafe String(cString: name)
        return real != "/dev" && real != "/proc" && !real.hasPrefix("/proc/")
    }

    /// Opens a file for writing, and creates it if it does not exist.
    static func create(
        _ path: String,
        appending: Bool = false,
        mode: mode_t = 0o666
    ) throws(SystemError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (appending ? O_APPEND : O_TRUNC)
        while true {
            // SAFETY: the text lives for the call.
            let descriptor = unsafe open(path, flags, mode)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw SystemError() }
        }
    }

    /// Removes the permissions of group and others from a regular file.
    ///
    /// Other kinds of file are unchanged.
    static func makePrivate(_ descriptor: Int32) throws(SystemError) {
        var status = stat()
        // SAFETY: the local lives for the call.
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError() }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
        guard fchmod(descriptor, 0o600) == 0 else { throw SystemError() }
    }

    /// Writes all bytes, and blocks until that is done.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            // SAFETY: the pointer is used only within the closure, and for the length of the
            // buffer.
            let count = unsafe bytes[offset...].withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count > 0 {
                offset += count
            } else if errno == EAGAIN {
                // Another process that shares the terminal or pipe made it non-blocking.
                var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wish, 1, -1)
            } else if errno != EINTR {
                throw SystemError()
            }
        }
    }

    /// Closes a descriptor.
    ///
    /// An earlier write may be reported as failed only now.
    static func close(_ descriptor: Int32) throws(SystemError) {
        guard Glibc.close(descriptor) != 0, errno != EINTR else { return }
        throw SystemError()
    }

    /// Waits until a file and its name would survive a power failure (fsync).
    static func synchronize(_ descriptor: Int32, at path: String) throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError() }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { String(path[...$0]) } ?? "."
        // SAFETY: the text lives for the call.
        let parent = unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw SystemError() }
        defer { _ = Glibc.close(parent) }
        // Some file systems do not support it for directories.
        guard fsync(parent) == 0 || errno == EINVAL else { throw SystemError() }
    }

    /// Removes everything after the first `bytes` of a file.
    static func truncate(_ descriptor: Int32, to bytes: Int) throws(SystemError) {
        guard ftruncate(descriptor, bytes) == 0, lseek(descriptor, bytes, SEEK_SET) == bytes
        else { throw SystemError() }
    }

    /// Creates the missing parent directories of a file.
    static func makeDirectories(for path: String) throws(SystemError) {
        var directory = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
            directory += part + "/"
            // SAFETY: the text lives for the call.
            guard !part.isEmpty, unsafe mkdir(directory, 0o750) != 0, errno != EEXIST else {
                continue
            }
            let systemError = SystemError()
            // Creating a directory may be forbidden although it exists.
            var facts = stat()
            // SAFETY: as above, and the structure is a local.
            guard unsafe stat(directory, &facts) == 0 else { throw systemError }
        }
    }

    /// Returns the size of a regular file; nil when there is none.
    static func size(_ path: String) -> Int? {
        var facts = stat()
        // SAFETY: the text lives for the call, and the structure is a local.
        guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return max(facts.st_size, 0)
    }

    /// The width of the terminal of standard error; 79 when it is not a terminal.
    ///
    /// The variable `COLUMNS` takes precedence.
    static var columns: Int {
        if let text = variable("COLUMNS"), let number = Decimal.value(of: text.utf8),
            number > 20
        {
            return Int(min(number, 256))
        }
        var size = winsize()
        // SAFETY: the structure is a local and has the size that the request requires.
        guard unsafe ioctl(errors, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 79 }
        return min(Int(size.ws_col), 256)
    }

    /// The current time of the system clock, in whole seconds.
    static var now: HTTPDate { HTTPDate(secondsSince1970: time(nil)) }

    /// Reads a whole file; `-` is standard input.
    static func read(_ path: String) throws(SystemError) -> [UInt8] {
        var descriptor: Int32 = 0
        if path != "-" {
            // SAFETY: the text lives for the call.
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemError() }
        }
        defer { if descriptor != 0 { _ = Glibc.close(descriptor) } }
        var content: [UInt8] = []
        while true {
            let piece = try readPiece(descriptor)
            guard !piece.isEmpty else { return content }
            content += piece
        }
    }

    /// Reads available bytes, up to 64 KiB, and blocks until there are some.
    ///
    /// Returns no bytes at end of file.
    static func readPiece(_ descriptor: Int32) throws(SystemError) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            // SAFETY: the pointer is used only within the closure, and for the length of the
            // buffer.
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count >= 0 {
                // The copy frees the unused memory of a piece that is kept.
                return count == chunk.count ? chunk : Array(chunk.prefix(count))
            }
            guard errno == EINTR else { throw SystemError() }
        }
    }

    /// Returns the modification date of a file; nil when there is none.
    static func modificationDate(_ path: String) -> HTTPDate? {
        var facts = stat()
        // SAFETY: the text lives for the call, and the structure is a local.
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return HTTPDate(secondsSince1970: facts.st_mtim.tv_sec)
    }

    /// Whether the descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Returns an environment variable; nil when it is not set or is not UTF-8.
    static func variable(_ name: String) -> String? {
        // SAFETY: the text is copied at once, and the program never changes the environment.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: text)
    }

    /// Makes a write to a closed pipe return an error instead of ending the program.
    static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Opens `/dev/null` in place of those of the descriptors 0 to 2 that are closed at the start.
    ///
    /// Otherwise a socket could get such a number and be used as standard output. Writing to the
    /// replacement of an output descriptor fails.
    static func fillStandardDescriptors() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // SAFETY: the text lives for the call; the lowest free number is this one.
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Returns the arguments after the program's name, as bytes, because they need not be UTF-8.
    static func arguments() -> [[UInt8]] {
        var arguments: [[UInt8]] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            // SAFETY: the runtime keeps argc pointers to NUL-terminated strings for the whole run.
            guard let text = unsafe CommandLine.unsafeArgv[index] else { break }
            // SAFETY: as above; strlen stops at the terminating NUL.
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
            unsafe arguments.append(Array(bytes))
        }
        return arguments
    }

    /// Overwrites bytes of an argument with spaces, so that `ps` and `/proc` do not show them.
    ///
    /// - Parameters:
    ///   - bytes: the range in the argument as ``arguments()`` returned it.
    ///   - number: the number of the argument, counted from 0 after the program's name.
    static func redact(_ bytes: Range<Int>, ofArgument number: Int) {
        // SAFETY: the runtime keeps the system's own argc pointers to NUL-terminated strings, which
        // a process may change. The range is limited to the length of the string.
        guard number + 1 < CommandLine.argc,
            let text = unsafe CommandLine.unsafeArgv[number + 1]
        else { return }
        let end = min(bytes.upperBound, unsafe strlen(text))
        guard bytes.lowerBound < end else { return }
        unsafe memset(text + bytes.lowerBound, 0x20, end - bytes.lowerBound)
    }

    /// Ends the program at once, without exit handlers.
    ///
    /// The client's threads run until the end, and a handler could release what they use. No output
    /// is lost, because all output is unbuffered.
    static func exit(_ code: ExitCode) -> Never { _exit(code.number) }
}
