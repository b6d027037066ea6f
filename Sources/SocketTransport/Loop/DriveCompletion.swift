/// The completion flag of an operation run by ``EventLoop/driveToCompletion(_:)``.
final class DriveCompletion: @unchecked Sendable {
    // Sendable because only the driving thread writes it (in a job) and reads it (between jobs).
    // For the same reason, accesses cannot overlap.
    @safe @exclusivity(unchecked) var isComplete = false
}

/// Storage for the result of the task in ``EventLoop/drive(_:)``.
final class DriveResult<Value>: @unchecked Sendable {
    // Sendable because only the driving thread writes it (in a job) and reads it (between jobs).
    var value: Value?
}
