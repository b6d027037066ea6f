import Wire

enum ResponseHeads {
    static func decode(_ input: HeadSet) throws -> Int {
        var decoder = ResponseHeadDecoder()
        var bytes = 0
        for head in input.heads {
            let step = try decoder.decode(head.span)
            guard step.head != nil else { throw BenchFault.headIncomplete }
            bytes += step.consumed
        }
        return bytes
    }

    static func decodeSlices(_ input: HeadSet) throws -> Int {
        var decoder = ResponseHeadDecoder()
        var bytes = 0
        for index in input.starts.indices {
            let start = input.starts[index]
            let slice = input.joined.span.extracting(start..<start + input.heads[index].count)
            let step = try decoder.decode(slice)
            guard step.head != nil else { throw BenchFault.headIncomplete }
            bytes += step.consumed
        }
        return bytes
    }

    static func all(of input: HeadSet) throws -> [ResponseHead] {
        var decoder = ResponseHeadDecoder()
        return try input.heads.map { bytes in
            guard let received = try decoder.decode(bytes.span).head else {
                throw BenchFault.headIncomplete
            }
            // Built anew, as a server would.
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

enum RequestHeads {
    static func decode(_ input: HeadSet) throws -> Int {
        var decoder = RequestHeadDecoder()
        var bytes = 0
        for head in input.heads {
            let step = try decoder.decode(head.span)
            guard step.head != nil else { throw BenchFault.headIncomplete }
            bytes += step.consumed
        }
        return bytes
    }
}
