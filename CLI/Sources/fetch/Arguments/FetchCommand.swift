internal import ArgumentParser

/// Declares the command line: what ArgumentParser checks and `--help` shows.
///
/// It is given what ``ArgumentNormalizer`` wrote, so only long names need to be declared for
/// parsing; the short ones are declared for the help.
struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Transfer data from or to an HTTP server.",
        usage: "fetch [options] URL...",
        discussion: """
            Options mean what they mean for curl, and the exit status is curl's. Several URLs share \
            their connections. A URL without a scheme means http.
            """,
        version: "fetch \(Version.number) HTTP/1.1"
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
    var header: [PlacedText] = []

    @Option(name: [.customShort("A"), .long], help: "Send this User-Agent; none when empty.")
    var userAgent: PlacedText?

    @Option(
        name: [.customShort("d"), .long, .customLong("data-ascii")],
        help: "Send data as a form; \"@file\" reads it without CR, LF and NUL."
    )
    var data: [PlacedText] = []

    @Option(help: "Send data as a form, as it is.")
    var dataRaw: [PlacedText] = []

    @Option(help: "Send data as a form; \"@file\" reads it as it is.")
    var dataBinary: [PlacedText] = []

    @Option(help: "Send JSON; \"@file\" reads it.")
    var json: [PlacedText] = []

    @Flag(name: [.customShort("G"), .long], help: "Put the data into the URL's query.")
    var get = false

    @Flag(name: [.customShort("I"), .long], help: "Ask for the head alone.")
    var head = false

    @Flag(help: "Leave /../ and /./ in the path.")
    var pathAsIs = false

    @Flag(name: .customLong("http1.1"), help: "Use HTTP/1.1, as always.")
    var http11 = false

    // MARK: - Output

    @Flag(name: .shortAndLong, help: "Show the heads of responses before the body.")
    var include = false

    @Option(name: [.customShort("D"), .long], help: "Write the heads of responses to a file.")
    var dumpHeader: String?

    @Option(name: .shortAndLong, help: "Write the body to a file; one for each URL.")
    var output: [String] = []

    @Option(name: .shortAndLong, help: "Print this after each transfer; \"@file\" reads it.")
    var writeOut: String?

    @Flag(help: "Ask for a compressed body and decompress it.")
    var compressed = false

    @Flag(help: "Read to the end of the connection, whatever Content-Length says.")
    var ignoreContentLength = false

    @Option(help: "Refuse bodies of more octets than this.")
    var maxFilesize: OctetCount?

    @Flag(name: .shortAndLong, help: "Fail without a body when the status is 400 or above.")
    var fail = false

    @Flag(help: "Fail, but write the body, when the status is 400 or above.")
    var failWithBody = false

    @Flag(name: .shortAndLong, help: "Print no error.")
    var silent = false

    @Flag(name: [.customShort("S"), .long], help: "Print errors even when silent.")
    var showError = false

    @Flag(name: .shortAndLong, help: "Show what is sent and received.")
    var verbose = false

    @Flag(help: ArgumentHelp("There is no progress meter.", visibility: .hidden))
    var progressMeter = false

    // MARK: - Connection

    @OptionGroup(title: "TLS")
    var security: SecurityOptions

    @Option(name: .shortAndLong, help: "Seconds that a transfer may take.")
    var maxTime: Seconds?

    @Option(help: "Seconds that connecting may take.")
    var connectTimeout: Seconds?

    @Option(help: "Use these addresses: host:port:address[,address].")
    var resolve: [String] = []

    func validate() throws {
        if urls.isEmpty { throw ValidationError("no URL specified") }
        if fail, failWithBody { throw ValidationError("choose --fail or --fail-with-body") }
        let hasData = !(data.isEmpty && dataRaw.isEmpty && dataBinary.isEmpty && json.isEmpty)
        if head, hasData, !get {
            throw ValidationError("choose --head or data: they ask for different methods")
        }
    }
}
