/// Says how the values of a query or a form are spelled that no standard has a spelling for.
public struct HTTPParameterStyle: Sendable, Hashable {
    /// Says how several values under one name are spelled.
    public enum ArrayStyle: Sendable, Hashable {
        /// `name[]=a&name[]=b`, as PHP and Rails read it.
        case brackets
        /// `name=a&name=b`, as forms do.
        case repeated
        /// `name[0]=a&name[1]=b`.
        case indices
        /// `name=a,b`; a comma within a value is percent-encoded, the ones between are not.
        case comma
    }

    /// Says how truth values are spelled.
    public enum BoolStyle: Sendable, Hashable {
        /// `1` and `0`.
        case numbers
        /// `true` and `false`.
        case literals
    }

    /// Says how moments are spelled.
    public enum DateStyle: Sendable, Hashable {
        /// `2021-08-13T13:55:42Z` (RFC 3339); a fraction of a second is dropped.
        case iso8601
        /// Seconds since the beginning of 1970, with a fraction only if there is one.
        case secondsSince1970
        /// Whole milliseconds since the beginning of 1970, rounded to the nearest.
        case millisecondsSince1970
    }

    /// Several values under one name.
    ///
    /// Default ``ArrayStyle/brackets``: no reader takes such a list for anything else.
    public var array: ArrayStyle

    /// Truth values.
    ///
    /// Default ``BoolStyle/numbers``: also read by those who know no truth values.
    public var bool: BoolStyle

    /// Moments.
    ///
    /// Default ``DateStyle/iso8601``: it says itself what it is.
    public var date: DateStyle

    /// Makes a style.
    public init(
        array: ArrayStyle = .brackets,
        bool: BoolStyle = .numbers,
        date: DateStyle = .iso8601
    ) {
        self.array = array
        self.bool = bool
        self.date = date
    }
}
