extension HeadScanner {
    /// A writer of field lines into the spare capacity of an array.
    ///
    /// Asking an array for room costs more than a short line. So the writer asks once, for all spare
    /// capacity. Lines that do not fit go to a second array, which is appended at the end.
    ///
    /// The closure that receives a writer must drop it before it returns. ``FieldWriter`` ensures this, as
    /// it is only ever borrowed.
    @safe struct HeadWriter: ~Copyable {
        @safe private struct State {
            let start: UnsafeMutableRawPointer
            /// The number of bytes available; equal to `used` once a line was written to `overflow`.
            var capacity: Int
            var used: Int
            var overflow: [UInt8] = []
            var count = 0
            var failure: WireError?
        }

        private let state: UnsafeMutablePointer<State>

        /// Appends a start line to `output`, and the lines that a closure writes with a writer.
        ///
        /// - Parameters:
        ///   - output: the head is appended; unchanged if an error is thrown.
        ///   - size: the maximum number of bytes of the start line.
        ///   - startLine: appends the start line.
        ///   - body: writes the lines after it.
        /// - Throws: the error of the first line that may not be sent.
        @inline(__always)
        static func withWriter(
            appendingTo output: inout [UInt8],
            _ size: Int,
            _ startLine: (inout OutputSpan<UInt8>) -> Void,
            _ body: (consuming HeadWriter) -> Void
        ) throws(WireError) {
            var overflow: [UInt8] = []
            var failure: WireError?
            let room = max(output.capacity - output.count, size + 16)
            output.append(addingCapacity: room) { span in
                startLine(&span)
                // SAFETY: state and memory outlive the writer, which has no copies and is borrowed by the
                // body; `used` bytes are initialized, the start line first, and no more than there is
                // room for.
                unsafe span.withUnsafeMutableBufferPointer { room, count in
                    guard let start = room.baseAddress else { return }
                    var state = unsafe State(
                        start: UnsafeMutableRawPointer(start),
                        capacity: room.count,
                        used: count
                    )
                    unsafe withUnsafeMutablePointer(to: &state) {
                        unsafe body(HeadWriter(state: $0))
                    }
                    count = state.failure == nil ? state.used : 0
                    overflow = state.overflow
                    failure = state.failure
                }
            }
            if let failure { throw failure }
            if !overflow.isEmpty { output += overflow }
        }

        /// Appends a field line; whitespace around the value is removed.
        @inline(__always)
        func append(_ name: FieldName, _ value: Span<UInt8>) {
            guard beginLine(name) else { return }
            var (start, end) = (0, value.count)
            while start < end, ByteClass.isSpace(value[start]) { start &+= 1 }
            while end > start, ByteClass.isSpace(value[end &- 1]) { end &-= 1 }
            let trimmed = value.extracting(start..<end)
            let isValid = withSpan(of: name.rawName) { name in
                // SAFETY: write(_:_:) provides that much room.
                unsafe write(name.count &+ trimmed.count &+ 4) { target in
                    unsafe writeLine(name, trimmed, target)
                }
            }
            // SAFETY: the state outlives the writer.
            if !isValid { unsafe state.pointee.failure = .invalidFieldValue(index: count - 1) }
        }

        /// Appends a field line with a decimal number; a negative number may not be sent.
        func append(_ name: FieldName, _ number: Int) {
            var digits = InlineArray<20, UInt8>(repeating: Byte.zero)
            var start = digits.count
            var left = number.magnitude
            repeat {
                start &-= 1
                digits[start] = Byte.zero &+ UInt8(truncatingIfNeeded: left % 10)
                left /= 10
            } while left > 0
            guard number >= 0 else {
                // SAFETY: the state outlives the writer.
                if beginLine(name) {
                    unsafe state.pointee.failure = .invalidFieldValue(index: count - 1)
                }
                return
            }
            append(name, digits.span.extracting(start..<digits.count))
        }

        /// Appends all lines of a section.
        func append(contentsOf storage: FieldStorage) {
            // SAFETY: the state outlives the writer; the span ends before its memory does, and all of it
            // is initialized, because exactly `size` bytes were written.
            guard unsafe state.pointee.failure == nil else { return }
            do throws(WireError) {
                let size = try storage.encodedByteCount(indexedFrom: count)
                _ = unsafe write(size) { target in
                    let room = unsafe UnsafeMutableBufferPointer(
                        start: target.assumingMemoryBound(to: UInt8.self),
                        count: size
                    )
                    var lines = unsafe OutputSpan(buffer: room, initializedCount: 0)
                    storage.encode(into: &lines)
                    let written = unsafe lines.finalize(for: room)
                    precondition(written == size, "the lines have another length than computed")
                    return true
                }
                unsafe state.pointee.count += storage.entryCount
            } catch {
                unsafe state.pointee.failure = error
            }
        }

        /// Appends the empty line that ends the section.
        func end() {
            // SAFETY: the state outlives the writer, and write(_:_:) provides two bytes.
            guard unsafe state.pointee.failure == nil else { return }
            _ = unsafe write(2) { target in
                unsafe target.storeBytes(of: UInt16(littleEndian: 0x0a0d), as: UInt16.self)
                return true
            }
        }

        /// The number of lines so far.
        private var count: Int {
            // SAFETY: the state outlives the writer.
            unsafe state.pointee.count
        }

        /// Counts a line; returns false if it, or one before it, may not be sent.
        @inline(__always)
        private func beginLine(_ name: FieldName) -> Bool {
            // SAFETY: the state outlives the writer.
            guard unsafe state.pointee.failure == nil else { return false }
            guard name.isToken else {
                unsafe state.pointee.failure = .invalidFieldName(index: count)
                return false
            }
            unsafe state.pointee.count &+= 1
            return true
        }

        /// Calls a closure with memory for exactly `size` bytes, all of which it must write.
        @inline(__always)
        private func write(_ size: Int, _ body: (UnsafeMutableRawPointer) -> Bool) -> Bool {
            // SAFETY: the guard checks the room in the array; writeOverflow makes as much room as needed.
            let used = unsafe state.pointee.used
            guard unsafe size <= state.pointee.capacity &- used else {
                return unsafe writeOverflow(size, body)
            }
            unsafe state.pointee.used = used &+ size
            return unsafe body(state.pointee.start + used)
        }

        @inline(never)
        private func writeOverflow(_ size: Int, _ body: (UnsafeMutableRawPointer) -> Bool) -> Bool {
            var result = true
            // SAFETY: the state outlives the writer.
            unsafe state.pointee.capacity = state.pointee.used
            // SAFETY: the span has room for `size` bytes, and the body writes all of them.
            unsafe state.pointee.overflow.append(addingCapacity: size) { span in
                unsafe span.withUnsafeMutableBufferPointer { room, count in
                    guard let start = room.baseAddress else { return }
                    precondition(room.count >= size, "no space for a line")
                    result = unsafe body(UnsafeMutableRawPointer(start))
                    count = size
                }
            }
            return result
        }
    }

    /// Calls a closure with the bytes of a text.
    ///
    /// Equivalent to `utf8.span`, but without a call into the runtime each time.
    @inline(__always)
    static func withSpan<R>(of text: String, _ body: (Span<UInt8>) -> R) -> R {
        // SAFETY: the pointer is valid while the body runs, and the span cannot leave it.
        let result = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
            body(unsafe bytes.span)
        }
        return result ?? body(text.utf8.span)
    }
}
