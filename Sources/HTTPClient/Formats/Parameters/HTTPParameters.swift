/// Holds names and values for a query or a form, in order, repeats kept.
///
///     let parameters: HTTPParameters = ["type": "poi", "max": 5, "tags": ["a", "b"], "open": true]
///
/// What is written in such a literal may be anything that is ``HTTPParameterConvertible``. How arrays,
/// truth values and dates are spelled is for an ``HTTPParameterStyle`` to say.
public struct HTTPParameters: Sendable, Hashable {
    /// Holds one parameter.
    public struct Element: Sendable, Hashable {
        /// The name, not encoded.
        public var name: String
        /// The value.
        public var value: HTTPParameterValue

        /// Makes a parameter.
        public init(_ name: String, _ value: HTTPParameterValue) {
            self.name = name
            self.value = value
        }
    }

    private var elements: [Element]

    /// Makes no parameters.
    public init() {
        elements = []
    }

    /// Makes parameters of those, in that order.
    public init(_ elements: [Element]) {
        self.elements = elements
    }

    /// Makes parameters of pairs, in that order, repeats included.
    public init(_ pairs: [(String, any HTTPParameterConvertible)]) {
        elements = pairs.map { Element($0.0, $0.1.parameterValue) }
    }

    /// Makes parameters of a dictionary, sorted by name, as a dictionary has no order of its own.
    public init(_ dictionary: [String: any HTTPParameterConvertible]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Reads the first value of that name, or replaces all of them.
    ///
    /// Setting a value leaves one of that name, at the place of the first or else at the end; setting
    /// nil removes them all.
    public subscript(name: String) -> HTTPParameterValue? {
        get { elements.first { $0.name == name }?.value }
        set {
            let first = elements.firstIndex { $0.name == name }
            if let newValue, let first {
                elements[first].value = newValue
                let rest = elements[(first + 1)...].filter { $0.name != name }
                elements = Array(elements[...first]) + rest
            } else if let newValue {
                elements.append(Element(name, newValue))
            } else {
                elements.removeAll { $0.name == name }
            }
        }
    }

    /// Adds a parameter at the end; others of that name stay.
    public mutating func append(_ name: String, _ value: some HTTPParameterConvertible) {
        elements.append(Element(name, value.parameterValue))
    }

    /// Adds all parameters of `other` at the end.
    public mutating func append(contentsOf other: HTTPParameters) {
        elements += other.elements
    }
}

extension HTTPParameters: RandomAccessCollection {
    /// Begins at 0.
    public var startIndex: Int { 0 }

    /// Counts the parameters.
    public var endIndex: Int { elements.count }

    /// Gives the parameter at that position, which must be below ``endIndex``.
    public subscript(position: Int) -> Element { elements[position] }
}

extension HTTPParameters: ExpressibleByDictionaryLiteral {
    /// Makes parameters in the order written, repeats included.
    public init(dictionaryLiteral elements: (String, any HTTPParameterConvertible)...) {
        self.init(elements)
    }
}

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
