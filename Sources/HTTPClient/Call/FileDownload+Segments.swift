internal import SocketTransport
internal import Wire

// Downloads in parts, over several connections.
extension FileDownload {
    /// The range that the next request of a driver asks for, which changes from request to request.
    final class PlannedRange: Sendable {
        private let range: Locked<Part>

        init(_ part: Part) {
            range = Locked(part)
        }

        var part: Part {
            get { range.withLock { $0 } }
            set { range.withLock { $0 = newValue } }
        }
    }

    /// A part of the resource, or all of it, and the origin that has it.
    struct Part: Sendable {
        var request: DownloadDecision.RangeRequest
        /// The origin of the bytes in the file; nil if there are none.
        let origin: String?

        init(_ state: DownloadState) {
            request = state.rangeRequest
            origin = state.origin
        }

        /// Returns the request for a part of the same representation.
        func with(_ range: Range<Int>) -> Part {
            var part = self
            part.request.offset = range.lowerBound
            part.request.end = range.upperBound
            return part
        }

        /// Returns a request of the call with its Range and If-Range.
        func applied(to request: HTTPRequest) -> HTTPRequest {
            self.request.resuming(request, from: origin)
        }
    }

    /// The maximum number of connections.
    private var maxConnections: Int {
        let configuration = client.configuration
        return min(
            options.segments.limit,
            configuration.maxConnectionsPerOrigin,
            configuration.maxConnections
        )
    }

    /// Lets the first request ask for a part, if the caller wants several connections.
    ///
    /// So does the continuation of a file with gaps, of which only the missing bytes are requested.
    func requestParts(_ writer: inout DownloadWriter, _ plan: Plan) {
        guard maxConnections > 1 || !writer.state.parts.isEmpty,
            !request.headers.contains(.ifRange),
            !mayBeStored(plan, hasBytes: writer.state.completed > 0)
        else { return }
        writer.requestParts(of: maxConnections > 1 ? options.segments.minSize : .max)
    }

    /// Returns whether an error of the first request only shows that the server has no parts of the
    /// resource: another part than requested, or 416 for an empty resource.
    static func rejectsParts(_ error: HTTPError) -> Bool {
        switch error.kind {
        case .rangeMismatch: true
        case .rejectedStatus(let status): status == .rangeNotSatisfiable
        default: false
        }
    }

    /// Downloads all missing parts of the file, beginning with an open response.
    ///
    /// - Parameters:
    ///   - opened: the response with the first part.
    ///   - driver: the driver that has requested it.
    ///   - request: the request of the call.
    ///   - plan: the plan of the request.
    ///   - planned: the range that the driver requests.
    ///   - writer: the writer of the file.
    /// - Returns: the metrics of all requests, and whether the file is complete. Otherwise it has to be
    ///   requested as a whole.
    /// - Throws: the error of the call.
    nonisolated(nonsending) func receiveParts(
        _ opened: CallDriver.OpenResponse,
        _ driver: CallDriver,
        _ request: HTTPRequest,
        _ plan: Plan,
        _ planned: PlannedRange,
        _ writer: inout DownloadWriter
    ) async throws(HTTPError) -> (metrics: HTTPMetrics, isComplete: Bool) {
        let transfer = SegmentedTransfer(
            self,
            request,
            plan,
            driver,
            writer,
            limit: max(maxConnections, 1),
            minSize: options.segments.minSize
        )
        let outcome = await transfer.run(opened, planned)
        writer = transfer.writer
        let metrics = transfer.allMetrics
        switch outcome {
        case .complete:
            return (metrics, true)
        case .startOver:
            writer.startOver()
            return (metrics, false)
        case .failure(let error):
            throw error.changed { $0.metrics = metrics }
        }
    }

    /// Reports the progress after bytes were written, if it is due.
    ///
    /// - Parameters:
    ///   - state: the bytes of the file.
    ///   - segments: returns the parts that are being downloaded. Default: none.
    func reportWritten(
        _ state: DownloadState,
        segments: () -> [HTTPProgress.Segment] = { [] }
    ) {
        guard let record,
            record.progress.recordWritten(
                state.completed,
                of: state.total,
                resumedAt: state.resumedOffset,
                segments: segments
            )
        else { return }
        notify(state, segments(), isFinal: false)
    }
}
