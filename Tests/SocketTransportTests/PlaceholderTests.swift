import Testing

@Suite struct PlaceholderTests {
    @Test func `the suite is found`() {
        #expect(Bool(true))
    }
}
