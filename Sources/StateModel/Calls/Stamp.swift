/// An identifier of the readable content of a space: while the stamp is equal, every view has the same value.
package struct Stamp: Hashable, Sendable {
    let generation: Int
    /// The number of changes that came from the journal, and of those that are in memory only.
    let arrivals: Int
    /// The versions of the content.
    package let moment: Moment

    /// A stamp.
    package init(generation: Int, arrivals: Int, moment: Moment) {
        (self.generation, self.arrivals, self.moment) = (generation, arrivals, moment)
    }
}
