/// The stored content of a space and of `common` as of a moment.
struct PastContent {
    let moment: Moment
    /// The content of the space; nil for `common` itself.
    let own: StoredSpace?
    let common: StoredSpace
    /// The time of the later commit of the two versions; nil before the first.
    let time: Timestamp?

    private init(_ version: Int, _ own: PastVersion?, _ common: PastVersion) {
        moment = Moment(version: version, common: common.content.version)
        self.own = own?.content
        self.common = common.content
        time = [own?.head?.at, common.head?.at].compactMap(\.self).max()
    }

    /// Loads the content of a point.
    init(of space: SpaceName, at point: PastPoint, _ journal: any Journal) throws(PastRefusal) {
        guard space != .common else {
            let version = try Self.versionOfCommon(at: point, journal)
            self.init(version, nil, try journal.state(of: .common, at: version))
            return
        }
        switch point {
        case .version(let version):
            let own = try journal.state(of: space, at: version)
            let common = try Self.common(with: own, of: space, journal)
            self.init(version, own, try journal.state(of: .common, at: common))
        case .moment(let moment):
            let own = try journal.state(of: space, at: moment.version)
            self.init(moment.version, own, try journal.state(of: .common, at: moment.common))
        case .time, .newest:
            let version = try journal.version(of: space, at: point)
            let own = try journal.state(of: space, at: version)
            self.init(version, own, try journal.state(of: .common, at: try Self.versionOfCommon(at: point, journal)))
        }
    }

    /// Loads the oldest content of both that the journal keeps. Its version of `common` is later than the recorded one
    /// if that is not kept.
    init(oldestOf space: SpaceName, _ journal: any Journal) throws(PastRefusal) {
        let oldest = try journal.oldestVersion(of: .common)
        guard space != .common else {
            self.init(oldest, nil, try journal.state(of: .common, at: oldest))
            return
        }
        let version = try journal.oldestVersion(of: space)
        let own = try journal.state(of: space, at: version)
        self.init(version, own, try journal.state(of: .common, at: max(oldest, own.head?.common ?? 0)))
    }

    /// Returns the version of `common` that a point means.
    private static func versionOfCommon(at point: PastPoint, _ journal: any Journal) throws(PastRefusal) -> Int {
        switch point {
        case .version(let version): version
        case .moment(let moment): moment.common
        case .time, .newest: try journal.version(of: .common, at: point)
        }
    }

    /// Returns the version of `common` that was recorded with a version of a space.
    ///
    /// With version 0 none was: it is 0. A space without commits shows the newest one.
    private static func common(
        with own: PastVersion, of space: SpaceName, _ journal: any Journal
    ) throws(PastRefusal) -> Int {
        if let head = own.head { return head.common }
        guard try journal.version(of: space, at: .newest) == own.content.version else { return 0 }
        return try journal.version(of: .common, at: .newest)
    }
}
