internal import ArgumentParser

/// The entry point of the program.
@main
enum Program {
    static func main() async {
        SystemFile.fillStandardDescriptors()
        SystemFile.ignoreBrokenPipes()
        SystemFile.exit(await run(SystemFile.arguments()))
    }

    private static func run(_ arguments: [[UInt8]]) async -> ExitCode {
        var command: FetchCommand
        do {
            let normalized = try ArgumentNormalizer.normalize(arguments) { secrets in
                for secret in secrets {
                    SystemFile.redact(secret.bytes, ofArgument: secret.argument)
                }
            }
            command = try FetchCommand.parse(normalized)
            try command.askForPasswords()
        } catch let failure as FetchError {
            return printError(failure.message)
        } catch {
            let message = FetchCommand.message(for: error)
            guard FetchCommand.exitCode(for: error).isSuccess else { return printError(message) }
            return printText(FetchCommand.fullMessage(for: error))
        }
        var console = Console(
            showsErrors: !command.silent || command.showError,
            showsWarnings: !command.silent,
            isVerbose: command.verbose
        )
        console.dumps = command.tracing.dumps(console)
        if command.http2 { console.warning("HTTP/2 is not supported: using HTTP/1.1") }
        do throws(FetchError) {
            let session = Session(try Settings(command, console: console), console)
            return await session.run()
        } catch {
            console.error(error)
            return error.code
        }
    }

    /// Prints an error about the command line.
    private static func printError(_ message: String) -> ExitCode {
        let console = Console(showsErrors: true, showsWarnings: true, isVerbose: false)
        console.print(
            "fetch: \(MessageText.line(message))\nfetch: try 'fetch --help' for more information\n"
        )
        return .badUsage
    }

    /// Prints the help or the version.
    private static func printText(_ text: String) -> ExitCode {
        do throws(FetchError) {
            try Destination("-").write(Array((text + "\n").utf8))
            return .done
        } catch {
            return error.code
        }
    }
}
