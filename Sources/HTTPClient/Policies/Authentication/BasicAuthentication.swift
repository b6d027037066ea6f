internal import Wire

/// Functions that encode the credentials of the Basic scheme (RFC 7617).
package enum BasicAuthentication {
    /// Returns the value of Authorization for the userinfo of a URL, `user:password`.
    ///
    /// The userinfo is percent-decoded first, so a colon or an at sign can be part of either.
    package static func credentials(userinfo: String) -> String {
        "Basic " + base64(PercentCoding.decode(userinfo))
    }

    /// Returns the value of Authorization or Proxy-Authorization.
    package static func value(for credentials: HTTPCredentials) -> String {
        "Basic " + base64(credentials.user + [UInt8(ascii: ":")] + credentials.password)
    }

    /// Encodes bytes in base64 with padding (RFC 4648 §4).
    static func base64(_ bytes: [UInt8]) -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let alphabet = Array((letters + "0123456789+/").utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity((bytes.count + 2) / 3 * 4)
        var start = 0
        while start < bytes.count {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= 8 * UInt32(3 - group.count)
            for place in 0..<4 {
                let index = Int(bits >> (18 - 6 * UInt32(place)) & 63)
                encoded.append(place <= group.count ? alphabet[index] : UInt8(ascii: "="))
            }
            start += 3
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
