/// A random number generator (SplitMix64) with equal numbers for equal seeds.
struct SplitMix64 {
    private var state: UInt64

    init(seed: UInt64, number: Int) {
        state = seed ^ (UInt64(number) &* 0xd134_2543_de82_ef95)
        // The first step spreads the states of neighboring numbers.
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from `range`, all equally likely.
    mutating func pick(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[pick(0...values.count - 1)]
    }

    /// Returns true in `inThousand` of 1000 cases on average.
    mutating func happens(_ inThousand: Int) -> Bool {
        pick(0...999) < inThousand
    }
}
