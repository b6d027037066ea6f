import Testing
import Wire

@Suite struct DiagnosticTests {
    @Test(arguments: Diagnostic.Code.allCases)
    func `every diagnostic code has a text, a rule and a level`(code: Diagnostic.Code) {
        #expect(!code.text.isEmpty)
        #expect(code.rule.hasPrefix("RFC 911") || code == .furtherDeviations)
        #expect(code.level > .strict)
    }

    @Test func `a diagnostic is described in one line`() {
        let note = Diagnostic(.foldedLine, at: 17..<19)
        #expect(note.offset == 17)
        #expect(note.description == "byte 17: the field line is folded (RFC 9112 §5.2)")
    }
}
