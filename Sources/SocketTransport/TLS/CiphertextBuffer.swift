/// Owns a run of bytes that grows at its end and is consumed from its start.
///
/// INVARIANT: `0 <= start <= end <= capacity`, and `base` points at `capacity` bytes (nil only
/// while capacity is 0). Only this file changes them.
@safe struct CiphertextBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>?
    private var capacity = 0
    private var start = 0
    private var end = 0

    init() {
        unsafe base = nil
    }

    deinit {
        // SAFETY: `base` came from allocate and nobody else holds it (~Copyable).
        unsafe base?.deallocate()
    }

    /// Bytes not consumed yet.
    var count: Int { end - start }

    var isEmpty: Bool { start == end }

    /// Drops the first `count` bytes.
    mutating func consume(_ count: Int) {
        start += min(max(count, 0), end - start)
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Lends the bytes not consumed yet.
    func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let base = unsafe base else { return try body(Span<UInt8>()) }
        // SAFETY: [start, end) lies in the allocation (INVARIANT), every byte up to `end` was
        // written, and the span cannot outlive this call.
        let bytes = unsafe UnsafeBufferPointer(start: base + start, count: end - start)
        return try body(unsafe bytes.span)
    }

    /// Copies bytes to the end.
    mutating func append(_ bytes: Span<UInt8>) {
        let room = unsafe reserve(bytes.count)
        // SAFETY: reserve left room for `bytes.count` bytes at `room`; the two cannot overlap,
        // because `room` is ours and a span into it would forbid this mutation.
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress, let room = unsafe room else { return }
            unsafe room.update(from: from, count: source.count)
        }
        end += bytes.count
    }

    /// Copies bytes from C memory to the end.
    mutating func append(_ bytes: UnsafePointer<UInt8>, count: Int) {
        // SAFETY: the caller answers for `count` readable bytes at `bytes`; reserve made the room.
        if let room = unsafe reserve(count) {
            unsafe room.update(from: bytes, count: count)
            end += count
        }
    }

    /// Moves up to `count` bytes to C memory.
    ///
    /// - Returns: bytes moved.
    mutating func take(into destination: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
        let step = min(count, end - start)
        guard step > 0, let base = unsafe base else { return 0 }
        // SAFETY: the caller answers for `count` writable bytes; [start, start + step) is ours.
        unsafe destination.update(from: base + start, count: step)
        consume(step)
        return step
    }

    /// Lets `body` write at the end, where at least `room` bytes are free.
    ///
    /// - Parameters:
    ///   - room: bytes.
    ///   - body: returns what it did; the bytes of `.bytes` are kept.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` throws; then nothing is kept.
    mutating func fill<Failure: Error>(
        room: Int,
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> ReceiveOutcome
    ) throws(Failure) -> ReceiveOutcome {
        guard let free = unsafe reserve(room) else { return .wouldBlock }
        let size = capacity - end
        // SAFETY: [end, capacity) is ours alone while `self` is borrowed for mutation. It may not
        // have been written before; bytes have no invalid values.
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
    /// - Returns: where they go; nil only when the buffer holds nothing and `count` is 0.
    private mutating func reserve(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
        if capacity - end < count {
            let held = end - start
            // SAFETY: both branches move exactly the `held` bytes of [start, end) to offset 0 of
            // an allocation that is at least `held + count` long; update allows overlap.
            if capacity - held >= count, let base = unsafe base {
                unsafe base.update(from: base + start, count: held)
            } else {
                let size = max(held + count, min(capacity * 2, Self.growthLimit), Self.minCapacity)
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

    /// A handshake flight or a small record fits.
    private static let minCapacity = 4096
    /// Doubling stops here: what holds four records holds the most we ever queue.
    private static let growthLimit = 128 * 1024
}
