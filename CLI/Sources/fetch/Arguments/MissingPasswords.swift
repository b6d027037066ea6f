/// Prompting for the passwords that `--user` and `--proxy-user` leave out, as curl does.
///
/// Without a terminal curl reads the password from standard input. fetch refuses instead, because
/// standard input may carry other data.
package enum MissingPasswords {
    /// Adds the password to a `name` without a colon.
    ///
    /// - Parameters:
    ///   - user: the value of the option; nil when it was not given.
    ///   - option: the name of the option.
    ///   - kind: `host` or `proxy`, for the prompt.
    ///   - ask: prints the prompt and returns the password; nil when there is no terminal.
    /// - Returns: `name:password`; nil when the option was not given.
    /// - Throws: `.badUsage` when no password can be read.
    package static func complete(
        _ user: String?,
        of option: String,
        kind: String,
        asking ask: (String) throws -> [UInt8]?
    ) throws(FetchError) -> String? {
        guard let user, !user.utf8.contains(UInt8(ascii: ":")) else { return user }
        let answer: [UInt8]?
        do {
            answer = try ask("Enter \(kind) password for user '\(user)':")
        } catch {
            throw .usage("option \(option): the terminal could not be read")
        }
        guard let answer else {
            throw .usage(
                "option \(option): no terminal to prompt for the password of '\(user)'; "
                    + "for an empty password use '\(user):'"
            )
        }
        guard let password = String(validating: answer, as: UTF8.self) else {
            throw .usage("option \(option): the password is not UTF-8")
        }
        return "\(user):\(password)"
    }
}

extension FetchCommand {
    /// Prompts for each password that is needed and missing.
    mutating func askForPasswords() throws(FetchError) {
        // A redacted command does not need the password.
        guard !asCurl || showSecrets else { return }
        if identity.bearer == nil {
            user = try MissingPasswords.complete(
                user,
                of: "--user",
                kind: "host",
                asking: SystemTerminal.readPassword
            )
        }
        proxyUser = try MissingPasswords.complete(
            proxyUser,
            of: "--proxy-user",
            kind: "proxy",
            asking: SystemTerminal.readPassword
        )
    }
}
