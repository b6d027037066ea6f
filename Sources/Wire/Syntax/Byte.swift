/// The bytes that have a meaning in the grammar of HTTP/1.1.
enum Byte {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0a
    static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let hash: UInt8 = 0x23
    static let percent: UInt8 = 0x25
    static let asterisk: UInt8 = 0x2a
    static let comma: UInt8 = 0x2c
    static let dot: UInt8 = 0x2e
    static let slash: UInt8 = 0x2f
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3a
    static let semicolon: UInt8 = 0x3b
    static let equals: UInt8 = 0x3d
    static let question: UInt8 = 0x3f
    static let at: UInt8 = 0x40
    static let leftBracket: UInt8 = 0x5b
    static let backslash: UInt8 = 0x5c
    static let rightBracket: UInt8 = 0x5d
    static let delete: UInt8 = 0x7f
}
