import Glibc
import HTTPClient

/// A program that downloads a file, and that `scripts/crash` kills.
///
///     Crash URL TARGET [never] [SEGMENTS]
///
/// It prints the size of the file and the number of bytes that an earlier process had downloaded. With
/// `never`, it does not synchronize the file. With a number, it uses up to that many connections.
@main enum Crash {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            print("usage: Crash URL TARGET [never] [SEGMENTS]")
            exit(2)
        }
        var options = HTTPDownloadOptions.resume
        for argument in arguments.dropFirst(3) {
            if argument == "never" { options.syncPolicy = .never }
            // Small parts, so that many are interrupted; but for a file of 16 parts, the first connection works alone
            // for a moment.
            if let limit = Int(argument) { options.segments = .upTo(limit, minSize: 2 << 20) }
        }
        // Lost connections also continue inside one process.
        let request = HTTPRequest(arguments[1]).retries(.standard(maxRetries: 5))
        do throws(HTTPError) {
            let file = try await HTTPClient().download(request, to: arguments[2], options: options)
            print(file.size, file.resumedOffset)
        } catch {
            print("\(error)")
            exit(1)
        }
    }
}
