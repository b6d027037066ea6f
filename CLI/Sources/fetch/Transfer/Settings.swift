internal import HTTPClient

/// The checked values of the command line; ``forURL(_:)`` has those of one URL.
struct Settings {
    /// The URLs as given.
    let urls: [String]
    /// Whether braces and brackets in URLs are expanded.
    let expandsURLs: Bool
    /// The rules for where bodies are written.
    let outputs: OutputRules
    /// Whether missing directories of these files are created.
    let createsDirectories: Bool
    /// Whether downloads have a journal, with which the next run continues them.
    let hasJournal: Bool
    /// The number of connections of a download; nil for one request.
    let segments: HTTPDownloadOptions.Segments?
    /// Whether files are synchronized at the end of a transfer.
    let synchronizes: Bool
    /// The digest that bodies must have; nil for any.
    let checksum: HTTPDigest?
    /// Where downloads resume; nil when they begin at the start.
    private(set) var resume: ResumeOffset?
    /// Whether and how progress is shown.
    let progress: ProgressStyle.Rule
    /// The parts of the requests that do not depend on the URL.
    private(set) var plan: RequestPlan
    /// How often in a row a download with a journal continues after a lost connection without a new byte.
    let maxContinuations: Int
    /// Whether dot segments in paths are kept.
    let pathAsIs: Bool
    /// The text printed after each transfer.
    let writeOut: WriteOut?
    /// The file that heads are also written to.
    let headDump: HeadDump?
    /// Whether heads are written before bodies.
    let includesHeads: Bool
    /// Whether the body is not requested, or not waited for.
    let isHeadOnly: Bool
    /// The records that bodies are written as; nil for unchanged bodies.
    let streamContent: StreamContent?
    /// The cache; nil for none.
    let cache: HTTPCache?
    /// How requests use the cache.
    let cacheMode: HTTPRequest.CacheMode
    /// The limit of body bytes; nil for no limit.
    let maxFileSize: Int?
    /// The limit of body bytes per second; nil for no limit.
    let rateLimit: Int?
    /// The effect of a status of 400 or above.
    let statusRule: StatusRule
    /// The timeout of a transfer; nil for none.
    let maxTime: Duration?
    /// The rules for retrying a transfer.
    let retry: RetryOptions
    /// The name of the uploaded file, which is appended to a URL that ends with a slash.
    private(set) var uploadName: String?
    /// The uploads in the order of the URLs: the first belongs to the first URL.
    ///
    /// Nil uploads nothing to that URL.
    let uploads: [Upload?]
    /// The condition on the date of a response; nil for none.
    let timeCondition: TimeCondition?
    /// The file for the entity tag of a response.
    let tagFile: String?
    /// Whether secrets are shown in the curl commands that are printed instead of a transfer; nil to transfer.
    let curlSecrets: HTTPRequest.Secrets?
    /// The reports about transfers.
    let report: TransferReport
    /// The recorder of heads and redirects.
    let headRecorder = HeadRecorder()
    /// The cookies and credentials.
    let identity: Identity
    /// The client's configuration.
    let configuration: HTTPClient.Configuration

    /// An upload and its request.
    struct Upload {
        /// The name of the file; nil for standard input.
        let name: String?
        let plan: RequestPlan
    }

    /// The effect of a status of 400 or above.
    enum StatusRule: Sendable {
        /// The status has no effect.
        case accept
        /// The transfer fails without the body.
        case fail
        /// The transfer fails, but the body is written.
        case failWithBody
    }

