internal import HTTPClient

/// Holds what the command line says, read and checked: the same for every URL of the call.
struct Settings {
    /// What to transfer, as given.
    let urls: [String]
    /// Whether braces and brackets in URLs make several.
    let expandsURLs: Bool
    /// Where bodies go.
    let outputs: OutputRules
    /// Makes the directories that their files lie in.
    let makesDirectories: Bool
    /// Where downloads go on; nil when they begin at the start.
    let resume: ResumeOffset?
    /// Whether and how progress is shown.
    let progress: ProgressStyle.Rule
    /// What is asked.
    let plan: RequestPlan
    /// Leaves dot segments in paths.
    let keepsDots: Bool
    /// What is printed after each transfer.
    let writeOut: WriteOut?
    /// Where heads go besides.
    let dump: HeadDump?
    /// Heads go before bodies.
    let includesHeads: Bool
    /// The body is not asked for, or not waited for.
    let asksForHead: Bool
    /// Octets of body that are accepted; nil for all.
    let maximum: Int?
    /// Octets a second that a body may come with; nil for as fast as it comes.
    let rate: Int?
    /// What a status of 400 or above means.
    let statusRule: StatusRule
    /// How long a transfer may take; nil for ever.
    let maxTime: Duration?
    /// When a transfer is made again.
    let retry: RetryRule
    /// What a URL that ends with a slash goes on with: the name of the file that is sent.
    let uploadName: String?
    /// What the date of a response must be; nil for any.
    let timeCondition: TimeCondition?
    /// Where the entity tag of a response goes.
    let tagFile: String?
    /// Print a command of curl for each URL instead of transferring it; nil to transfer.
    let curlSecrets: HTTPRequest.Secrets?
    /// Where what was measured is written.
    let report: TransferReport
    /// What the transfer meets on its way.
    let keeper = HeadKeeper()
    /// Who asks.
    let identity: Identity
    /// The client's configuration.
    let configuration: HTTPClient.Configuration

    /// Says what a status of 400 or above means.
    enum StatusRule: Sendable {
        /// Nothing in particular.
        case accept
        /// Failure, without the body.
        case fail
        /// Failure, with the body.
        case failWithBody
    }

