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
            Options mean what they mean for curl, and the exit status is curl's. Several URLs share \
            their connections. A URL without a scheme means http. {a,b}, [1-10:2] and [a-z] in a URL \
            make several.
            """,
        version: Version.text
    )

    @Argument(help: "What to transfer.")
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

    @Option(name: [.customShort("A"), .long], help: "Send this User-Agent; none when empty.")
    var userAgent: PositionedArgument?

    @Option(
        name: [.customShort("d"), .long, .customLong("data-ascii")],
        help: "Send data as a form; \"@file\" reads it without CR, LF and NUL."
    )
    var data: [PositionedArgument] = []

    @Option(help: "Send data as a form, as it is.")
    var dataRaw: [PositionedArgument] = []

    @Option(help: "Send data as a form; \"@file\" reads it as it is.")
    var dataBinary: [PositionedArgument] = []

    @Option(help: "Send JSON; \"@file\" reads it.")
    var json: [PositionedArgument] = []

    @Option(
        name: .customLong("data-urlencode"),
        help: "Send data as a form, percent-encoded: [name]=content, [name]@file or content."
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

    @Option(help: "Send a field of a multipart form, as it is.")
    var formString: [PositionedArgument] = []

    @Option(
        name: [.customShort("T"), .long],
        help: "Send this file by PUT; \"-\" is standard input."
    )
    var uploadFile: String?

    @Option(name: [.customShort("e"), .long], help: "Send this Referer.")
    var referer: PositionedArgument?

    @Option(name: .shortAndLong, help: "Ask for these bytes alone, such as 0-99 or -500.")
    var range: String?

    @Option(
        name: [.customShort("z"), .long],
        help: """
            Ask only for what was changed after this date, or than this file; with "-" in front, \
            before.
            """
    )
    var timeCond: String?

    @Option(help: "Write the entity tag of the response to this file.")
    var etagSave: String?

    @Option(help: "Ask only for what has another entity tag than the one in this file.")
    var etagCompare: String?

    @Flag(help: "Print the command of curl that does the same, and transfer nothing.")
    var asCurl = false

    @Flag(help: "Show passwords and cookies in what --as-curl and --har write.")
    var showSecrets = false

    @Option(
        name: [.customShort("u"), .long],
        help: "Log in as user:password; a user alone is asked for the password."
    )
    var user: String?

    @Flag(help: "Send the server the password unasked, as usual.")
    var basic = false

    @Flag(name: [.customShort("G"), .long], help: "Put the data into the URL's query.")
    var get = false

    @Flag(name: [.customShort("I"), .long], help: "Ask for the head alone.")
    var head = false

    @Flag(help: "Leave /../ and /./ in the path.")
    var pathAsIs = false

    @Flag(name: .customLong("http1.1"), help: "Use HTTP/1.1, as always.")
    var http11 = false

    @Flag(name: .customLong("http2"), help: "Accepted as curl's; HTTP/1.1 is used, with a warning.")
    var http2 = false

    @Flag(name: [.customShort("g"), .long], help: "Take {}, [] and \\ in URLs as they are.")
    var globoff = false

    // MARK: - Output

    @Flag(name: [.customShort("N"), .long], help: "Write what comes at once, as always.")
    var noBuffer = false

    @Flag(name: .shortAndLong, help: "Show the heads of responses before the body.")
    var include = false

    @Option(name: [.customShort("D"), .long], help: "Write the heads of responses to a file.")
    var dumpHeader: String?

    @Option(name: .shortAndLong, help: "Write the body to a file; one for each URL.")
    var output: [PositionedArgument] = []

    /// Declared for the help; the parsed values are in `remoteNames`.
    @Flag(
        name: [.customShort("O"), .long],
        help: "Write the body to a file named as the end of the URL's path; one for each URL."
    )
    var remoteName = false

    @Option(name: .customLong("remote-name-at"), help: .hidden)
    var remoteNames: [PositionedArgument] = []

    @Option(name: .customLong("no-remote-name-at"), help: .hidden)
    var noRemoteNames: [PositionedArgument] = []

    @Flag(help: "Do --remote-name for every URL without an --output of its own.")
    var remoteNameAll = false

    @Option(help: "Put the files of --output and --remote-name there.")
    var outputDir: String?

    @Flag(help: "Make the directories that these files lie in.")
    var createDirs = false

    @Option(
        name: [.customShort("C"), .long],
        help: "Go on behind so many bytes; \"-\" means those that the file has."
    )
    var continueAt: ResumeOffset?

    @Option(name: .shortAndLong, help: "Print this after each transfer; \"@file\" reads it.")
    var writeOut: String?

    @Flag(help: "Ask for a compressed body and decompress it.")
    var compressed = false

    @Flag(help: "Read to the end of the connection, whatever Content-Length says.")
    var ignoreContentLength = false

    @Option(help: "Refuse bodies of more bytes than this.")
    var maxFilesize: ByteCount?

    @Option(help: "Receive no more bytes a second than this, on average.")
    var limitRate: ByteCount?

    @Flag(name: .shortAndLong, help: "Fail without a body when the status is 400 or above.")
    var fail = false

    @Flag(help: "Fail, but write the body, when the status is 400 or above.")
    var failWithBody = false

    @Flag(name: .shortAndLong, help: "Print no error and no progress.")
    var silent = false

    @Flag(name: [.customShort("S"), .long], help: "Print errors even when silent.")
    var showError = false

    @Flag(name: .shortAndLong, help: "Show what is sent and received.")
    var verbose = false

    @Flag(name: [.customShort("#"), .long], help: "Show a plain bar instead of the meter.")
    var progressBar = false

    @Flag(
        inversion: .prefixedNo,
        exclusivity: .chooseLast,
        help: "Show how far a transfer is, unless silent or the body goes to the terminal."
    )
    var progressMeter = true

    // MARK: - Connection

    @OptionGroup(title: "TLS")
    var security: SecurityOptions

    @OptionGroup(title: "Identity")
    var identity: IdentityOptions

    @OptionGroup(title: "Tracing")
    var tracing: TracingOptions

    @OptionGroup(title: "Following")
    var redirectOptions: RedirectOptions

    @Option(name: .shortAndLong, help: "Seconds that a transfer may take.")
    var maxTime: Seconds?

    @Option(help: "Seconds that connecting may take.")
    var connectTimeout: Seconds?

    @Option(
        name: [.customShort("x"), .long],
        help: "Go through this proxy: [http|socks5|socks5h]://[user:password@]host[:port]."
    )
    var proxy: String?

    @Option(
        name: [.customShort("U"), .long],
        help: "Log in to the proxy as user:password; a user alone is asked for the password."
    )
    var proxyUser: String?

    @Flag(help: "Send the proxy the password unasked, as usual.")
    var proxyBasic = false

    @Flag(help: "Answer the proxy with digests, never with the password.")
    var proxyDigest = false

    @Flag(help: "Answer the proxy with the best it asks for.")
    var proxyAnyauth = false

    @Option(help: "Send this header line to the proxy alone.")
    var proxyHeader: [PositionedArgument] = []

    @Option(help: "Do not use the proxy for these: hosts, domains, addresses, networks, or \"*\".")
    var noproxy: String?

    @Flag(name: [.customShort("p"), .long], help: "Go through HTTP proxies in tunnels.")
    var proxytunnel = false

    @Option(help: "Go through this SOCKS5 proxy.")
    var socks5: String?

    @Option(help: "Go through this SOCKS5 proxy and let it resolve names.")
    var socks5Hostname: String?

    @Option(help: "Use these addresses: host:port:address[,address].")
    var resolve: [String] = []

    @Option(help: "Connect elsewhere: host:port:to-host:to-port; empty parts fit or keep all.")
    var connectTo: [String] = []

    @Option(help: "Connect to this unix domain socket.")
    var unixSocket: String?

    @Option(help: "Connect to this abstract unix domain socket.")
    var abstractUnixSocket: String?

    @Option(
        help: "Go out from this address or interface; \"if!name\" or \"host!address\" is exact."
    )
    var interface: String?

    @Flag(exclusivity: .chooseLast)
    var parserLevel = ParserLevel.lenient

    @Flag(exclusivity: .chooseLast, help: "Use IPv4 or IPv6 addresses alone.")
    var family: IPVersion?

    @Option(
        help: "Dial no address that is not \"public\", or \"no-local\" or metadata; or \"any\"."
    )
    var addressPolicy: PolicyName?

    @Option(help: "Seconds of silence between probes of the connection; 60 unless given.")
    var keepaliveTime: WholeNumber?

    @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: "Probe silent connections.")
    var keepalive = true

    @Option(
        name: [.customShort("Y"), .long],
        help: "Give up when fewer bytes a second move for --speed-time."
    )
    var speedLimit: WholeNumber?

    @Option(
        name: [.customShort("y"), .long],
        help: "Seconds for --speed-limit: 30 unless given; alone it wants one byte a second."
    )
    var speedTime: WholeNumber?

    @Option(help: "Try again so often after a failure that may pass.")
    var retry: WholeNumber?

    @Option(help: "Seconds between tries; else 1, and twice as long each time.")
    var retryDelay: Seconds?

    @Option(help: "Begin no try later than so many seconds after the first.")
    var retryMaxTime: Seconds?

    @Flag(help: "Try again after any failure.")
    var retryAllErrors = false

    @Flag(help: "Try again when a connection is refused, too.")
    var retryConnrefused = false

    func validate() throws {
        if urls.isEmpty { throw ValidationError("no URL specified") }
        if fail, failWithBody { throw ValidationError("choose --fail or --fail-with-body") }
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
        if [head, hasData && !get, hasForm, uploadFile != nil].filter(\.self).count > 1 {
            throw ValidationError(
                "choose one of --head, data, --form, --upload-file: they ask for different methods"
            )
        }
        try checkContinuation(sendsContent: hasForm || hasData && !get)
    }

    private func checkContinuation(sendsContent: Bool) throws {
        guard let continueAt else { return }
        if range != nil { throw ValidationError("choose --continue-at or --range") }
        if include {
            throw ValidationError("--include with --continue-at would put a head inside the file")
        }
        if sendsContent {
            throw ValidationError("--continue-at is for downloads and for --upload-file")
        }
        if uploadFile != nil, continueAt == .fileEnd {
            throw ValidationError("--continue-at - cannot know how much the server has: say it")
        }
        if let uploadFile, StandardInput.isNamed(uploadFile) {
            throw ValidationError("--continue-at cannot skip standard input")
        }
    }
}
