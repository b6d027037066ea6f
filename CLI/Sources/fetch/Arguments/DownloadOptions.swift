internal import ArgumentParser
package import HTTPClient

/// The options of downloads that continue after a failure, are divided, and are verified.
struct DownloadOptions: ParsableArguments {
    @Flag(
        help: """
            Continue the file of --output after a failure or a kill, with a journal beside it. After a lost \
            connection, also in the same call, up to five times in a row without a new byte; --retry changes \
            that number, and continues after an error status and a timeout too.
            """
    )
    var resume = false

    @Flag(help: "Wait until the file of --output would survive a power failure.")
    var sync = false

    @Option(
        help: ArgumentHelp(
            "Download parts of the file of --output over up to this many connections (1 to 16).",
            valueName: "count"
        )
    )
    var segments: SegmentCount?

    @Option(
        help: """
            Fail unless the body has this digest: sha256:HEX or sha512:HEX. Another digest has the exit \
            status 110, and leaves the file of --output as it was; the received bytes stay in a hidden file \
            beside it. A status of 400 or above fails as with --fail.
            """
    )
    var checksum: Checksum?
}

/// A digest from the command line.
struct Checksum: ExpressibleByArgument {
    let digest: HTTPDigest

    init?(argument: String) {
        guard let digest = try? HTTPDigest(argument) else { return nil }
        self.digest = digest
    }
}

/// A number of connections from the command line.
package struct SegmentCount: Sendable {
    package let segments: HTTPDownloadOptions.Segments
}

extension SegmentCount: ExpressibleByArgument {
    /// Parses a number from 1 to 16; nil for any other text.
    package init?(argument: String) {
        guard let count = Decimal.value(of: argument.utf8),
            (1...HTTPDownloadOptions.Segments.maxLimit).contains(count)
        else { return nil }
        segments = .upTo(count)
    }
}

extension FetchCommand {
    /// Throws if `--resume`, `--segments` or a file with `--checksum` contradicts another option.
    ///
    /// With each of them, the library writes the file, and only the body of a successful response.
    func checkDownload(sendsContent: Bool) throws {
        guard let name = nameOfDownload else { return }
        let isContinued = downloads.resume || downloads.segments != nil
        if continueAt != nil || isContinued && range != nil {
            guard isContinued else {
                throw ValidationError("\(name) does not work with --continue-at: use --resume")
            }
            throw ValidationError("choose one of \(name), --continue-at and --range")
        }
        if include || head {
            throw ValidationError("\(name) writes only bodies: omit --include and --head")
        }
        if isContinued, sendsContent || !uploadFile.isEmpty {
            throw ValidationError("\(name) is only for downloads")
        }
        if failWithBody {
            throw ValidationError("\(name) does not work with --fail-with-body")
        }
        if streams.content != nil {
            throw ValidationError("\(name) does not work with --sse and --lines")
        }
        if output.isEmpty, remoteNames.isEmpty, !remoteNameAll {
            throw ValidationError("\(name) needs --output or --remote-name")
        }
    }

    /// The option because of which the library writes the file; nil if this program writes the body.
    var nameOfDownload: String? {
        if downloads.resume { return "--resume" }
        if downloads.segments != nil { return "--segments" }
        return downloads.checksum != nil && namesFile ? "--checksum with a file" : nil
    }

    /// Whether a body may be written to a file that must not get a wrong content.
    private var namesFile: Bool {
        if remoteNameAll || !remoteNames.isEmpty { return true }
        let directory = (outputDir ?? "").isEmpty ? "" : (outputDir ?? "") + "/"
        return output.contains { $0.text != "-" && SystemFile.isReplaceable(directory + $0.text) }
    }
}
