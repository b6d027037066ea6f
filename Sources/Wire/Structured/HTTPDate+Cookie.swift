extension HTTPDate {
    /// Parses the date of a cookie's Expires attribute, as clients must (RFC 6265bis §5.1.1).
    ///
    /// Servers send many formats, so the parts may appear in any order: a time, a day, a month
    /// identified by its first three letters, and a year. The time zone is ignored; every date is
    /// UTC. Two-digit years mean 1970 to 2069. The result is nil if a part is missing, if the date
    /// does not exist, or if the year is before 1601.
    public init?(cookieDate text: String) {
        var date = CookieDate()
        for word in Array(text.utf8).split(whereSeparator: CookieDate.isDelimiter) {
            date.take(word)
        }
        guard let day = date.day, let month = date.month, let year = date.year,
            let (hour, minute, second) = date.time, year >= 1601, hour < 24, minute < 60,
            second < 60, day >= 1, day <= CivilCalendar.days(inMonth: month, year: year)
        else { return nil }
        let days = CivilCalendar.day(year: year, month: month, day: day)
        let seconds = (hour * 60 + minute) * 60 + second
        self.init(secondsSince1970: days * 86_400 + seconds)
    }
}

/// The parts of a date.
///
/// Each part is set once, from the first word that has its form.
private struct CookieDate {
    private(set) var time: (hour: Int, minute: Int, second: Int)?
    private(set) var day: Int?
    /// The month, 1 to 12.
    private(set) var month: Int?
    private(set) var year: Int?

    static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2f, 0x3b...0x40, 0x5b...0x60, 0x7b...0x7e: true
        default: false
        }
    }

    mutating func take(_ word: ArraySlice<UInt8>) {
        if time == nil, let time = Self.time(word) {
            self.time = time
        } else if day == nil, let day = Self.number(word, 1...2) {
            self.day = day
        } else if month == nil, let month = Self.month(word) {
            self.month = month
        } else if year == nil, let year = Self.number(word, 2...4) {
            self.year = year + (year < 70 ? 2000 : year < 100 ? 1900 : 0)
        }
    }

    /// Reads three numbers separated by colons.
    ///
    /// A digit must not follow the last number.
    private static func time(_ word: ArraySlice<UInt8>) -> (Int, Int, Int)? {
        let parts = word.split(
            separator: Byte.colon,
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard parts.count == 3, parts[0].allSatisfy(ByteClass.isDigit),
            parts[1].allSatisfy(ByteClass.isDigit), let hour = number(parts[0], 1...2),
            let minute = number(parts[1], 1...2), let second = number(parts[2], 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Reads the digits at the start of a word, or returns nil unless their count is in `counts`.
    private static func number(_ word: ArraySlice<UInt8>, _ counts: ClosedRange<Int>) -> Int? {
        let digits = Array(word.prefix(while: ByteClass.isDigit))
        guard counts.contains(digits.count), case .value(let value) = Digits.decimal(digits.span)
        else { return nil }
        return Int(value)
    }

    private static func month(_ word: ArraySlice<UInt8>) -> Int? {
        let name = String(decoding: word.prefix(3).map { ByteClass.lowercase($0) }, as: UTF8.self)
        return months.firstIndex(of: name).map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}
