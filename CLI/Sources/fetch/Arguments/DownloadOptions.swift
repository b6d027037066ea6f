internal import ArgumentParser
package import HTTPClient

/// The options of downloads that continue after a failure, are divided, and are verified.
struct DownloadOptions: ParsableArguments {
    @Flag(
        help: "Continue the file of --output after a failure or a kill, with a journal beside it."
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

    @Option(help: "Fail unless the body has this digest: sha256:HEX or sha512:HEX.")
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
    package let segments: HTTPDownloadSegments
}

extension SegmentCount: ExpressibleByArgument {
    /// Parses a number from 1 to 16; nil for any other text.
    package init?(argument: String) {
        guard let count = Decimal.value(of: argument.utf8),
            (1...HTTPDownloadSegments.maxLimit).contains(count)
        else { return nil }
        segments = .upTo(count)
    }
}

extension FetchCommand {
    /// Throws if `--resume` or `--segments` contradicts another option.
    ///
    /// With both, the library writes the file, and only the body of a successful response.
    func checkDownload(sendsContent: Bool) throws {
        guard downloads.resume || downloads.segments != nil else { return }
        let name = downloads.resume ? "--resume" : "--segments"
        if continueAt != nil || range != nil {
            throw ValidationError("choose one of \(name), --continue-at and --range")
        }
        if include || head {
            throw ValidationError("\(name) writes only bodies: omit --include and --head")
        }
        if sendsContent || !uploadFile.isEmpty {
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
}
