/// What a space was like at a time: as long as its stamp is the same, so is everything that can be read of it.
public struct Stamp: Hashable, Sendable {
    let generation: Int
    let arrivals: Int
    let beats: Int
    let moment: Moment
}

extension Store {
    /// The stamp of a space; nil where it is not here, or has commits that are not kept yet.
    public func stamp(of name: SpaceName) -> Stamp? {
        if let latest, latest.name == name { return latest.stamp }
        if name == .common { return Stamp(generation: 0, arrivals: 0, beats: 0, moment: replica.moment) }
        return spaces[name]?.stamp
    }
}
