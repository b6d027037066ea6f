package import HTTPClient

/// A parser for dates as people type them after `--time-cond`: day, month and year in most orders.
///
///     12 May 2012    May 12 2012    20120512    20120512 15:05:58 -0700    Sat, 12 May 12 EST
///
/// A two-digit year is between 1971 and 2070. The default time is midnight, the default time zone
/// GMT. Names of weekdays are ignored.
package struct DateParser {
    private var rest: Substring.UTF8View
    private var year: Int?
    private var month: Int?
    private var day: Int?
    private var time: Int?
    /// The offset of the time zone in seconds east of Greenwich.
    private var zone: Int?

    /// Parses a date; nil for text that is not a date.
    package static func date(_ text: String) -> HTTPDate? {
        var reader = DateParser(rest: text[...].utf8)
        guard text.utf8.count <= 100, reader.parseAll(), let seconds = reader.seconds else {
            return nil
        }
        return HTTPDate(secondsSince1970: seconds)
    }

    private init(rest: Substring.UTF8View) {
        self.rest = rest
    }

    private mutating func parseAll() -> Bool {
        var last: UInt8 = 0
        while let byte = rest.first {
            if Decimal.isDigit(byte) {
                let digits = take(while: Decimal.isDigit)
                let sign = time != nil && digits.utf8.count == 4 ? last : 0
                guard parseNumber(digits, sign: sign) else { return false }
            } else if Self.isLetter(byte) {
                guard parseWord(take(while: Self.isLetter)) else { return false }
            } else {
                rest.removeFirst()
            }
            last = byte
        }
        return true
    }

    private mutating func parseNumber(_ digits: String, sign: UInt8) -> Bool {
        guard let number = Decimal.value(of: digits.utf8) else { return false }
        if rest.first == UInt8(ascii: ":"), time == nil { return parseTime(hours: number) }
        if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), zone == nil {
            let seconds = (number / 100 * 60 + number % 100) * 60
            zone = sign == UInt8(ascii: "-") ? -seconds : seconds
            return number <= 1400
        }
        if digits.utf8.count == 8, (year, month, day) == (nil, nil, nil) {
            (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
            return true
        }
        if digits.utf8.count <= 2, day == nil {
            day = number
        } else if year == nil {
            year = digits.utf8.count > 2 ? number : number > 70 ? 1900 + number : 2000 + number
        } else {
            return false
        }
        return true
    }

    /// Consumes `:mm` or `:mm:ss`.
    private mutating func parseTime(hours: Int) -> Bool {
        var parts = [hours]
        while parts.count < 3, rest.first == UInt8(ascii: ":") {
            rest.removeFirst()
            guard let part = Decimal.value(of: take(while: Decimal.isDigit).utf8) else {
                return false
            }
            parts.append(part)
        }
        let seconds = parts.count == 3 ? parts[2] : 0
        guard hours < 24, parts[1] < 60, seconds < 61 else { return false }
        time = hours * 3600 + parts[1] * 60 + seconds
        return true
    }

    private mutating func parseWord(_ word: String) -> Bool {
        let word = String(decoding: word.utf8.map { $0 & 0xDF }, as: UTF8.self)
        if let index = Self.months.firstIndex(of: word), month == nil {
            month = index + 1
        } else if let hours = Self.zones[word], zone == nil {
            zone = hours * 3600
        } else {
            return Self.days.contains { word == $0 || word == $0 + "DAY" } || word == "WEDNESDAY"
                || ["TUESDAY", "THURSDAY", "SATURDAY"].contains(word)
        }
        return true
    }

    private var seconds: Int? {
        guard let year, let month, let day, (1970...9999).contains(year),
            (1...12).contains(month)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day >= 1, day <= lengths[Int(month) - 1] else { return nil }
        let before = year - 1
        let leaps = before / 4 - before / 100 + before / 400 - 477
        let days = (year - 1970) * 365 + leaps + lengths[..<(Int(month) - 1)].reduce(0, +) + day - 1
        return days * 86_400 + (time ?? 0) - (zone ?? 0)
    }

    private mutating func take(while belongs: (UInt8) -> Bool) -> String {
        let run = rest.prefix(while: belongs)
        rest = rest[run.endIndex...]
        return String(decoding: Array(run), as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static let months = [
        "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
    ]
    private static let days = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
    /// The offsets of time zones in hours east of Greenwich.
    private static let zones: [String: Int] = [
        "GMT": 0, "UTC": 0, "Z": 0, "WET": 0, "BST": 1, "CET": 1, "CEST": 2, "EET": 2,
        "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    ]
}
