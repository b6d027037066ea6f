/// Holds bytes between the socket and the decoders, so that heads are read where they lie.
///
/// Fill it from a socket, hand it to a head decoder, and say what is done with:
///
///     var buffer = InputBuffer()
///     while true {
///         let step = try decoder.decode(in: &buffer)
///         buffer.consume(step.consumed)
///         if let head = step.head { return head }
///         try buffer.fill(atMost: 16 * 1024) { output in try socket.read(into: &output) }
///     }
///
/// A head that is decoded from here is not copied: it refers to this buffer, and keeps all of it
/// alive. Its bytes are never overwritten while the head, its fields or its target are in use.
/// When the room is needed before they are let go, a fresh buffer takes over the bytes that are
/// left. So whoever lets go of each head before reading the next allocates nothing; who keeps
/// heads pays for one buffer each, and had better decode a span, which copies the head alone.
///
/// Bytes are valid until the next call that changes the buffer.
///
/// ## Topics
/// - ``fill(atMost:_:)``
/// - ``append(_:)``
/// - ``withBytes(_:)``
/// - ``consume(_:)``
public struct InputBuffer: ~Copyable, Sendable {
    private(set) var storage: FieldStorage
    /// First byte that was not consumed.
    private(set) var start = 0
    /// First byte that was not written.
    private(set) var end = 0
    /// Bytes at the front that a head may refer to.
    private var sharedEnd = 0

    /// Makes an empty buffer.
    ///
    /// - Parameters:
    ///   - capacity: bytes; 16 KiB holds nearly every head, and it grows when asked to.
    ///   - fields: lines of a head it has a table for; as many as ``WireLimits/fieldCount`` allows.
    ///     A head of more is copied.
    public init(capacity: Int = 16 * 1024, fields: Int = WireLimits.default.fieldCount) {
        precondition(capacity >= 0 && fields >= 0, "a buffer has no negative capacity")
        storage = FieldStorage(inputCapacity: capacity, entryCapacity: fields)
    }

    /// Bytes that were written and not consumed.
    public var count: Int { end - start }

    /// Says whether there are none.
    public var isEmpty: Bool { end == start }

    /// Has bytes written behind those that are there.
    ///
    /// - Parameters:
    ///   - count: bytes to make room for, at least 1; the buffer grows when it has less. As it
    ///     holds what was not consumed, the limits of the decoders are what bounds it.
    ///   - body: gets room for `count` bytes, and writes as many of them as it likes.
    /// - Throws: what the body throws; nothing is added then.
    public mutating func fill<E: Error>(
        atMost count: Int,
        _ body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        precondition(count >= 0, "a buffer has no negative room")
        reserve(count)
        end = try storage.write(at: end, atMost: count, body)
    }

    /// Adds a copy of bytes.
    public mutating func append(_ bytes: Span<UInt8>) {
        fill(atMost: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }

    /// Lends the bytes that were not consumed, for the decoders of bodies.
    public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try storage.withInput(start..<end, body)
    }

    /// Gives up bytes at the front; they are decoded, or not wanted.
    ///
    /// - Parameter count: at most ``count``.
    public mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "more bytes consumed than there are")
        start += count
    }

    /// Makes sure that no head refers to the table of entries, so that it can be written.
    mutating func prepareForHead() {
        if sharedEnd > 0, !storage.isUnique() { reallocate(storage.inputCapacity) }
        sharedEnd = 0
    }

    /// Takes note of a head that was read here, from `start` on, and will be handed out.
    mutating func shareHead(_ start: Int, _ lines: HeadScanner.Lines) {
        storage.commit(entries: lines.count, received: start..<lines.position)
        sharedEnd = lines.position
    }

    private mutating func reserve(_ room: Int) {
        let capacity = storage.inputCapacity
        if isEmpty {
            if sharedEnd > 0, storage.isUnique() { sharedEnd = 0 }
            start = sharedEnd
            end = sharedEnd
        }
        if capacity - end >= room { return }
        if count + room <= capacity, sharedEnd == 0 || storage.isUnique() {
            storage.moveToFront(start..<end)
            end -= start
            start = 0
            sharedEnd = 0
            return
        }
        reallocate(count + room <= capacity ? capacity : max(count + room, 2 * capacity))
    }

    /// Goes on in a fresh buffer with the bytes that are left.
    @inline(never)
    private mutating func reallocate(_ capacity: Int) {
        let fresh = FieldStorage(inputCapacity: capacity, entryCapacity: storage.entryCapacity)
        fresh.copyToFront(start..<end, of: storage)
        storage = fresh
        end -= start
        start = 0
        sharedEnd = 0
    }
}
