import Wire

/// Heads in input buffers, as a socket would have left them there.
struct BufferedHeads {
    private let buffers: UnsafeMutablePointer<InputBuffer>
    private let count: Int

    /// Creates the buffers.
    ///
    /// They are never freed, because the program needs them until its end.
    init(_ input: HeadSet) {
        count = input.count
        buffers = .allocate(capacity: count)
        for index in 0..<count {
            let head = input.heads[index]
            (buffers + index).initialize(to: InputBuffer(capacity: head.count))
            buffers[index].append(head.span)
        }
    }

    /// Decodes every head in place.
    ///
    /// Nothing is consumed, so that it can be decoded again.
    func decode(_ decoder: inout ResponseHeadDecoder) throws -> Int {
        var bytes = 0
        for index in 0..<count {
            let step = try decoder.decode(in: &buffers[index])
            guard let head = step.head else { throw BenchError.headIncomplete }
            bytes += step.consumed
            withExtendedLifetime(head) {}
        }
        return bytes
    }

    func decode(_ decoder: inout RequestHeadDecoder) throws -> Int {
        var bytes = 0
        for index in 0..<count {
            let step = try decoder.decode(in: &buffers[index])
            guard let head = step.head else { throw BenchError.headIncomplete }
            bytes += step.consumed
            withExtendedLifetime(head) {}
        }
        return bytes
    }
}

/// Heads inside one large array, decoded one after the other and recycled.
struct SlicedHeads {
    private let bytes: [UInt8]
    private let heads: [Range<Int>]

    init(_ input: HeadSet) {
        bytes = input.joined
        heads = zip(input.starts, input.heads).map { $0..<$0 + $1.count }
    }

    func decode(_ decoder: inout ResponseHeadDecoder) throws -> Int {
        let all = bytes.span
        var bytes = 0
        for range in heads {
            let step = try decoder.decode(all.extracting(range))
            guard let head = step.head else { throw BenchError.headIncomplete }
            bytes += step.consumed
            decoder.recycle(head)
        }
        return bytes
    }

    func decode(_ decoder: inout RequestHeadDecoder) throws -> Int {
        let all = bytes.span
        var bytes = 0
        for range in heads {
            let step = try decoder.decode(all.extracting(range))
            guard let head = step.head else { throw BenchError.headIncomplete }
            bytes += step.consumed
            decoder.recycle(head)
        }
        return bytes
    }
}

enum ResponseHeads {
    static func all(of input: HeadSet) throws -> [ResponseHead] {
        var decoder = ResponseHeadDecoder()
        return try input.heads.map { bytes in
            guard let received = try decoder.decode(bytes.span).head else {
                throw BenchError.headIncomplete
            }
            // The head is built field by field, as a server would.
            var head = ResponseHead(status: received.status, reason: received.reason)
            for field in received.headers {
                head.headers.append(FieldName(field.name), field.value)
            }
            return head
        }
    }

    static func encode(_ heads: [ResponseHead], into output: inout [UInt8]) throws -> Int {
        var bytes = 0
        for head in heads {
            output.removeAll(keepingCapacity: true)
            try ResponseHeadEncoder.encode(head, into: &output)
            bytes += output.count
        }
        return bytes
    }
}
