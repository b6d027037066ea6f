import ClientSupport
import HTTPClient
import SocketTransport
import Support
import Testing

/// Tests that a download with a journal survives kills and power failures, on a simulated disk.
///
/// Each round downloads a resource that sometimes changes, through a series of lost connections, kills
/// and power failures at random operations. The bytes that the journal counts must always be those of the
/// version that it names, and the final file must be a whole version.
@Suite(.timeLimit(.minutes(10))) struct PowerFailureTests {
    private static let rounds = 200

    /// A resource whose content changes from version to version.
    struct Resource {
        private(set) var versions: [String: [UInt8]] = [:]
        private(set) var etag = ""

        mutating func change(_ random: inout SeededGenerator) {
            let number = UInt8(versions.count + 1)
            etag = "\"v\(number)\""
            // Often of the same size, so that only the bytes show a mixture.
            let count = Bool.random(using: &random) ? 300 : Int.random(in: 1...600, using: &random)
            versions[etag] = (0..<count).map {
                number &* 17 &+ UInt8(truncatingIfNeeded: $0 &* 7) | 1
            }
        }

        var content: [UInt8] { versions[etag] ?? [] }

        /// Returns the status, the fields and the body of the response to a range request.
        func answer(
            _ request: DownloadDecision.RangeRequest
        ) -> (HTTPStatus, HTTPHeaders, ArraySlice<UInt8>) {
            let (size, offset) = (content.count, request.offset)
            guard request.isFirstPart || offset > 0 || request.end != nil,
                request.isFirstPart || request.validator == etag
            else {
                return (.ok, ["Content-Length": "\(size)", "ETag": etag], content[...])
            }
            guard offset < size else {
                return (.rangeNotSatisfiable, ["Content-Range": "bytes */\(size)"], [])
            }
            let end = min(request.end ?? size, size)
            let range = "bytes \(offset)-\(end - 1)/\(size)"
            return (206, ["Content-Range": range, "ETag": etag], content[offset..<end])
        }
    }

    struct ConnectionLost: Error {}

    /// Whether the file is downloaded in parts.
    enum Division: Sendable {
        case whole
        case parts
    }

    @Test(
        arguments: [HTTPDownloadOptions.SyncPolicy.beforeRename, .never],
        [Division.whole, .parts]
    )
    func `a download continues after any series of kills and power failures`(
        policy: HTTPDownloadOptions.SyncPolicy,
        division: Division
    ) throws {
        var resumed = 0
        var promises = 0
        for seed in 1...UInt64(Self.rounds) {
            var random = SeededGenerator(seed: seed)
            let disk = SimulatedDisk(seed: seed &+ 1000)
            var resource = Resource()
            resource.change(&random)
            var isDone = false
            for run in 1...60 where !isDone {
                // The last runs are left alone, so that each round ends.
                if run < 50 { disk.end(after: Int.random(in: 1...80, using: &random)) }
                if Int.random(in: 0..<4, using: &random) == 0 { resource.change(&random) }
                do {
                    let offset = try download(
                        resource,
                        disk,
                        policy,
                        division,
                        &random,
                        "seed \(seed)"
                    )
                    if offset > 0 { resumed += 1 }
                    isDone = true
                } catch {
                    if run >= 50 { #expect(error is ConnectionLost, "seed \(seed)") }
                }
                guard !isDone else { break }
                if disk.hasEnded, Bool.random(using: &random) {
                    let promised = promisedBytes(disk)
                    disk.failPower()
                    if promised > 0 {
                        promises += 1
                        #expect(try bytes(disk) >= promised, "seed \(seed)")
                    }
                } else {
                    // Killed, or ended by itself: the system keeps every byte.
                    disk.end(after: .max)
                }
            }
            #expect(isDone, "seed \(seed)")
            #expect(disk.contents(of: SimulatedFiles.target) == resource.content, "seed \(seed)")
            guard policy == .beforeRename else { continue }
            disk.failPower()
            #expect(disk.contents(of: SimulatedFiles.target) == resource.content, "seed \(seed)")
        }
        // Otherwise the test would prove nothing.
        #expect(resumed > Self.rounds / 4, "\(resumed)")
        #expect(policy == .never || promises > Self.rounds / 10, "\(promises)")
    }

    /// The number of bytes that a power failure must not lose: those that a durable journal counts, unless it is
    /// being replaced by one of other bytes, or the file is complete.
    private func promisedBytes(_ disk: SimulatedDisk) -> Int {
        disk.end(after: .max)
        guard disk.contents(of: SimulatedFiles.part) != nil,
            let durable = disk.durableContents(of: SimulatedFiles.journal)
                .flatMap({ DownloadJournal($0) }),
            let current = disk.contents(of: SimulatedFiles.journal)
                .flatMap({ DownloadJournal($0) }),
            current.validator == durable.validator, current.inode == durable.inode,
            current.syncedRanges.contains(durable.syncedRanges)
        else { return 0 }
        return durable.syncedRanges.count
    }

    /// The number of bytes that the next process finds.
    private func bytes(_ disk: SimulatedDisk) throws -> Int {
        var rules = DownloadWriter.Rules()
        rules.url = "http://a/"
        let files = try SimulatedFiles(on: disk)
        return try DownloadWriter(continuing: files, isNew: files.isNew, boot: disk.boot, rules)
            .state.completed
    }

    /// Runs one process: opens the files, requests the rest, and writes it.
    ///
    /// - Returns: the number of bytes that an earlier process had written.
    private func download(
        _ resource: Resource,
        _ disk: SimulatedDisk,
        _ policy: HTTPDownloadOptions.SyncPolicy,
        _ division: Division,
        _ random: inout SeededGenerator,
        _ comment: Comment
    ) throws -> Int {
        var rules = DownloadWriter.Rules()
        rules.sync = policy
        rules.url = "http://a/"
        rules.intervals.save = 20
        rules.intervals.sync = 60
        rules.preallocation = .whenSizeIsKnown
        let files = try SimulatedFiles(on: disk)
        var writer = try DownloadWriter(
            continuing: files,
            isNew: files.isNew,
            boot: disk.boot,
            rules
        )
        if division == .parts { writer.requestParts(of: Int.random(in: 5...40, using: &random)) }
        while true {
            let state = writer.state
            if state.completed > 0, let validator = state.validator {
                let version = try #require(resource.versions[validator])
                let part = disk.contents(of: SimulatedFiles.part) ?? []
                for range in state.ranges.ranges {
                    #expect(part.count >= range.upperBound, comment)
                    #expect(
                        part.dropLast(part.count - range.upperBound).dropFirst(range.lowerBound)
                            .elementsEqual(version[range]),
                        comment
                    )
                }
            }
            let (status, headers, body) = resource.answer(state.rangeRequest)
            let decision = try writer.receive(
                status,
                headers,
                from: "http://a",
                isVerbatim: true
            )
            try writer.claim()
            if decision == .complete {
                _ = try writer.finish(SimulatedFiles.target)
                return writer.state.resumedOffset
            }
            if case .partialBody = decision, writer.state.requestsPart {
                guard try writeParts(resource, &writer, &random) else {
                    guard Bool.random(using: &random) else { continue }
                    _ = writer.suspend()
                    throw ConnectionLost()
                }
                _ = try writer.finish(SimulatedFiles.target)
                return writer.state.resumedOffset
            }
            if try write(body, &writer, &random) {
                _ = try writer.finish(SimulatedFiles.target)
                return writer.state.resumedOffset
            }
            try writer.fail(.interruption)
            guard Bool.random(using: &random) else { continue }
            _ = writer.suspend()
            throw ConnectionLost()
        }
    }

    /// Writes the missing parts as several workers receive them; returns false if all lost their connections.
    private func writeParts(
        _ resource: Resource,
        _ writer: inout DownloadWriter,
        _ random: inout SeededGenerator
    ) throws -> Bool {
        let workers = 3
        var plan = SegmentPlan(
            missing: writer.state.ranges.gaps(below: writer.state.total ?? 0),
            limit: workers,
            minSize: 10
        )
        let content = resource.content
        while !plan.isComplete {
            let worker = Int.random(in: 0..<workers, using: &random)
            guard let rest = plan.rest(of: worker) else {
                _ = plan.next(for: worker)
                continue
            }
            if Int.random(in: 0..<60, using: &random) == 0 {
                guard plan.fail(worker) else { return false }
                continue
            }
            let count = min(rest.count, Int.random(in: 1...30, using: &random))
            let piece = Array(content[rest.lowerBound..<rest.lowerBound + count])
            if Bool.random(using: &random) {
                try writer.write(TransferPipe.containing(piece), at: rest.lowerBound)
            } else {
                try writer.write(piece, at: rest.lowerBound)
            }
            plan.advance(worker, to: rest.lowerBound + count)
            if count == rest.count { plan.finish(worker) }
        }
        return true
    }

    /// Writes a body in pieces; returns false if the connection was lost before its end.
    private func write(
        _ body: ArraySlice<UInt8>,
        _ writer: inout DownloadWriter,
        _ random: inout SeededGenerator
    ) throws -> Bool {
        var rest = body
        while !rest.isEmpty {
            guard Int.random(in: 0..<20, using: &random) > 0 else { return false }
            let piece = rest.prefix(Int.random(in: 1...30, using: &random))
            // As a body that the kernel moves arrives.
            if Int.random(in: 0..<4, using: &random) == 0 {
                try writer.write(TransferPipe.containing(Array(piece)))
            } else {
                try writer.write(Array(piece))
            }
            rest.removeFirst(piece.count)
        }
        return true
    }
}
