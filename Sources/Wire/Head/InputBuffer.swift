/// A buffer between a socket and the decoders, from which heads are read without copying.
///
/// Fill it from a socket, pass it to a head decoder, and consume what the decoder has read:
///
///     var buffer = InputBuffer()
///     while true {
///         let step = try decoder.decode(in: &buffer)
///         buffer.consume(step.consumed)
///         if let head = step.head { return head }
///         try buffer.fill(atMost: 16 * 1024) { output in try socket.read(into: &output) }
///     }
///
/// A head decoded from the buffer is not copied: it refers to the buffer and keeps all of it alive.
/// The buffer never overwrites the bytes of a head while the head, its fields or its target are in
/// use. If it needs that space earlier, it moves the remaining bytes to new memory.
///
/// A caller that releases each head before it reads the next allocates nothing. A caller that keeps
/// heads pays for one buffer each, and should decode from a span, which copies only the head.
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
    /// The offset of the first byte that was not consumed.
    private(set) var start = 0
    /// The offset of the first byte that was not written.
    private(set) var end = 0
    /// The number of bytes at the front to which a head may refer.
    private var sharedEnd = 0

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - capacity: the size in bytes. 16 KiB is enough for nearly every head; ``fill(atMost:_:)`` grows it.
    ///   - fields: the number of lines in the field table, by default as many as
    ///     ``WireLimits/fieldCount`` allows. A head with more lines is copied.
    public init(capacity: Int = 16 * 1024, fields: Int = WireLimits.default.fieldCount) {
        precondition(capacity >= 0 && fields >= 0, "the capacity of a buffer is negative")
        storage = FieldStorage(inputCapacity: capacity, entryCapacity: fields)
    }

    /// The number of bytes that were written but not consumed.
    public var count: Int { end - start }

    /// Whether there are no bytes to consume.
    public var isEmpty: Bool { end == start }

    /// Appends bytes that a closure writes.
    ///
    /// - Parameters:
    ///   - count: the number of bytes to make room for, at least 1. The buffer grows if needed; as it
    ///     holds what was not consumed, the limits of the decoders limit its size.
    ///   - body: receives space for `count` bytes and writes up to that number.
    /// - Throws: the error of `body`; then nothing is appended.
    public mutating func fill<E: Error>(
        atMost count: Int,
        _ body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        precondition(count >= 0, "the requested space is negative")
        reserve(count)
        end = try storage.write(at: end, atMost: count, body)
    }

    /// Appends a copy of the bytes.
    public mutating func append(_ bytes: Span<UInt8>) {
        fill(atMost: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }

    /// Calls a closure with the bytes that were not consumed, for the decoders of bodies.
    public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try storage.withInput(start..<end, body)
    }

    /// Removes bytes at the front that were decoded or are not needed.
    ///
    /// - Parameter count: the number of bytes, at most ``count``.
    public mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "more bytes consumed than available")
        start += count
    }

    /// Makes the field table unshared, so that a head can be read into it.
    mutating func prepareForHead() {
        if sharedEnd > 0, !storage.isUnique() { reallocate(storage.inputCapacity) }
        sharedEnd = 0
    }

    /// Records that a head read here, from `start` on, will be returned to the caller.
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

    /// Moves the remaining bytes to a new storage.
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
