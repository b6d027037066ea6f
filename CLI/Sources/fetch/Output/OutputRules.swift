/// Says where the body of each URL goes.
package struct OutputRules: Sendable, Hashable {
    /// What is said of one URL.
    package enum Choice: Sendable, Hashable {
        /// Standard output, as nothing else was said.
        case standardOutput
        /// This file; `-` is standard output, said on purpose.
        case named(String)
        /// A file named as the end of the URL's path.
        case remoteName
    }

    /// In the order of the URLs.
    package let choices: [Choice]
    /// What goes for the URLs beyond.
    package let defaultChoice: Choice
    /// Where the files lie; nil for where the program runs.
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

    /// Puts options in the order of the command line: the first is the first URL's, and so on.
    ///
    /// - Throws: `.badUsage` for a name that is no UTF-8.
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

    /// Finds the file of the URL of that number, counted from 0.
    ///
    /// - Parameters:
    ///   - number: of the URL.
    ///   - url: as it is asked.
    ///   - match: fills `#1` and the like in the name of an output; nil fills nothing.
    /// - Returns: nil for standard output, as nothing else was said; `-` for it on purpose.
    /// - Throws: `.writeFailed` when the URL names no file.
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

    /// A file of the name `-` is a file.
    private func inDirectory(_ path: String) -> String {
        if let directory { return "\(directory)/\(path)" }
        return path == "-" ? "./-" : path
    }
}
