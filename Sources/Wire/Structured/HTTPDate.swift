/// A date as HTTP represents it: in whole seconds, without a time zone (RFC 9110 §5.6.7).
///
/// The years range from 0000 to 9999, because a date has four digits for the year. Leap seconds are
/// not counted, as in POSIX: 23:59:60 is the same time as 00:00:00 of the next day.
public struct HTTPDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The seconds since the beginning of 1970 in UTC; negative before that.
    public let secondsSince1970: Int

    /// Creates a date.
    ///
    /// A number outside the years 0000 to 9999 is clamped to that range.
    public init(secondsSince1970: Int) {
        self.secondsSince1970 = min(max(secondsSince1970, Self.earliest), Self.latest)
    }

    /// Parses a date in one of its three formats.
    ///
    /// - IMF-fixdate, the only one to send: `Sun, 06 Nov 1994 08:49:37 GMT`
    /// - the format of RFC 850: `Sunday, 06-Nov-94 08:49:37 GMT`
    /// - the format of `asctime`: `Sun Nov  6 08:49:37 1994`
    ///
    /// Parsing is strict: names are case-sensitive, the number of digits is fixed, and the day must
    /// exist in its month. Second 60 is valid only at 23:59. The day of the week must be a valid
    /// name, but it is not compared with the date. The result is nil for any other text.
    ///
    /// - Parameters:
    ///   - text: the field value, without surrounding whitespace.
    ///   - now: the current time, which determines the century of a two-digit year. A date that
    ///     appears to be more than 50 years in the future is in the past century. If nil, 70 to 99
    ///     mean the twentieth century and the rest the twenty-first (RFC 6265 §5.1.1).
    public init?(_ text: String, now: HTTPDate? = nil) {
        guard text.utf8.count <= Self.maxTextLength else { return nil }
        if text.utf8.count == DateFields.fixdateLength {
            // Only this format has that length, and nearly all dates have this format.
            guard let seconds = DateFields(fixdate: text.utf8.span)?.secondsSince1970,
                seconds <= Self.latest
            else { return nil }
            secondsSince1970 = seconds
            return
        }
        guard var cursor = FieldCursor(text) else { return nil }
        let name = cursor.run(while: ByteClass.isAlpha)
        let fields: DateFields?
        if dayNames.contains(name) {
            fields = DateFields(asctime: &cursor)
        } else if longDayNames.contains(name) {
            fields = DateFields(rfc850: &cursor, now: now)
        } else {
            fields = nil
        }
        guard cursor.isAtEnd, let seconds = fields?.secondsSince1970, seconds <= Self.latest
        else { return nil }
        secondsSince1970 = seconds
    }

    /// Parses a date whose names and time zone may have any case, as caches should (RFC 9111 §4.2).
    ///
    /// - Parameters:
    ///   - text: the field value.
    ///   - now: the current time, which determines the century of a two-digit year.
    package init?(anyCase text: String, now: HTTPDate? = nil) {
        if let date = HTTPDate(text, now: now) {
            self = date
            return
        }
        guard text.utf8.count <= Self.maxTextLength else { return nil }
        var usual: [UInt8] = []
        for byte in text.utf8 {
            let isFirst = !(usual.last.map(ByteClass.isAlpha) ?? false)
            usual.append(ByteClass.isAlpha(byte) ? isFirst ? byte & 0xDF : byte | 0x20 : byte)
        }
        if usual.suffix(4).elementsEqual(" Gmt".utf8) {
            usual.removeLast(3)
            usual += "GMT".utf8
        }
        self.init(String(decoding: usual, as: UTF8.self), now: now)
    }

    /// Compares dates in chronological order.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    /// The date as IMF-fixdate, the only format that may be sent.
    public var description: String {
        let fields = DateFields(secondsSince1970: secondsSince1970)
        let name = dayNames[CivilCalendar.weekday(ofDay: secondsSince1970.flooredDays)]
        var text = Array("\(name), ".utf8)
        appendDigits(fields.day, 2, to: &text)
        text += " \(monthNames[fields.month - 1]) ".utf8
        appendDigits(fields.year, 4, to: &text)
        for (mark, part) in [(Byte.space, fields.hour), (Byte.colon, fields.minute)] {
            text.append(mark)
            appendDigits(part, 2, to: &text)
        }
        text.append(Byte.colon)
        appendDigits(fields.second, 2, to: &text)
        return String(decoding: text, as: UTF8.self) + " GMT"
    }

    private func appendDigits(_ value: Int, _ width: Int, to text: inout [UInt8]) {
        var scale = 1
        for _ in 1..<width { scale *= 10 }
        while scale > 0 {
            text.append(Byte.zero + UInt8(truncatingIfNeeded: value / scale % 10))
            scale /= 10
        }
    }

    /// The first second of the year 0000.
    private static let earliest = -62_167_219_200
    /// The last second of the year 9999.
    private static let latest = 253_402_300_799
    /// The length in bytes of the longest valid date, a Wednesday in the format of RFC 850.
    private static let maxTextLength = 33
}

