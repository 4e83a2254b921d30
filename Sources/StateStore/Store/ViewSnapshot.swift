/// The values of some views of a space, all of one moment.
public struct ViewSnapshot: Sendable {
    /// The moment of the values.
    public let moment: Moment
    /// The values by name.
    public let views: ViewFrames
}
