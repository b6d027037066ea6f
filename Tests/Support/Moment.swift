/// Suspends for a millisecond, before a condition that nothing announces is checked again.
///
/// A loop of `Task.yield()` would occupy one of the few threads of the task pool, and make the other tests wait.
package func moment() async {
    try? await Task.sleep(for: .milliseconds(1))
}
