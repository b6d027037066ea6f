internal import ArgumentParser
internal import HTTPClient

/// The options of downloads that continue after a failure, and that are verified.
struct DownloadOptions: ParsableArguments {
    @Flag(
        help: "Continue the file of --output after a failure or a kill, with a journal beside it."
    )
    var resume = false

    @Flag(help: "Wait until the file of --output would survive a power failure.")
    var sync = false

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

extension FetchCommand {
    /// Throws if `--resume` contradicts another option.
    func checkResume(sendsContent: Bool) throws {
        guard downloads.resume else { return }
        if continueAt != nil || range != nil {
            throw ValidationError("choose one of --resume, --continue-at and --range")
        }
        if include || head {
            throw ValidationError("--resume writes only bodies: omit --include and --head")
        }
        if sendsContent || uploadFile != nil {
            throw ValidationError("--resume is only for downloads")
        }
        if failWithBody {
            throw ValidationError("--resume does not work with --fail-with-body")
        }
        if streams.content != nil {
            throw ValidationError("--resume does not work with --sse and --lines")
        }
        if output.isEmpty, remoteNames.isEmpty, !remoteNameAll {
            throw ValidationError("--resume needs --output or --remote-name")
        }
    }
}