/// The parts of a date, which may not exist.
private struct DateFields {
    var year = 0
    /// The month, 1 to 12.
    var month = 0
    var day = 0
    var hour = 0
    var minute = 0
    var second = 0

    init(secondsSince1970 seconds: Int) {
        let days = seconds.flooredDays
        let rest = seconds - days * 86_400
        (year, month, day) = CivilCalendar.date(ofDay: days)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    }

    static let fixdateLength = 29

    /// Reads a text of ``fixdateLength`` bytes such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    init?(fixdate text: Span<UInt8>) {
        guard dayCodes.contains(nameCode(text[0], text[1], text[2])),
            text[3] == Byte.comma, text[4] == Byte.space, let day = Self.number(text, at: 5, 2),
            text[7] == Byte.space,
            let month = monthCodes.firstIndex(of: nameCode(text[8], text[9], text[10])),
            text[11] == Byte.space,
            let year = Self.number(text, at: 12, 4), text[16] == Byte.space,
            let hour = Self.number(text, at: 17, 2), text[19] == Byte.colon,
            let minute = Self.number(text, at: 20, 2), text[22] == Byte.colon,
            let second = Self.number(text, at: 23, 2), text[25] == Byte.space,
            text[26] == UInt8(ascii: "G"), text[27] == UInt8(ascii: "M"),
            text[28] == UInt8(ascii: "T")
        else { return nil }
        (self.year, self.month, self.day) = (year, month + 1, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    private static func number(_ text: Span<UInt8>, at start: Int, _ count: Int) -> Int? {
        var value = 0
        for index in start..<start + count {
            let digit = text[index] &- Byte.zero
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// Reads the text after `Sunday`.
    init?(rfc850 cursor: inout FieldCursor, now: HTTPDate?) {
        guard cursor.take(", "), let day = cursor.digits(2), cursor.take("-"),
            let month = Self.month(&cursor), cursor.take("-"),
            let year = cursor.digits(2), readTime(&cursor), cursor.take(" GMT")
        else { return nil }
        (self.year, self.month, self.day) = (year + (year < 70 ? 2000 : 1900), month, day)
        if let now { resolveCentury(now: now) }
    }

    /// Reads the text after `Sun`.
    init?(asctime cursor: inout FieldCursor) {
        guard cursor.take(Byte.space), let month = Self.month(&cursor), cursor.take(Byte.space),
            let day = cursor.take(Byte.space) ? cursor.digits(1) : cursor.digits(2),
            readTime(&cursor), cursor.take(Byte.space), let year = cursor.digits(4)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The seconds since 1970, or nil if the day or the time does not exist.
    var secondsSince1970: Int? {
        guard (1...12).contains(month),
            (1...CivilCalendar.days(inMonth: month, year: year)).contains(day),
            hour < 24, minute < 60, second < 60 || (second == 60 && hour == 23 && minute == 59)
        else { return nil }
        let days = CivilCalendar.day(year: year, month: month, day: day)
        return days * 86_400 + secondOfDay
    }

    private var secondOfDay: Int { hour * 3600 + minute * 60 + second }

    /// Selects the latest year with these two digits that is at most 50 years after `now`.
    private mutating func resolveCentury(now: HTTPDate) {
        var limit = DateFields(secondsSince1970: now.secondsSince1970)
        limit.year += 50
        year = limit.year / 100 * 100 + year % 100
        if isLater(than: limit) { year -= 100 }
        if year < 0 { year += 100 }
    }

    private func isLater(than other: DateFields) -> Bool {
        (year, month, day, secondOfDay) > (other.year, other.month, other.day, other.secondOfDay)
    }

    private mutating func readTime(_ cursor: inout FieldCursor) -> Bool {
        guard cursor.take(Byte.space), let hour = cursor.digits(2), cursor.take(Byte.colon),
            let minute = cursor.digits(2), cursor.take(Byte.colon), let second = cursor.digits(2)
        else { return false }
        (self.hour, self.minute, self.second) = (hour, minute, second)
        return true
    }

    private static func month(_ cursor: inout FieldCursor) -> Int? {
        let name = cursor.run(while: ByteClass.isAlpha)
        return monthNames.firstIndex(of: name).map { $0 + 1 }
    }
}

extension Int {
    /// The whole days in this number of seconds, rounded down.
    fileprivate var flooredDays: Int {
        self / 86_400 - (self % 86_400 < 0 ? 1 : 0)
    }
}

private let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let longDayNames = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
]
private let monthNames = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
]
// The names as numbers, which are compared faster than texts.
private let dayCodes = dayNames.map { nameCode($0) }
private let monthCodes = monthNames.map { nameCode($0) }

private func nameCode(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt32 {
    UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
}

private func nameCode(_ name: String) -> UInt32 {
    name.utf8.reduce(0) { $0 << 8 | UInt32($1) }
}

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

/// Day arithmetic in the Gregorian calendar, extended to all years.
///
/// Day 0 is 1 January 1970. Internally, years begin in March so that the leap day comes last. They
/// are grouped into periods of 400 years, after which the calendar repeats.
enum CivilCalendar {
    /// Returns the number of days in a month, 1 to 12.
    static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of a valid date, in a year from 0 on.
    static func day(year: Int, month: Int, day: Int) -> Int {
        let isEarly = month < 3
        // Adds one period, so that no value is negative.
        let shifted = year + 400 - (isEarly ? 1 : 0)
        let monthsSinceMarch = isEarly ? month + 9 : month - 3
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        let total = shifted * 365 + leapDays + daysBefore(monthsSinceMarch) + day - 1
        return total - daysFromMarchOfYear0To1970 - daysInPeriod
    }

    /// Returns the date of a day in the years 0 to 9999.
    static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let total = day + daysFromMarchOfYear0To1970 + daysInPeriod
        let (period, dayOfPeriod) = total.quotientAndRemainder(dividingBy: daysInPeriod)
        // Removes the leap days so far, so that every year has 365 days.
        let passedLeapDays =
            dayOfPeriod / 1460 - dayOfPeriod / 36_524 + dayOfPeriod / (daysInPeriod - 1)
        let yearOfPeriod = (dayOfPeriod - passedLeapDays) / 365
        let yearStart = yearOfPeriod * 365 + yearOfPeriod / 4 - yearOfPeriod / 100
        let dayOfYear = dayOfPeriod - yearStart
        let monthsSinceMarch = (5 * dayOfYear + 2) / 153
        let month = monthsSinceMarch < 10 ? monthsSinceMarch + 3 : monthsSinceMarch - 9
        let year = (period - 1) * 400 + yearOfPeriod + (month < 3 ? 1 : 0)
        return (year, month, dayOfYear - daysBefore(monthsSinceMarch) + 1)
    }

    /// Returns the day of the week, 0 for Sunday.
    static func weekday(ofDay day: Int) -> Int {
        let rest = (day + 4) % 7
        return rest < 0 ? rest + 7 : rest
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Returns the days from 1 March to the first of a month: 31, 30, 31, 30, 31, repeated.
    private static func daysBefore(_ monthsSinceMarch: Int) -> Int {
        (153 * monthsSinceMarch + 2) / 5
    }

    private static let daysInPeriod = 146_097
    private static let daysFromMarchOfYear0To1970 = 719_468
}
