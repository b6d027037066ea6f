/// A SplitMix64 generator: equal seeds give equal numbers on every machine.
///
/// Tests use it in place of `SystemRandomNumberGenerator`, too, where they pass it to a generic function: that type
/// has no bytes, and the thread sanitizer crashes when it looks up the address that the compiler invents for it.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
