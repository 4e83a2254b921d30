/// The values of some views of a space, all of one moment.
package struct ViewSnapshot: Sendable {
    /// The moment of the values.
    package let moment: Moment
    /// The values by name.
    package let views: ViewFrames
    /// The stamp of the space at that moment; nil if the moment was not durable when the values were read.
    package let stamp: Stamp?
}
