/// Suspends for a millisecond, before a condition that nothing announces is checked again.
///
/// A loop of `Task.yield()` would occupy one of the few threads of the task pool, and make the other tests wait. It
/// would also outlast the time limit of its suite, which only cancels the task. After a cancellation, this function
/// ends the process, because the condition may never be true.
package func moment(_ file: StaticString = #fileID, _ line: UInt = #line) async {
    do {
        try await Task.sleep(for: .milliseconds(1))
    } catch {
        fatalError("the condition was not true within the time limit", file: file, line: line)
    }
}
