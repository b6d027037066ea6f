internal import Wire

/// A stage that hashes a body and compares it with digests at its end.
package final class VerifierStage: BodyStage {
    /// The digests to compare with.
    package struct Expectation: Sendable {
        /// The digests that are known from the head or the caller.
        package var digests: [HTTPDigest] = []
        /// The names of the fields that may follow as trailers; empty if there are none.
        package var trailerNames: [FieldName] = []
        /// The digests that the fields of the head contain.
        package var fieldCount = 0
        /// The names of all algorithms in the fields of the head, known or not.
        package var algorithmNames: [String] = []
        /// Whether a digest from a field must be there.
        package var isRequired = false
        /// The malformed field of the head.
        package var malformed: DigestFields.MalformedField?

        /// Whether there is nothing to hash and nothing to report.
        package var isEmpty: Bool {
            digests.isEmpty && trailerNames.isEmpty && !isRequired && malformed == nil
        }

        /// The algorithms to hash with; a trailer can have any.
        fileprivate var algorithms: [HTTPDigest.Algorithm] {
            trailerNames.isEmpty ? digests.map(\.algorithm) : HTTPDigest.Algorithm.allCases
        }

        package init(
            digests: [HTTPDigest] = [],
            trailerNames: [FieldName] = [],
            fieldCount: Int = 0,
            algorithmNames: [String] = [],
            isRequired: Bool = false,
            malformed: DigestFields.MalformedField? = nil
        ) {
            self.digests = digests
            self.trailerNames = trailerNames
            self.fieldCount = fieldCount
            self.algorithmNames = algorithmNames
            self.isRequired = isRequired
            self.malformed = malformed
        }
    }

    private let expectation: Expectation
    private let verifier: BodyVerifier

    package init(_ expectation: Expectation) {
        self.expectation = expectation
        verifier = BodyVerifier(expectation.algorithms)
    }

    package var keepsLength: Bool { true }

    package func transform(_ chunk: [UInt8]) -> [UInt8] {
        verifier.update(chunk.span)
        return chunk
    }

    package func finish(_ trailers: HTTPHeaders) throws(BodyStageError) -> [UInt8] {
        var digests = expectation.digests
        var fieldCount = expectation.fieldCount
        var algorithmNames = expectation.algorithmNames
        do throws(DigestFields.MalformedField) {
            if let malformed = expectation.malformed { throw malformed }
            for name in expectation.trailerNames {
                let found = try DigestFields.digests(name, in: trailers)
                digests += found
                fieldCount += found.count
                algorithmNames += DigestFields.algorithmNames(name, in: trailers)
            }
        } catch {
            throw BodyStageError(.malformedDigest(field: error.name, value: error.value))
        }
        for digest in digests {
            if let mismatch = verifier.mismatch(with: digest) { throw BodyStageError(mismatch) }
        }
        guard fieldCount > 0 || !expectation.isRequired else {
            throw BodyStageError(.digestMissing(unsupported: algorithmNames))
        }
        return []
    }
}

/// A stage that decodes the content codings of a body, in bounded memory.
///
/// Used in place of the connection's decoder if the coded bytes are needed too.
package final class DecoderStage: BodyStage {
    private var decoder: ContentDecoder?
    /// The reason why the codings cannot be decoded; thrown at the first byte of the body.
    private var error: WireError?
    private var input: [UInt8] = []
    private var offset = 0
    private var hasInput = false
    /// Whether the decoder stopped early and may have more output.
    private var isStalled = false
    private var produced = 0

    private static let outputSize = 64 << 10

    package init(_ headers: HTTPHeaders, _ limits: WireLimits) {
        do throws(WireError) {
            decoder = try ContentDecoder(headers, limits: limits)
        } catch {
            self.error = error
        }
    }

    package var decodedCount: Int? { produced }
    package var hasMore: Bool { isStalled }

    package func transform(_ chunk: [UInt8]) throws(BodyStageError) -> [UInt8] {
        input = chunk
        offset = 0
        hasInput = true
        isStalled = true
        return try more()
    }

    package func more() throws(BodyStageError) -> [UInt8] {
        var output: [UInt8] = []
        guard isStalled || offset < input.count else { return output }
        do throws(WireError) {
            if let error { throw error }
            offset +=
                try decoder?.decode(
                    input.span.extracting(offset...),
                    into: &output,
                    outputLimit: Self.outputSize
                ) ?? 0
            isStalled = decoder?.hasPendingOutput ?? false
        } catch {
            // The bytes before the error are delivered first.
            guard !output.isEmpty else { throw BodyStageError(HTTPError.Kind(error)) }
            self.error = error
            isStalled = true
        }
        produced += output.count
        return output
    }

    package func finish(_ trailers: HTTPHeaders) throws(BodyStageError) -> [UInt8] {
        guard hasInput else { return [] }
        do throws(WireError) {
            try decoder?.finish()
        } catch {
            throw BodyStageError(HTTPError.Kind(error))
        }
        return []
    }
}