    /// Reads the files that the command line names, and checks everything that can be checked before sending.
    init(_ command: FetchCommand, console: Console) throws(FetchError) {
        urls = command.urls
        expandsURLs = !command.globoff
        outputs = try OutputRules(
            outputs: command.output,
            remoteNames: command.remoteNames,
            noRemoteNames: command.noRemoteNames,
            namesAllRemotely: command.remoteNameAll,
            directory: command.outputDir
        )
        createsDirectories = command.createDirs
        resume = command.continueAt
        hasJournal = command.downloads.resume
        segments = command.downloads.segments?.segments
        synchronizes = command.downloads.sync
        checksum = command.downloads.checksum?.digest
        progress = ProgressStyle.Rule(
            isWanted: command.progressMeter && !command.silent,
            wantsHashes: command.progressBar
        )
        pathAsIs = command.pathAsIs
        includesHeads = command.include || command.head
        isHeadOnly = command.head
        streamContent = command.streams.content
        cache = try command.caching.httpCache()
        cacheMode = command.caching.cacheMode?.mode ?? .default
        maxFileSize = command.maxFilesize?.limit
        rateLimit = command.limitRate?.limit
        maxTime = command.maxTime?.duration
        var retry = RetryOptions()
        retry.maxRetries = Int(clamping: command.retry?.value ?? 0)
        maxContinuations = Int(clamping: command.retry?.value ?? 5)
        retry.delay = command.retryDelay?.duration
        retry.maxTime = command.retryMaxTime?.duration
        retry.retriesAllErrors = command.retryAllErrors
        retry.retriesConnectionRefused = command.retryConnrefused
        self.retry = retry
        // The body of an error does not have the digest of the document.
        let fails = command.fail || command.downloads.checksum != nil
        statusRule = command.failWithBody ? .failWithBody : fails ? .fail : .accept
        headDump = command.dumpHeader.map { HeadDump($0) }
        tagFile = command.etagSave
        let secrets: HTTPRequest.Secrets = command.showSecrets ? .shown : .redacted
        curlSecrets = command.asCurl ? secrets : nil
        report = TransferReport(command.tracing, secrets, console)
        identity = try Identity(command, console)
        let conditions = Conditions(command, console)
        timeCondition = conditions.time(modificationDate: SystemFile.modificationDate)
        var extra = try conditions.fields(time: timeCondition) { try? SystemFile.read($0) }
        if let cookies = identity.cookies { extra.append(.cookie, bytes: cookies) }
        let lines = try Self.lines(command.header, console)
        let data = try RequestData.join(Self.pieces(command), reading: Self.read)
        let form = try Self.form(command)
        let user = identity.sendsUser ? command.user : nil
        func plan(
            _ upload: (body: HTTPBody, range: ContentRange?)? = nil
        ) throws(FetchError) -> RequestPlan {
            var extra = extra
            if let range = upload?.range { extra.append(.contentRange, range.description) }
            return try RequestPlan(
                method: command.request,
                isHeadOnly: command.head,
                userAgent: command.userAgent?.bytes,
                acceptsCompression: command.compressed,
                lines: lines,
                user: user,
                data: data,
                dataGoesToQuery: command.get,
                extra: extra,
                form: form,
                upload: upload?.body
            )
        }
        var uploads: [Upload?] = []
        for path in command.uploadFile.map(\.text) {
            guard !path.isEmpty else {
                uploads.append(nil)
                continue
            }
            let isInput = StandardInput.isNamed(path)
            let name = isInput ? nil : path.split(separator: "/").last.map(String.init)
            uploads.append(Upload(name: name, plan: try plan(Self.upload(path, command))))
        }
        self.uploads = uploads
        // The fields of the user may fit only the uploads, such as a Content-Length.
        if uploads.count >= urls.count, !uploads.contains(where: { $0 == nil }),
            let upload = uploads.first ?? nil
        {
            self.plan = upload.plan
        } else {
            self.plan = try plan()
        }
        writeOut = try command.writeOut.map { text throws(FetchError) in
            guard text.hasPrefix("@") else { return WriteOut(text) }
            let format = try Self.read(String(text.dropFirst()))
            return WriteOut(String(decoding: format, as: UTF8.self))
        }
        var configuration = try Self.configuration(command)
        configuration.redirects = command.redirectOptions.redirects(
            keeping: command.request.map { HTTPMethod($0) },
            namesReferer: conditions.followsReferer && !lines.contains { $0.names(.referer) }
        )
        configuration.authentication = identity.authentication
        configuration.cookies = identity.jar.map { .jar($0) } ?? .disabled
        configuration.cache = cache.map { .cache($0) } ?? .disabled
        configuration.security = try SecurityBuilder.security(command.security)
        configuration.proxy = try Self.proxy(command, console).setting(SystemFile.variable)
        if console.showsExchange { configuration.observers.append(ExchangeDisplay(console)) }
        configuration.observers.append(headRecorder)
        if command.parserLevel == .forensic {
            configuration.observers.append(DeviationDisplay(console))
        }
        if let recorder = report.recorder { configuration.observers.append(recorder) }
        if let jar = identity.jar, identity.cookies != nil {
            configuration.interceptors.append(UserCookiesInterceptor(jar: jar))
        }
        self.configuration = configuration
    }

