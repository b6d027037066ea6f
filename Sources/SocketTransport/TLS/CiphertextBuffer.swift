/// A byte buffer that grows at its end and is consumed from its start.
///
/// INVARIANT: `0 <= start <= end <= capacity`, and `base` points at `capacity` bytes (nil only
/// while capacity is 0). Only this file changes them.
@safe struct CiphertextBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>?
    /// The number of bytes that the buffer has memory for.
    private(set) var capacity = 0
    private var start = 0
    private var end = 0

    init() {
        unsafe base = nil
    }

    deinit {
        // SAFETY: `base` came from allocate and has no other owner (~Copyable).
        unsafe base?.deallocate()
    }

    /// The number of unconsumed bytes.
    var count: Int { end - start }

    var isEmpty: Bool { start == end }

    /// Removes the first `count` bytes.
    mutating func consume(_ count: Int) {
        start += min(max(count, 0), end - start)
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Frees the memory if there are no unconsumed bytes.
    mutating func releaseIfEmpty() {
        guard isEmpty else { return }
        // SAFETY: as in deinit; no byte of it is in use, and `base` is nil while `capacity` is 0 (INVARIANT).
        unsafe base?.deallocate()
        unsafe base = nil
        capacity = 0
        start = 0
        end = 0
    }

    /// Calls `body` with the unconsumed bytes.
    func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let base = unsafe base else { return try body(Span<UInt8>()) }
        // SAFETY: [start, end) is within the allocation (INVARIANT), every byte up to `end` was
        // written, and the span cannot outlive this call.
        let bytes = unsafe UnsafeBufferPointer(start: base + start, count: end - start)
        return try body(unsafe bytes.span)
    }

    /// Appends a copy of `bytes`.
    mutating func append(_ bytes: Span<UInt8>) {
        let room = unsafe reserve(bytes.count)
        // SAFETY: reserve left room for `bytes.count` bytes at `room`. The two cannot overlap,
        // because `room` belongs to this buffer and a span into it would forbid this mutation.
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress, let room = unsafe room else { return }
            unsafe room.update(from: from, count: source.count)
        }
        end += bytes.count
    }

    /// Appends a copy of bytes from C memory.
    mutating func append(_ bytes: UnsafePointer<UInt8>, count: Int) {
        // SAFETY: the caller guarantees `count` readable bytes at `bytes`; reserve made the room.
        if let room = unsafe reserve(count) {
            unsafe room.update(from: bytes, count: count)
            end += count
        }
    }

    /// Moves up to `count` bytes to C memory.
    ///
    /// - Returns: the number of bytes moved.
    mutating func take(into destination: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
        let step = min(count, end - start)
        guard step > 0, let base = unsafe base else { return 0 }
        // SAFETY: the caller guarantees `count` writable bytes; [start, start + step) belongs to
        // this buffer.
        unsafe destination.update(from: base + start, count: step)
        consume(step)
        return step
    }

    /// Calls `body` to write at the end, where at least `room` bytes are free.
    ///
    /// - Parameters:
    ///   - room: the minimum free space in bytes.
    ///   - body: writes and returns the outcome; the bytes of `.bytes` are kept.
    /// - Returns: the outcome of `body`.
    /// - Throws: the error of `body`; then nothing is kept.
    mutating func fill<Failure: Error>(
        room: Int,
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> ReceiveOutcome
    ) throws(Failure) -> ReceiveOutcome {
        guard let free = unsafe reserve(room) else { return .wouldBlock }
        let size = capacity - end
        // SAFETY: this function has exclusive access to [end, capacity) while `self` is borrowed
        // for mutation. The memory may be uninitialized; bytes have no invalid values.
        let region = unsafe UnsafeMutableBufferPointer(start: free, count: size)
        var span = unsafe region.mutableSpan
        let outcome = try body(&span)
        if case .bytes(let count) = outcome {
            end += min(max(count, 0), size)
        }
        return outcome
    }

    /// Makes room for `count` more bytes.
    ///
    /// - Returns: the position of the free space; nil only if the buffer has no memory and `count`
    ///   is 0.
    private mutating func reserve(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
        if capacity - end < count {
            let held = end - start
            // SAFETY: both branches move exactly the `held` bytes of [start, end) to offset 0 of an
            // allocation of at least `held + count` bytes; update allows overlap.
            if capacity - held >= count, let base = unsafe base {
                unsafe base.update(from: base + start, count: held)
            } else {
                // Above the limit it still grows in proportion, so that many small additions cost linear time.
                let larger =
                    capacity < Self.growthLimit
                    ? min(capacity * 2, Self.growthLimit) : capacity + capacity / 2
                let size = max(held + count, larger, Self.minCapacity)
                let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
                if let base = unsafe base {
                    unsafe fresh.update(from: base + start, count: held)
                    unsafe base.deallocate()
                }
                unsafe base = fresh
                capacity = size
            }
            start = 0
            end = held
        }
        return unsafe base.map { unsafe $0 + end }
    }

    /// The initial capacity, enough for a handshake flight or a small record.
    private static let minCapacity = 4096
    /// The limit of doubling: the maximum queue of four records fits.
    private static let growthLimit = 128 * 1024
}
