import Glibc

/// A call of the system that failed, in words that a person can act on.
public struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried.
    public let attempt: String
    /// The system's number for what went wrong.
    public let code: Int32

    /// A failure of what was tried last.
    public init(_ attempt: String, code: Int32? = nil) {
        self.attempt = attempt
        self.code = code ?? errno
    }

    /// What was tried, and why it failed.
    public var description: String { "cannot \(attempt): \(String(cString: strerror(code)))" }
}

/// Does a call again for as long as a signal interrupts it.
@inline(__always)
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