    /// Reads the files that the command line names and checks what can be checked before sending.
    init(_ command: FetchCommand, console: Console) throws(Failure) {
        urls = command.urls
        expandsURLs = !command.globoff
        outputs = try OutputRules(
            outputs: command.output,
            remoteNames: command.remoteNames,
            noRemoteNames: command.noRemoteNames,
            namesAllRemotely: command.remoteNameAll,
            directory: command.outputDir
        )
        makesDirectories = command.createDirs
        resume = command.uploadFile == nil ? command.continueAt : nil
        progress = ProgressStyle.Rule(
            isWanted: command.progressMeter && !command.silent,
            wantsHashes: command.progressBar
        )
        keepsDots = command.pathAsIs
        includesHeads = command.include || command.head
        asksForHead = command.head
        maximum = command.maxFilesize?.limit
        rate = command.limitRate?.limit
        maxTime = command.maxTime?.duration
        var retry = RetryRule()
        retry.tries = Int(clamping: command.retry?.value ?? 0)
        retry.delay = command.retryDelay?.duration
        retry.maximum = command.retryMaxTime?.duration
        retry.takesAllFailures = command.retryAllErrors
        retry.takesRefusals = command.retryConnrefused
        self.retry = retry
        statusRule = command.failWithBody ? .failWithBody : command.fail ? .fail : .accept
        dump = command.dumpHeader.map { HeadDump($0) }
        tagFile = command.etagSave
        let secrets: HTTPRequest.Secrets = command.showSecrets ? .shown : .redacted
        curlSecrets = command.asCurl ? secrets : nil
        report = TransferReport(command.tracing, secrets, console)
        let upload = try Self.upload(command)
        uploadName = command.uploadFile.flatMap { path in
            StandardInput.isNamed(path) ? nil : path.split(separator: "/").last.map(String.init)
        }
        identity = try Identity(command, console)
        let conditions = Conditions(command, console)
        timeCondition = conditions.time(changed: SystemFile.changed)
        var extra = try conditions.fields(time: timeCondition) { try? SystemFile.read($0) }
        if let range = upload?.range { extra.append(.contentRange, range.description) }
        if let cookies = identity.cookies { extra.append(.cookie, bytes: cookies) }
        let lines = try Self.lines(command.header, console)
        plan = try RequestPlan(
            method: command.request,
            asksForHead: command.head,
            userAgent: command.userAgent?.bytes,
            asksForCoding: command.compressed,
            lines: lines,
            user: identity.sendsUser ? command.user : nil,
            data: RequestData.join(Self.pieces(command), reading: Self.read),
            dataGoesToQuery: command.get,
            extra: extra,
            form: Self.form(command),
            upload: upload?.body
        )
        if let rate, plan.body?.length ?? .max > rate, plan.body != nil {
            throw .usage("--limit-rate does not slow down what is sent")
        }
        writeOut = try command.writeOut.map { text throws(Failure) in
            guard text.hasPrefix("@") else { return WriteOut(text) }
            let format = try Self.read(String(text.dropFirst()))
            return WriteOut(String(decoding: format, as: UTF8.self))
        }
        var configuration = try Self.configuration(command)
        configuration.redirects = command.following.redirects(
            keeping: command.request.map { HTTPMethod($0) },
            namesReferer: conditions.followsReferer && !lines.contains { $0.names(.referer) }
        )
        configuration.authentication = identity.authentication
        configuration.cookies = identity.jar.map { .jar($0) } ?? .disabled
        configuration.security = try SecurityRules.security(command.security)
        configuration.proxy = try Self.proxy(command, console).setting(SystemFile.variable)
        if console.showsExchange { configuration.observers.append(ExchangeDisplay(console)) }
        configuration.observers.append(keeper)
        if command.parserLevel == .forensic {
            configuration.observers.append(DeviationDisplay(console))
        }
        if let recorder = report.recorder { configuration.observers.append(recorder) }
        if let jar = identity.jar, identity.cookies != nil {
            configuration.interceptors.append(OwnCookiesLast(jar: jar))
        }
        self.configuration = configuration
    }

    /// The last of several options counts in curl; here the one for SOCKS goes first.
    private static func proxy(
        _ command: FetchCommand,
        _ console: Console
    ) throws(Failure) -> ProxyChoice {
        var choice = ProxyChoice()
        choice.proxy =
            command.socks5Hostname.map { "socks5h://\($0)" } ?? command.socks5.map {
                "socks5://\($0)"
            }
            ?? command.proxy
        choice.user = command.proxyUser
        if command.proxyDigest { choice.authentication = .digest }
        if command.proxyAnyauth { choice.authentication = .automatic }
        choice.lines = try lines(command.proxyHeader, console)
        choice.exceptions = command.noproxy
        choice.tunnelsEverything = command.proxytunnel
        return choice
    }

    /// No bound but those that were asked for, and curl's 5 minutes for connecting.
    private static func configuration(
        _ command: FetchCommand
    ) throws(Failure) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.headers = [:]
        configuration.decompression = command.compressed ? .on : .off
        configuration.strictness = command.parserLevel.strictness
        configuration.lengthUse = command.ignoreContentLength ? .ignored : .trusted
        configuration.limits.headBytes = 300 << 10
        configuration.limits.fieldCount = 5000
        configuration.connecting = try connecting(command)
        // Tries are counted here, as curl counts them.
        configuration.retries = HTTPRetries(limit: 0)
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

    /// Reads what says how connections are opened.
    private static func connecting(
        _ command: FetchCommand
    ) throws(Failure) -> HTTPConnecting {
        var connecting = HTTPConnecting()
        var rules: [ResolveRule] = []
        for text in command.resolve { rules.append(try ResolveRule(text)) }
        connecting.overrides = ResolveRule.overrides(rules)
        for text in command.connectTo {
            connecting.redirections.append(try ConnectRule.parse(text))
        }
        connecting.unixSocket =
            command.unixSocket.map { .path($0) } ?? command.abstractUnixSocket.map { .abstract($0) }
        connecting.localBinding = try command.interface.map(InterfaceName.parse)
        connecting.addressPolicy = command.addressPolicy?.policy ?? .any
        switch command.family {
        case .ipv4: connecting.addressFamily = .ipv4
        case .ipv6: connecting.addressFamily = .ipv6
        case .none: break
        }
        if command.keepalive {
            let time = command.keepaliveTime.map(\.value) ?? 0
            let period = Duration.seconds(time == 0 ? 60 : min(time, 1 << 31))
            connecting.keepAlive = HTTPConnecting.KeepAlive(idle: period, interval: period)
        }
        return connecting
    }

