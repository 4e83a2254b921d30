internal import Ground
import Reactive

/// The reason that a view has no value.
package struct ViewFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error that the view failed with.
    package let description: String
    /// True if the view does not exist any more.
    package let isGone: Bool

    /// True if the present definition cannot take the state.
    package let isUnmigrated: Bool

    /// True if the work that computed the view had taken all of its steps, or had made all of its bytes. The next
    /// work may have enough.
    package let isShortage: Bool

    /// The failure of a view for lack of steps or bytes.
    package static var shortage: ViewFailure { ViewFailure(ShortWork()) }

    private struct ShortWork: Error, CustomStringConvertible {
        var description: String { WorkShortage.words }
    }

    init(_ error: any Error) {
        isShortage = WorkAllowance.isSpent
        description = "\(error)"
        isUnmigrated = error is UnmigratedState
        isGone = error is MissingView || error is LostPlace
    }
}
