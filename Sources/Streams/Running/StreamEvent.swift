package import JSON
import Reactive

/// An event of a run. Nothing follows `end` or `failure`.
package enum StreamEvent: Hashable, Sendable {
    /// A value.
    case value(JSON)
    /// The stream has completed.
    case end
    /// The stream has failed.
    case failure(StreamFailure)
}

extension StreamEvent {
    init(_ end: End) {
        switch end {
        case .completed: self = .end
        case .failed(let error): self = .failure(StreamFailure(error))
        }
    }
}
