/// The pairs of a Cookie field (RFC 6265 §4.2.1).
package enum CookiePairs {
    /// Returns the pairs of a value, without leading spaces.
    package static func list(_ value: [UInt8]) -> [ArraySlice<UInt8>] {
        value.split(separator: semicolon).map { $0.first == space ? $0.dropFirst() : $0 }
    }

    /// Returns the name in a pair.
    package static func name(of pair: ArraySlice<UInt8>) -> [UInt8] {
        Array(pair.prefix { $0 != UInt8(ascii: "=") })
    }

    /// Returns the value with these pairs or values.
    package static func joined(_ pairs: [[UInt8]]) -> [UInt8] {
        Array(pairs.joined(separator: [semicolon, space]))
    }

    private static let semicolon = UInt8(ascii: ";")
    private static let space = UInt8(ascii: " ")
}
