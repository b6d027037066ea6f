internal import HTTPClient

// Bodies whose bytes the kernel moves from the connection to the output.
extension Transfer {
    /// The number of bytes from which moving is faster than copying them.
    private static let minMoved = 256 << 10

    /// Returns the descriptor for the rest of a body that nothing has to look at; nil if it is copied.
    ///
    /// The rest is long, it arrives without TLS, and no option limits or shows it. The library would also write other
    /// bodies, but with two thread switches for each part of them.
    func movableOutput(_ response: HTTPStreamedResponse, received: Int) -> Int32? {
        guard console.dumps.isEmpty, settings.maxFileSize == nil, settings.checksum == nil,
            response.url.origin?.scheme == .http,
            let length = response.expectedContentLength, length - received >= Self.minMoved
        else { return nil }
        return destination.openDescriptor
    }

    /// Lets the library write the rest of a body.
    mutating func moveRest(
        of response: HTTPStreamedResponse,
        received: Int,
        to output: Int32
    ) async throws(FetchError) {
        do throws(HTTPError) {
            record.downloadedBytes = received + (try await response.write(toDescriptor: output))
        } catch {
            guard case .descriptorFailed(let number, let written) = error.kind else {
                record.downloadedBytes = error.metrics.bodyBytesDecoded
                throw failure(error)
            }
            record.downloadedBytes = received + written
            recordMetrics(error.metrics)
            let reason = SystemError(number: number).reason
            throw FetchError(.writeFailed, "Failure writing output to destination: \(reason)")
        }
    }
}
