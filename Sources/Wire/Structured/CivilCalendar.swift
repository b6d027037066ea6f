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
