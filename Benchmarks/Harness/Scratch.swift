import Foundation

/// A directory that is gone in the end.
final class Scratch: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-bench-" + UUID().uuidString).path

    init() {
        sure { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
    }

    deinit {
        sure { try FileManager.default.removeItem(atPath: path) }
    }
}

/// What nothing can be measured without.
func sure<Result>(_ body: () throws -> Result) -> Result {
    do { return try body() } catch { preconditionFailure("\(error)") }
}
