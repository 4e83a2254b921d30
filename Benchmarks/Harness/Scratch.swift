import Foundation

/// A temporary directory that is removed at the end.
final class Scratch: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-bench-" + UUID().uuidString)
        .path

    init() {
        sure { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
    }

    deinit {
        sure { try FileManager.default.removeItem(atPath: path) }
    }
}

/// Runs `body` and stops the program if it throws, because no measurement is possible then.
func sure<Result>(_ body: () throws -> Result) -> Result {
    do { return try body() } catch { preconditionFailure("\(error)") }
}
