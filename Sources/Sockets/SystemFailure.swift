import Glibc

/// A failed system call, described so that an operator can act.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The attempted operation, to follow "cannot".
    package let attempt: String
    /// The `errno` of the failure.
    package let code: Int32

    /// Creates a failure of an operation; `code` defaults to the current `errno`.
    package init(_ attempt: String, code: Int32? = nil) {
        self.attempt = attempt
        self.code = code ?? errno
    }

    /// The operation and the reason for its failure.
    package var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }
}

/// Repeats a call while a signal interrupts it (EINTR).
@inline(__always)
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
