internal import ArgumentParser

/// The command line as declared for ArgumentParser, which checks it and prints `--help`.
///
/// Its input is the output of ``ArgumentNormalizer``. Parsing therefore needs only the long names;
/// the short ones are declared for the help.
struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Transfer data from or to an HTTP server.",
        usage: "fetch [options] URL...",
        discussion: """
            Options and exit statuses have the same meaning as in curl; the status 110 is that of a wrong \
            --checksum. Several URLs share connections. A URL without a scheme means http. {a,b}, \
            [1-10:2] and [a-z] in a URL expand to several URLs.
            """,
        version: Version.text
    )

    @Argument(help: "The URLs to transfer.")
    var urls: [String] = []

    // MARK: - Request

    @Option(name: [.customShort("X"), .long], help: "Use this method.")
    var request: String?

    @Option(
        name: [.customShort("H"), .long],
        help: """
            Send this header line; "Name;" sends it empty, "Name:" removes it, "@file" reads lines.
            """
    )
    var header: [PositionedArgument] = []

    @Option(name: [.customShort("A"), .long], help: "Send this User-Agent; none if empty.")
    var userAgent: PositionedArgument?

    @Option(
        name: [.customShort("d"), .long, .customLong("data-ascii")],
        help: "Send form data; \"@file\" reads it without CR, LF and NUL."
    )
    var data: [PositionedArgument] = []

    @Option(help: "Send form data; \"@\" has no special meaning.")
    var dataRaw: [PositionedArgument] = []

    @Option(help: "Send form data; \"@file\" reads it unchanged.")
    var dataBinary: [PositionedArgument] = []

    @Option(help: "Send JSON; \"@file\" reads it.")
    var json: [PositionedArgument] = []

    @Option(
        name: .customLong("data-urlencode"),
        help: "Send percent-encoded form data: [name]=content, [name]@file or content."
    )
    var dataEncoded: [PositionedArgument] = []

    @Option(
        name: [.customShort("F"), .long],
        help: """
            Send a field of a multipart form: name=value, name=@file, name=<file, with ;type= and \
            ;filename=.
            """
    )
    var form: [PositionedArgument] = []

    @Option(help: "Send a field of a multipart form, as literal text.")
    var formString: [PositionedArgument] = []

    @Option(
        name: [.customShort("T"), .long],
        help: """
            Upload this file with PUT; \"-\" is standard input. The first file goes to the first URL, and so \
            on; further URLs are downloaded. An empty name uploads nothing to its URL.
            """
    )
    var uploadFile: [PositionedArgument] = []

    @Option(name: [.customShort("e"), .long], help: "Send this Referer.")
    var referer: PositionedArgument?

    @Option(name: .shortAndLong, help: "Request only these bytes, such as 0-99 or -500.")
    var range: String?

    @Option(
        name: [.customShort("z"), .long],
        help: """
            Request the document only if it changed after this date, or after the date of this \
            file; a leading "-" means before.
            """
    )
    var timeCond: String?

    @Option(help: "Write the entity tag of the response to this file.")
    var etagSave: String?

    @Option(help: "Request the document unless its entity tag is the one in this file.")
    var etagCompare: String?

    @Flag(help: "Print the equivalent curl command, and transfer nothing.")
    var asCurl = false

    @Flag(help: "Show passwords and cookies in the output of --as-curl and --har.")
    var showSecrets = false

    @Option(
        name: [.customShort("u"), .long],
        help: "Authenticate as user:password; without a password, prompt for it."
    )
    var user: String?

    @Flag(help: "Send Basic credentials preemptively (default).")
    var basic = false

    @Flag(name: [.customShort("G"), .long], help: "Put the data in the query of the URL.")
    var get = false

    @Flag(name: [.customShort("I"), .long], help: "Request only the head.")
    var head = false

    @Flag(help: "Keep /../ and /./ in the path.")
    var pathAsIs = false

    @Flag(
        name: .customLong("http1.1"),
        help: "Accepted for compatibility: fetch always uses HTTP/1.1."
    )
    var http11 = false

    @Flag(name: .customLong("http2"), help: "Print a warning and use HTTP/1.1.")
    var http2 = false

    @Flag(name: [.customShort("g"), .long], help: "Treat {}, [] and \\ in URLs literally.")
    var globoff = false

    // MARK: - Output

    @Flag(
        name: [.customShort("N"), .long],
        help: "Accepted for compatibility: output is never buffered."
    )
    var noBuffer = false

    @Flag(name: .shortAndLong, help: "Write the heads of responses before the body.")
    var include = false

    @Option(name: [.customShort("D"), .long], help: "Write the heads of responses to a file.")
    var dumpHeader: String?

    @Option(
        name: .shortAndLong,
        help: "Write the body to this file; repeat the option for each URL."
    )
    var output: [PositionedArgument] = []

    /// Declared for the help; the parsed values are in `remoteNames`.
    @Flag(
        name: [.customShort("O"), .long],
        help: """
            Write the body to a file named after the URL's last path segment; repeat the option for \
            each URL.
            """
    )
    var remoteName = false

    @Option(name: .customLong("remote-name-at"), help: .hidden)
    var remoteNames: [PositionedArgument] = []

    @Option(name: .customLong("no-remote-name-at"), help: .hidden)
    var noRemoteNames: [PositionedArgument] = []

    @Flag(help: "Use --remote-name for every URL without an --output.")
    var remoteNameAll = false

    @Option(help: "The directory for the files of --output and --remote-name.")
    var outputDir: String?

    @Flag(help: "Create missing directories for --output and --remote-name.")
    var createDirs = false

    @Option(
        name: [.customShort("C"), .long],
        help: "Resume after this many bytes; \"-\" uses the size of the file."
    )
    var continueAt: ResumeOffset?

    @Option(name: .shortAndLong, help: "Print this format after each transfer; \"@file\" reads it.")
    var writeOut: String?

    @Flag(help: "Request a compressed body and decompress it.")
    var compressed = false

    @Flag(help: "Ignore Content-Length, and read until the connection closes.")
    var ignoreContentLength = false

    @Option(help: "Reject bodies of more bytes than this.")
    var maxFilesize: ByteCount?

    @Option(help: "Send and receive at most this many bytes per second each.")
    var limitRate: ByteCount?

    @Flag(name: .shortAndLong, help: "Fail without a body if the status is 400 or above.")
    var fail = false

    @Flag(help: "Fail, but write the body, if the status is 400 or above.")
    var failWithBody = false

    @Flag(name: .shortAndLong, help: "Print no errors and no progress.")
    var silent = false

    @Flag(name: [.customShort("S"), .long], help: "Print errors even with --silent.")
    var showError = false

    @Flag(name: .shortAndLong, help: "Show the heads that are sent and received.")
    var verbose = false

    @Flag(name: [.customShort("#"), .long], help: "Show a plain progress bar.")
    var progressBar = false

    @Flag(
        inversion: .prefixedNo,
        exclusivity: .chooseLast,
        help: "Show progress, unless --silent is used or the body is written to the terminal."
    )
    var progressMeter = true

    @OptionGroup(title: "Downloads")
    var downloads: DownloadOptions

    // MARK: - Connection

    @OptionGroup(title: "TLS")
    var security: SecurityOptions

    @OptionGroup(title: "Cookies and authentication")
    var identity: IdentityOptions

    @OptionGroup(title: "Streams")
    var streams: StreamOptions

    @OptionGroup(title: "Caching")
    var caching: CacheOptions

    @OptionGroup(title: "Tracing")
    var tracing: TracingOptions

    @OptionGroup(title: "Redirects")
    var redirectOptions: RedirectOptions

    @Option(name: .shortAndLong, help: "The timeout of a transfer, in seconds.")
    var maxTime: Seconds?

    @Option(help: "The timeout of connecting, in seconds.")
    var connectTimeout: Seconds?

    @Option(
        name: [.customShort("x"), .long],
        help: "Use this proxy: [http|socks5|socks5h]://[user:password@]host[:port]."
    )
    var proxy: PositionedArgument?

    @Option(
        name: [.customShort("U"), .long],
        help: "Authenticate to the proxy as user:password; without a password, prompt for it."
    )
    var proxyUser: String?

    @Flag(help: "Send Basic credentials to the proxy preemptively (default).")
    var proxyBasic = false

    @Flag(help: "Authenticate to the proxy with Digest; never send the password.")
    var proxyDigest = false

    @Flag(help: "Authenticate to the proxy with the strongest scheme it offers.")
    var proxyAnyauth = false

    @Option(help: "Send this header line only to the proxy.")
    var proxyHeader: [PositionedArgument] = []

    @Option(help: "Use no proxy for these hosts, domains, addresses or networks; \"*\" means all.")
    var noproxy: PositionedArgument?

    @Flag(name: [.customShort("p"), .long], help: "Use a CONNECT tunnel for http URLs too.")
    var proxytunnel = false

    @Option(help: "Use this SOCKS5 proxy.")
    var socks5: String?

    @Option(help: "Use this SOCKS5 proxy, and let it resolve names.")
    var socks5Hostname: String?

    @Option(help: "Use these addresses for a host: host:port:address[,address].")
    var resolve: [String] = []

    @Option(
        help: """
            Connect to another host and port: host:port:to-host:to-port; an empty part matches \
            every value, or keeps it.
            """
    )
    var connectTo: [String] = []

    @Option(help: "Connect to this unix domain socket.")
    var unixSocket: String?

    @Option(help: "Connect to this abstract unix domain socket.")
    var abstractUnixSocket: String?

    @Option(
        help: "Connect from this address or interface, or \"if!name\" or \"host!address\"."
    )
    var interface: String?

    @Flag(exclusivity: .chooseLast)
    var parserLevel = ParserLevel.lenient

    @Flag(exclusivity: .chooseLast, help: "Use only IPv4 or only IPv6 addresses.")
    var family: IPVersion?

    @Option(
        help: "Allowed addresses: \"any\", \"public\", \"no-local\" (no link-local or metadata)."
    )
    var addressPolicy: PolicyName?

    @Option(help: "Seconds between keep-alive probes; 60 by default.")
    var keepaliveTime: WholeNumber?

    @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: "Send TCP keep-alive probes.")
    var keepalive = true

    @Option(
        name: [.customShort("Y"), .long],
        help: "Fail if the speed is below this many bytes per second for --speed-time."
    )
    var speedLimit: WholeNumber?

    @Option(
        name: [.customShort("y"), .long],
        help: "The window of --speed-limit in seconds, 30 by default; alone, it sets the limit 1."
    )
    var speedTime: WholeNumber?

    @Option(help: "Retry up to this many times after a temporary failure.")
    var retry: WholeNumber?

    @Option(help: "Seconds before a retry; by default 1, doubled each time.")
    var retryDelay: Seconds?

    @Option(help: "Retry only until this many seconds after the first attempt.")
    var retryMaxTime: Seconds?

    @Flag(help: "Retry after any failure.")
    var retryAllErrors = false

    @Flag(help: "Also retry after a refused connection.")
    var retryConnrefused = false

    func validate() throws {
        if urls.isEmpty { throw ValidationError("no URL specified") }
        if fail, failWithBody { throw ValidationError("choose --fail or --fail-with-body") }
        if streams.content != nil, head || continueAt != nil {
            throw ValidationError("--sse and --lines read a whole body")
        }
        if unixSocket != nil, abstractUnixSocket != nil {
            throw ValidationError("choose --unix-socket or --abstract-unix-socket")
        }
        if [proxyBasic, proxyDigest, proxyAnyauth].filter(\.self).count > 1 {
            throw ValidationError("choose one of --proxy-basic, --proxy-digest, --proxy-anyauth")
        }
        let hasData =
            !(data.isEmpty && dataRaw.isEmpty && dataBinary.isEmpty && json.isEmpty
            && dataEncoded.isEmpty)
        let hasForm = !(form.isEmpty && formString.isEmpty)
        if [head, hasData && !get, hasForm, !uploadFile.isEmpty].filter(\.self).count > 1 {
            throw ValidationError(
                "choose one of --head, data, --form, --upload-file: they use different methods"
            )
        }
        if uploadFile.count(where: { StandardInput.isNamed($0.text) }) > 1 {
            throw ValidationError("--upload-file can read standard input only once")
        }
        try checkContinuation(sendsContent: hasForm || hasData && !get)
        try checkDownload(sendsContent: hasForm || hasData && !get)
        try checkCache()
    }

    private func checkContinuation(sendsContent: Bool) throws {
        guard let continueAt else { return }
        if range != nil { throw ValidationError("choose --continue-at or --range") }
        if include {
            throw ValidationError("--include with --continue-at would write a head into the file")
        }
        if sendsContent {
            throw ValidationError("--continue-at is for downloads and for --upload-file")
        }
        if !uploadFile.isEmpty, continueAt == .fileEnd {
            throw ValidationError("--continue-at - is only for downloads: pass an offset")
        }
        if uploadFile.contains(where: { StandardInput.isNamed($0.text) }) {
            throw ValidationError("--continue-at cannot skip standard input")
        }
    }
}