    /// Returns the settings of one URL, with its upload.
    ///
    /// - Parameter number: the number of the URL, counted from 0.
    /// - Returns: the settings, of which only the upload, the request and the resumption differ.
    func forURL(_ number: Int) -> Settings {
        guard number < uploads.count, let upload = uploads[number] else { return self }
        var settings = self
        settings.plan = upload.plan
        settings.uploadName = upload.name
        settings.resume = nil
        return settings
    }

    /// Returns the proxy of the options.
    ///
    /// In curl the last option counts; here the SOCKS option takes precedence.
    private static func proxy(
        _ command: FetchCommand,
        _ console: Console
    ) throws(FetchError) -> ProxyOptions {
        var choice = ProxyOptions()
        choice.proxy =
            command.socks5Hostname.map { "socks5h://\($0)" } ?? command.socks5.map {
                "socks5://\($0)"
            }
            ?? command.proxy?.text
        choice.user = command.proxyUser
        if command.proxyDigest { choice.authentication = .digest }
        if command.proxyAnyauth { choice.authentication = .any }
        choice.lines = try lines(command.proxyHeader, console)
        choice.exceptions = command.noproxy?.text
        choice.tunnelsEverything = command.proxytunnel
        return choice
    }

    /// Creates the configuration.
    ///
    /// Only the requested timeouts apply, and curl's 5 minutes for connecting.
    private static func configuration(
        _ command: FetchCommand
    ) throws(FetchError) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.headers = [:]
        configuration.decompression = command.compressed ? .on : .off
        configuration.strictness = command.parserLevel.strictness
        configuration.contentLengthPolicy = command.ignoreContentLength ? .ignored : .trusted
        configuration.limits.headBytes = 300 << 10
        configuration.limits.fieldCount = 5000
        configuration.connectOptions = try connecting(command)
        // Retries are made by this program, because they follow curl's rules.
        configuration.retries = HTTPRetryOptions(maxRetries: 0)
        var timeouts = HTTPTimeouts()
        timeouts.total = command.maxTime?.duration
        timeouts.queue = nil
        timeouts.establish = command.connectTimeout?.duration ?? .seconds(300)
        timeouts.resolve = nil
        timeouts.connect = nil
        timeouts.tlsHandshake = nil
        timeouts.requestHead = nil
        timeouts.responseHead = nil
        timeouts.readIdle = nil
        timeouts.writeIdle = nil
        timeouts.minimumThroughput = throughput(command)
        configuration.timeouts = timeouts
        return configuration
    }

    /// Creates the options for opening connections.
    private static func connecting(
        _ command: FetchCommand
    ) throws(FetchError) -> HTTPConnectOptions {
        var connectOptions = HTTPConnectOptions()
        var rules: [ResolveRule] = []
        for text in command.resolve { rules.append(try ResolveRule(text)) }
        connectOptions.overrides = ResolveRule.overrides(rules)
        for text in command.connectTo {
            connectOptions.connectToRules.append(try ConnectRule.parse(text))
        }
        connectOptions.unixSocket =
            command.unixSocket.map { .path($0) } ?? command.abstractUnixSocket.map { .abstract($0) }
        connectOptions.localBinding = try command.interface.map(InterfaceName.parse)
        connectOptions.addressPolicy = command.addressPolicy?.policy ?? .any
        switch command.family {
        case .ipv4: connectOptions.addressFamily = .ipv4
        case .ipv6: connectOptions.addressFamily = .ipv6
        case .none: break
        }
        if command.keepalive {
            let time = command.keepaliveTime.map(\.value) ?? 0
            let period = Duration.seconds(time == 0 ? 60 : min(time, 1 << 31))
            connectOptions.keepAlive = HTTPConnectOptions.KeepAlive(idle: period, interval: period)
        }
        return connectOptions
    }

    /// Returns the minimum throughput.
    ///
    /// The default of either option is curl's: one byte per second, or 30 seconds.
    private static func throughput(_ command: FetchCommand) -> HTTPTimeouts.Throughput? {
        guard command.speedLimit != nil || command.speedTime != nil else { return nil }
        let bytes = command.speedLimit.map(\.value) ?? 1
        let seconds = command.speedTime.map(\.value) ?? 30
        guard bytes > 0, seconds > 0 else { return nil }
        return HTTPTimeouts.Throughput(
            bytesPerSecond: bytes,
            over: .seconds(min(seconds, 1 << 31))
        )
    }

    /// Parses the fields of a multipart form, in the order of the command line.
    private static func form(_ command: FetchCommand) throws(FetchError) -> MultipartForm? {
        let fields =
            command.form.map { ($0, false) } + command.formString.map { ($0, true) }
        guard !fields.isEmpty else { return nil }
        var form = MultipartForm()
        for (field, isLiteral) in fields.sorted(by: { $0.0.position < $1.0.position }) {
            let part = try isLiteral ? FormPart(literal: field.text) : FormPart(field.text)
            try part.add(to: &form, reading: read)
        }
        return form
    }

    /// Whether the command line may contain credentials.
    private static func hasUser(_ command: FetchCommand) -> Bool {
        let identity = command.identity
        return command.user != nil || identity.netrc || identity.netrcOptional
            || identity.netrcFile != nil || command.urls.contains { $0.contains("@") }
    }

    /// Returns the content of an upload, which is read while it is sent.
    ///
    /// Standard input has no known length.
    ///
    /// - Returns: the body, with a range when it is a part of a file (RFC 9110 §14.5).
    private static func upload(
        _ path: String,
        _ command: FetchCommand
    ) throws(FetchError) -> (body: HTTPBody, range: ContentRange?) {
        if StandardInput.isNamed(path) {
            guard command.identity.digest, hasUser(command) else {
                return (.stream(StandardInput(), contentType: nil), nil)
            }
            // The server will challenge the first request, so the content is needed twice and is
            // kept if it is within the limit. curl sends the first request without content. A
            // server that requires no credentials would store that as an empty upload.
            let store = StandardInput.Store()
            return (.stream(contentType: nil) { StandardInput(storedIn: store) }, nil)
        }
        // If the file cannot be read, the error is reported when it is sent.
        guard case .bytes(let offset) = command.continueAt, offset > 0,
            let size = SystemFile.size(path)
        else { return (.file(path), nil) }
        guard offset < size else {
            throw FetchError(.partialBody, "\(path) has no bytes to send after offset \(offset)")
        }
        let range = ContentRange.part(offset...(size - 1), of: size)
        return (.file(path, range: offset..<size), range)
    }

    private static func pieces(_ command: FetchCommand) -> [(RequestData.Form, PositionedArgument)]
    {
        command.data.map { (.text, $0) } + command.dataRaw.map { (.raw, $0) }
            + command.dataBinary.map { (.binary, $0) } + command.json.map { (.json, $0) }
            + command.dataEncoded.map { (.encoded, $0) }
    }

    private static func lines(
        _ header: [PositionedArgument],
        _ console: Console
    ) throws(FetchError) -> [HeaderLine] {
        var lines: [HeaderLine] = []
        for value in header.sorted(by: { $0.position < $1.position }) {
            guard value.bytes.first == UInt8(ascii: "@") else {
                try append(value.bytes, to: &lines, console)
                continue
            }
            let file = try read(String(decoding: value.bytes.dropFirst(), as: UTF8.self))
            for line in file.split(separator: 0x0A) {
                let line = line.last == 0x0D ? line.dropLast() : line
                if !line.isEmpty { try append(Array(line), to: &lines, console) }
            }
        }
        return lines
    }

    private static func append(
        _ line: [UInt8],
        to lines: inout [HeaderLine],
        _ console: Console
    ) throws(FetchError) {
        if let line = try HeaderLine.parse(line) {
            lines.append(line)
        } else {
            console.warning("ignored the header \"\(String(decoding: line, as: UTF8.self))\"")
        }
    }

    private static func read(_ path: String) throws(FetchError) -> [UInt8] {
        do {
            return try SystemFile.read(path)
        } catch {
            throw FetchError(.readFailed, "Failed to open \(path): \(error.reason)")
        }
    }
}
