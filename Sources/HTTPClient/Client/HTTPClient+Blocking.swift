/// Tells whether the calling code runs in a Swift task.
func isInsideTask() -> Bool {
    // SAFETY: the task is only compared with nil; it does not leave the closure.
    unsafe withUnsafeCurrentTask { unsafe $0 != nil }
}
