/// The values of some views of a space, all of one moment.
public struct ViewSnapshot: Sendable {
    /// The moment of the values.
    public let moment: Moment
    /// The values by name.
    public let views: ViewFrames
    /// The stamp of the space at that moment; nil if the moment was not durable when the values were read.
    public let stamp: Stamp?
}
