internal import ArgumentParser

/// The options for cookies, and for credentials other than `--user`.
struct IdentityOptions: ParsableArguments {
    @Option(
        name: [.customShort("b"), .long],
        help: "Send these cookies (name=value; …), or those of this file."
    )
    var cookie: [PositionedArgument] = []

    @Option(
        name: [.customShort("c"), .long],
        help: "Write the cookies there in the end; - for stdout."
    )
    var cookieJar: String?

    @Flag(name: [.customShort("j"), .long], help: "Leave out the file's session cookies.")
    var junkSessionCookies = false

    @Flag(help: "Answer the server by the Digest scheme.")
    var digest = false

    @Flag(help: "Answer the server by the best scheme that it offers.")
    var anyauth = false

    @Option(name: .customLong("oauth2-bearer"), help: "Show the server this token.")
    var bearer: String?

    @Flag(name: [.customShort("n"), .long], help: "Look for name and password in ~/.netrc.")
    var netrc = false

    @Option(help: "Look for name and password in this file.")
    var netrcFile: String?

    @Flag(help: "The same, but go without when there is no such file.")
    var netrcOptional = false
}
