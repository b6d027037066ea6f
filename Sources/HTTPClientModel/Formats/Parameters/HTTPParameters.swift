internal import Wire

/// Ordered names and values for a query or a form; names can repeat.
///
///     let parameters: HTTPParameters = ["type": "poi", "max": 5, "tags": ["a", "b"], "open": true]
///
/// The values of such a literal can be anything that is ``HTTPParameters/Convertible``. An
/// ``HTTPParameters/Style`` defines the spelling of arrays, Booleans and dates.
public struct HTTPParameters: Sendable, Hashable {
    /// A parameter.
    public struct Element: Sendable, Hashable {
        /// The name, without encoding.
        public var name: String
        /// The value.
        public var value: ParameterValue

        /// Creates a parameter.
        public init(_ name: String, _ value: ParameterValue) {
            self.name = name
            self.value = value
        }
    }

    private var elements: [Element]

    /// Creates an empty list of parameters.
    public init() {
        elements = []
    }

    /// Creates parameters from elements, in that order.
    public init(_ elements: [Element]) {
        self.elements = elements
    }

    /// Creates parameters from pairs, in that order, and keeps repeated names.
    public init(_ pairs: [(String, any Convertible)]) {
        elements = pairs.map { Element($0.0, $0.1.parameterValue) }
    }

    /// Creates parameters from a dictionary, sorted by name, because a dictionary has no order.
    public init(_ dictionary: [String: any Convertible]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// The first value of that name.
    ///
    /// Setting a value leaves one parameter of that name, at the position of the first, or at the end if
    /// there was none. Setting nil removes all parameters of that name.
    public subscript(name: String) -> ParameterValue? {
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

    /// Appends a parameter; others of that name stay.
    public mutating func append(_ name: String, _ value: some Convertible) {
        elements.append(Element(name, value.parameterValue))
    }

    /// Appends all parameters of `other`.
    public mutating func append(contentsOf other: HTTPParameters) {
        elements += other.elements
    }
}

extension HTTPParameters: RandomAccessCollection {
    /// The first position, which is 0.
    public var startIndex: Int { 0 }

    /// The number of parameters.
    public var endIndex: Int { elements.count }

    /// The parameter at that position, which must be below ``endIndex``.
    public subscript(position: Int) -> Element { elements[position] }
}

extension HTTPParameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters in the order written, and keeps repeated names.
    public init(dictionaryLiteral elements: (String, any Convertible)...) {
        self.init(elements)
    }
}

extension HTTPParameters {
    /// The spelling of values for which no standard of queries or forms defines one.
    public struct Style: Sendable, Hashable {
        /// The spelling of several values under one name.
        public enum ArrayStyle: Sendable, Hashable {
            /// `name[]=a&name[]=b`, as PHP and Rails read it.
            case brackets
            /// `name=a&name=b`, as forms do.
            case repeated
            /// `name[0]=a&name[1]=b`.
            case indices
            /// `name=a,b`; a comma within a value is percent-encoded, the commas between values are not.
            case comma
        }

        /// The spelling of Booleans.
        public enum BoolStyle: Sendable, Hashable {
            /// `1` and `0`.
            case numbers
            /// `true` and `false`.
            case literals
        }

        /// The spelling of dates.
        public enum DateStyle: Sendable, Hashable {
            /// `2021-08-13T13:55:42Z` (RFC 3339); a fraction of a second is dropped.
            case iso8601
            /// Seconds since the beginning of 1970, with a fraction only if there is one.
            case secondsSince1970
            /// Whole milliseconds since the beginning of 1970, rounded to the nearest.
            case millisecondsSince1970
        }

        /// The spelling of several values under one name.
        ///
        /// Default ``ArrayStyle/brackets``: receivers cannot mistake such a list for anything else.
        public var array: ArrayStyle

        /// The spelling of Booleans.
        ///
        /// Default ``BoolStyle/numbers``: receivers without a Boolean type can read it too.
        public var bool: BoolStyle

        /// The spelling of dates.
        ///
        /// Default ``DateStyle/iso8601``: it is self-describing.
        public var date: DateStyle

        /// Creates a style.
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
}

extension HTTPParameters: CustomStringConvertible, CustomReflectable {
    /// Names and values, such as `q=tea&password=***`, for people; nothing is encoded.
    public var description: String { map(\.description).joined(separator: "&") }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}

extension HTTPParameters.Element: CustomStringConvertible, CustomReflectable {
    /// Name and value, such as `q=tea`, with `***` in place of a secret, such as the value of `password`.
    public var description: String {
        let isSecret = SecretNames.common.isSecret(name, in: .parameter)
        return "\(LogText.line(name))=\(isSecret ? SecretNames.mask : value.shown)"
    }

    /// Only ``description``, so that dump(_:) shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}
