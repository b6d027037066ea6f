internal import ArgumentParser

/// The options for cookies, and for credentials other than `--user`.
struct IdentityOptions: ParsableArguments {
    @Option(
        name: [.customShort("b"), .long],
        help: "Send these cookies (name=value; …), or the cookies of this file."
    )
    var cookie: [PositionedArgument] = []

    @Option(
        name: [.customShort("c"), .long],
        help: "Write all cookies to this file at the end; \"-\" is standard output."
    )
    var cookieJar: String?

    @Flag(name: [.customShort("j"), .long], help: "Ignore the session cookies of the file.")
    var junkSessionCookies = false

    @Flag(help: "Authenticate with the Digest scheme.")
    var digest = false

    @Flag(help: "Authenticate with the strongest scheme that the server offers.")
    var anyauth = false

    @Option(name: .customLong("oauth2-bearer"), help: "Send this bearer token.")
    var bearer: String?

    @Flag(name: [.customShort("n"), .long], help: "Read user and password from ~/.netrc.")
    var netrc = false

    @Option(help: "Read user and password from this file.")
    var netrcFile: String?

    @Flag(help: "Like --netrc, but a missing file is not an error.")
    var netrcOptional = false
}
