/// The rules that decide where the body of each URL goes.
package struct OutputRules: Sendable, Hashable {
    /// The destination of one URL.
    package enum Choice: Sendable, Hashable {
        /// Standard output, by default.
        case standardOutput
        /// This file.
        ///
        /// `-` is standard output, by explicit request.
        case named(String)
        /// A file named after the last segment of the URL's path.
        case remoteName
    }

    /// The choices, in the order of the URLs.
    package let choices: [Choice]
    /// The choice for all further URLs.
    package let defaultChoice: Choice
    /// The directory of the files; nil for the current directory.
    package let directory: String?

    package init(
        _ choices: [Choice],
        defaultChoice: Choice = .standardOutput,
        directory: String? = nil
    ) {
        self.choices = choices
        self.defaultChoice = defaultChoice
        self.directory = directory
    }

    /// Assigns options to URLs in the order of the command line: the first option belongs to the first URL.
    ///
    /// - Throws: `.badUsage` for a name that is not UTF-8.
    package init(
        outputs: [PositionedArgument],
        remoteNames: [PositionedArgument] = [],
        noRemoteNames: [PositionedArgument] = [],
        namesAllRemotely: Bool = false,
        directory: String? = nil
    ) throws(FetchError) {
        var positioned: [(position: Int, choice: Choice)] = []
        for output in outputs {
            guard let path = String(validating: output.bytes, as: UTF8.self) else {
                throw .usage("option --output: is not UTF-8")
            }
            positioned.append((output.position, .named(path)))
        }
        positioned += remoteNames.map { ($0.position, .remoteName) }
        positioned += noRemoteNames.map { ($0.position, .standardOutput) }
        self.init(
            positioned.sorted { $0.position < $1.position }.map(\.choice),
            defaultChoice: namesAllRemotely ? .remoteName : .standardOutput,
            directory: directory.flatMap { $0.isEmpty ? nil : $0 }
        )
    }

    /// Returns the file for a URL.
    ///
    /// - Parameters:
    ///   - number: the number of the URL, counted from 0.
    ///   - url: the URL of the request.
    ///   - match: replaces `#1` and the like in the name of an output; nil replaces nothing.
    /// - Returns: nil for standard output by default; `-` for standard output by explicit request.
    /// - Throws: `.writeFailed` when the URL does not name a file.
    package func path(
        of number: Int,
        _ url: TargetURL,
        _ match: URLGlob.Match? = nil
    ) throws(FetchError) -> String? {
        switch number < choices.count ? choices[number] : defaultChoice {
        case .standardOutput: return nil
        case .named("-"): return "-"
        case .named(let path): return inDirectory(match?.filled(path) ?? path)
        case .remoteName: return inDirectory(try RemoteName.name(of: url))
        }
    }

    /// Returns the path inside the directory.
    ///
    /// A file named `-` gets a path, so that it is not standard output.
    private func inDirectory(_ path: String) -> String {
        if let directory { return "\(directory)/\(path)" }
        return path == "-" ? "./-" : path
    }
}
