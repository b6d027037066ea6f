/// One kind of input: the number of inputs, the number of differences, and a hash of the outcomes.
struct Part {
    private let name: String
    private var inputs = 0
    private var complete = 0
    private var differences = 0
    private var digest = Hasher()

    init(_ name: String) {
        self.name = name
    }

    /// Records an input; the first one on which two results disagree is printed.
    mutating func record(_ bytes: [UInt8], agrees: Bool, isComplete: Bool) {
        inputs += 1
        if isComplete { complete += 1 }
        guard !agrees else { return }
        differences += 1
        guard differences == 1 else { return }
        let text = bytes.map { String($0) }.joined(separator: " ")
        print("\(name): input \(inputs) gives different results: \(text)")
    }

    /// Adds a value to the hash.
    mutating func add(_ value: some Hashable) {
        digest.combine(value)
    }

    /// Prints the line of the part and returns the number of differences.
    func finish() -> Int {
        let sum = String(UInt64(bitPattern: Int64(digest.finalize())), radix: 16)
        print("\(name): \(inputs) inputs, \(complete) complete, \(differences) differ, \(sum)")
        return differences
    }
}
