// Explains what one side of an HTTP/1.1 connection sent: ExplainCapture [FILE].
// Without FILE the octets come from standard input. Every offset counts from the first of them.

do {
    let path = CommandLine.arguments.dropFirst().first ?? "/dev/stdin"
    var explanation = Explanation(of: try capturedOctets(in: path))
    explanation.printMessages()
} catch {
    print("cannot open \(error.path)")
}