    /// What one of the two options leaves open is curl's: one octet a second, or 30 seconds.
    private static func throughput(_ command: FetchCommand) -> HTTPThroughput? {
        guard command.speedLimit != nil || command.speedTime != nil else { return nil }
        let octets = command.speedLimit.map(\.value) ?? 1
        let seconds = command.speedTime.map(\.value) ?? 30
        guard octets > 0, seconds > 0 else { return nil }
        return HTTPThroughput(
            octetsPerSecond: octets,
            over: .seconds(min(seconds, 1 << 31))
        )
    }

    /// Reads the fields of a multipart form, in the order of the command line.
    private static func form(_ command: FetchCommand) throws(Failure) -> MultipartForm? {
        let fields =
            command.form.map { ($0, false) } + command.formString.map { ($0, true) }
        guard !fields.isEmpty else { return nil }
        var form = MultipartForm()
        for (field, isLiteral) in fields.sorted(by: { $0.0.place < $1.0.place }) {
            let part = try isLiteral ? FormPart(literal: field.text) : FormPart(field.text)
            try part.add(to: &form, reading: read)
        }
        return form
    }

    /// Whether anything on the command line may say who asks.
    private static func hasUser(_ command: FetchCommand) -> Bool {
        let identity = command.identity
        return command.user != nil || identity.netrc || identity.netrcOptional
            || identity.netrcFile != nil || command.urls.contains { $0.contains("@") }
    }

    /// What is read while it is sent; standard input is as long as it is.
    ///
    /// - Returns: a range as well when it is a part of a file (RFC 9110 §14.5).
    private static func upload(
        _ command: FetchCommand
    ) throws(Failure) -> (body: HTTPBody, range: ContentRange?)? {
        guard let path = command.uploadFile else { return nil }
        if StandardInput.isNamed(path) {
            guard command.identity.digest, hasUser(command) else {
                return (.stream(StandardInput(), contentType: nil), nil)
            }
            // It is sure to be asked for twice, and is kept if it is not too long. curl asks without content first; a server that wants no
            // credentials would take that for an upload of nothing.
            let store = StandardInput.Store()
            return (.stream(contentType: nil) { StandardInput(keptIn: store) }, nil)
        }
        // A file that cannot be read says so when it is to be sent.
        guard case .octets(let offset) = command.continueAt, offset > 0,
            let size = SystemFile.size(path)
        else { return (.file(path), nil) }
        guard offset < size else {
            throw Failure(.partialBody, "\(path) has nothing behind octet \(offset) to send")
        }
        let range = ContentRange.part(offset...(size - 1), of: size)
        return (.file(path, range: offset..<size), range)
    }

    private static func pieces(_ command: FetchCommand) -> [(RequestData.Form, PlacedText)] {
        command.data.map { (.text, $0) } + command.dataRaw.map { (.raw, $0) }
            + command.dataBinary.map { (.binary, $0) } + command.json.map { (.json, $0) }
            + command.dataEncoded.map { (.encoded, $0) }
    }

    private static func lines(
        _ header: [PlacedText],
        _ console: Console
    ) throws(Failure) -> [HeaderLine] {
        var lines: [HeaderLine] = []
        for value in header.sorted(by: { $0.place < $1.place }) {
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
    ) throws(Failure) {
        if let line = try HeaderLine.parse(line) {
            lines.append(line)
        } else {
            console.warning("no header is sent for \"\(String(decoding: line, as: UTF8.self))\"")
        }
    }

    private static func read(_ path: String) throws(Failure) -> [UInt8] {
        do {
            return try SystemFile.read(path)
        } catch {
            throw Failure(.readFailed, "Failed to open \(path): \(error.reason)")
        }
    }
}
