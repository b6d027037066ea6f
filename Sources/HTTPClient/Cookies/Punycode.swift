/// Writes labels of international names in ASCII (RFC 3492, RFC 5891 §4.4).
enum Punycode {
    /// The `xn--` form of a label, which is in lower case and normalised; ASCII stays as it is.
    ///
    /// Nil for what no name can hold.
    static func encode(_ label: some StringProtocol) -> String? {
        let points = label.unicodeScalars.map(\.value)
        guard points.contains(where: { $0 >= 0x80 }) else { return String(label) }
        guard points.count < 64 else { return nil }
        var output = points.filter { $0 < 0x80 }.map { UInt8($0) }
        let basic = UInt32(output.count)
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (point, delta, bias, done) = (UInt32(128), UInt32(0), UInt32(72), basic)
        while done < UInt32(points.count) {
            // The least code point that was not written yet.
            guard let next = points.filter({ $0 >= point }).min() else { return nil }
            // At most 63 times 21 bits: 32 hold it.
            delta += (next - point) * (done + 1)
            point = next
            for other in points {
                if other < point { delta += 1 }
                guard other == point else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(delta, count: done + 1, isFirst: done == basic)
                delta = 0
                done += 1
            }
            delta += 1
            point += 1
        }
        return "xn--" + String(decoding: output, as: UTF8.self)
    }

    /// Writes one number with digits of varying weight (§3.3).
    private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var (rest, place) = (delta, base)
        while true {
            let bound = place <= bias ? tMin : place >= bias + tMax ? tMax : place - bias
            guard rest >= bound else { break }
            output.append(digit(bound + (rest - bound) % (base - bound)))
            rest = (rest - bound) / (base - bound)
            place += base
        }
        output.append(digit(rest))
    }

    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var rest = isFirst ? delta / 700 : delta / 2
        rest += rest / count
        var steps: UInt32 = 0
        while rest > (base - tMin) * tMax / 2 {
            rest /= base - tMin
            steps += base
        }
        return steps + (base - tMin + 1) * rest / (rest + 38)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(value < 26 ? value + 97 : value + 22)
    }

    private static let base: UInt32 = 36
    private static let tMin: UInt32 = 1
    private static let tMax: UInt32 = 26
}
