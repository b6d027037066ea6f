/// Says that the operation of ``EventLoop/driveToCompletion(_:)`` has ended.
final class DriveCompletion: @unchecked Sendable {
    // Sendable because only the driving thread writes it (in a job) and reads it (between jobs); so
    // there is no overlapping access to look for either.
    @safe @exclusivity(unchecked) var isComplete = false
}

/// Carries the value of ``EventLoop/drive(_:)`` out of its task.
final class DriveResult<Value>: @unchecked Sendable {
    // Sendable because only the driving thread writes it (in a job) and reads it (between jobs).
    var value: Value?
}
