import Reactive

/// The moments that a space shows while it has commits that are not durable.
///
/// A version is shown once it is durable. It is shown with each version of `common` up to the one at which the next
/// version of the space was made. So that version of `common` is stored with each version of the space.
struct ShownMoments {
    private var made = Fifo<(version: Int, common: Int)>()

    /// Notes a version that was made and is not durable, with the version of `common` at that time.
    mutating func append(_ version: Int, common: Int) {
        made.append((version, common))
    }

    /// Drops the versions that are durable.
    mutating func drop(upTo durable: Int) {
        while made.popFirst(where: { $0.version <= durable }) != nil {}
    }

    mutating func removeAll() {
        made.removeAll()
    }

    /// The moment that is shown at a durable version. Precondition: versions up to it were dropped.
    func moment(durable: Int, common: Int) -> Moment {
        Moment(version: durable, common: made.first?.common ?? common)
    }
}
