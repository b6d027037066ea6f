internal import Wire

/// A parser and formatter of the digest fields of RFC 9530.
///
/// Content-Digest and Repr-Digest are structured dictionaries of byte sequences; the fields with
/// Want- are dictionaries of preferences from 0 to 10. Algorithms other than those of
/// ``HTTPDigest/Algorithm`` are ignored, because a sender may list any (§2, §5).
package enum DigestFields {
    /// The digest of the content of one message (RFC 9530 §2).
    package static let contentDigest: FieldName = "Content-Digest"
    /// The digest of the selected representation (§3).
    package static let reprDigest: FieldName = "Repr-Digest"
    /// The fields with digests.
    package static let all = [contentDigest, reprDigest]
    /// A request for Content-Digest (§4).
    package static let wantContentDigest: FieldName = "Want-Content-Digest"
    /// A request for Repr-Digest (§4).
    package static let wantReprDigest: FieldName = "Want-Repr-Digest"

    /// A field that is not what RFC 9530 defines.
    package struct MalformedField: Error, Equatable {
        /// The name of the field.
        package let name: String
        /// Its value.
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Returns the digests of a field, in the order of ``HTTPDigest/Algorithm/allCases``.
    ///
    /// - Parameters:
    ///   - name: ``contentDigest`` or ``reprDigest``.
    ///   - headers: header fields or trailers.
    /// - Returns: an empty array if the field is missing or has only unknown algorithms.
    /// - Throws: the field, if it is not a dictionary, or if the value of a known algorithm is not
    ///   a byte sequence of its length.
    package static func digests(
        _ name: FieldName,
        in headers: HTTPHeaders
    ) throws(MalformedField) -> [HTTPDigest] {
        guard let text = headers.combined(name) else { return [] }
        guard let dictionary = StructuredDictionary(text) else {
            throw MalformedField(name: name.rawName, value: text)
        }
        var digests: [HTTPDigest] = []
        for algorithm in HTTPDigest.Algorithm.allCases {
            guard let value = dictionary["\(algorithm)"] else { continue }
            guard case .bytes(let bytes) = value, bytes.count == algorithm.length else {
                throw MalformedField(name: name.rawName, value: text)
            }
            digests.append(HTTPDigest(trusted: algorithm, bytes))
        }
        return digests
    }

    /// Returns the names of all algorithms in a field, known or not; empty if it is malformed.
    package static func algorithmNames(_ name: FieldName, in headers: HTTPHeaders) -> [String] {
        headers.combined(name).flatMap { StructuredDictionary($0) }?.members.map(\.key) ?? []
    }

    /// Returns the value of Content-Digest or Repr-Digest.
    package static func value(of digests: [HTTPDigest]) -> String {
        StructuredDictionary(
            digests.map { .init(key: "\($0.algorithm)", value: .bytes($0.bytes)) }
        ).description
    }

    /// Returns the preferences of Want-Content-Digest or Want-Repr-Digest.
    ///
    /// - Parameters:
    ///   - name: ``wantContentDigest`` or ``wantReprDigest``.
    ///   - headers: header fields.
    /// - Returns: known algorithms with a preference of 1 to 10, the preferred one first; 0 means
    ///   not acceptable (§4).
    /// - Throws: the field, if it is not a dictionary, or if a preference is not an integer from 0
    ///   to 10.
    package static func wanted(
        _ name: FieldName,
        in headers: HTTPHeaders
    ) throws(MalformedField) -> [HTTPDigest.Algorithm] {
        guard let text = headers.combined(name) else { return [] }
        guard let dictionary = StructuredDictionary(text) else {
            throw MalformedField(name: name.rawName, value: text)
        }
        var wanted: [(HTTPDigest.Algorithm, Int)] = []
        for algorithm in HTTPDigest.Algorithm.allCases {
            guard let value = dictionary["\(algorithm)"] else { continue }
            guard case .integer(let preference) = value, 0...10 ~= preference else {
                throw MalformedField(name: name.rawName, value: text)
            }
            if preference > 0 { wanted.append((algorithm, preference)) }
        }
        return wanted.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// The value of Want-Content-Digest that asks for any known algorithm, SHA-256 preferred.
    ///
    /// SHA-256 is preferred because most processors have instructions for it.
    package static let wantAny = "sha-256=10, sha-512=5"
}
