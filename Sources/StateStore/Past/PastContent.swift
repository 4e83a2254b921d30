/// The stored content of a space and of `common` as of a moment.
struct PastContent {
    let moment: Moment
    /// The content of the space; nil for `common` itself.
    let own: StoredSpace?
    let common: StoredSpace
    /// The time of the later commit of the two versions; nil before the first.
    let time: Timestamp?
    /// The version of `common` that was recorded with the version of the space; nil before its first commit, and for
    /// `common` itself.
    private let recorded: Int?

    private init(_ version: Int, _ own: PastVersion?, _ common: PastVersion) {
        moment = Moment(version: version, common: common.content.version)
        self.own = own?.content
        self.common = common.content
        time = [own?.head?.at, common.head?.at].compactMap(\.self).max()
        recorded = own?.head?.common
    }

    /// Returns the content with the version of `common` that was recorded with the version of the space, if it was never
    /// shown with version `limit` of `common`, because the space went on before; nil if it was.
    func recorded(before limit: Int, in space: SpaceName, _ journal: any Journal) throws(PastRefusal) -> PastContent? {
        guard space != .common else { return moment.common < limit ? self : nil }
        guard let recorded, recorded < limit else { return nil }
        if let next = try Self.next(after: moment.version, in: space, journal), next >= limit { return nil }
        guard try journal.version(of: space, at: .newest) > moment.version else { return nil }
        return try PastContent(
            of: space, at: .moment(Moment(version: moment.version, common: recorded)), journal)
    }

    /// Returns a moment, with the version of `common` of the next commit of the space if it had an earlier one: a space
    /// never shows a version with a later one.
    static func shown(_ moment: Moment, in space: SpaceName, _ journal: any Journal) throws(PastRefusal) -> Moment {
        guard space != .common, let next = try next(after: moment.version, in: space, journal) else { return moment }
        return Moment(version: moment.version, common: min(moment.common, next))
    }

    /// Returns the version of `common` of the next commit of a space; nil if there is none, or it is not kept.
    private static func next(
        after version: Int, in space: SpaceName, _ journal: any Journal
    ) throws(PastRefusal) -> Int? {
        let history = try journal.reading { () throws(JournalFailure) in
            try journal.read(space, after: version, limit: 1)
        }
        guard case .commits(let records) = history else { return nil }
        return records.first?.common
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

/// The state of a space as of a version, and the head of its commit; the head is nil before the first.
package typealias PastVersion = (content: StoredSpace, head: CommitHead?)

/// Reads of the journal for the past.
extension Journal {
    /// Runs a read, and turns its failure into a refusal.
    func reading<Value>(_ body: () throws(JournalFailure) -> Value) throws(PastRefusal) -> Value {
        do throws(JournalFailure) {
            return try body()
        } catch {
            throw .journal(error)
        }
    }

    /// Returns the state of a space as of a version.
    package func state(of space: SpaceName, at version: Int) throws(PastRefusal) -> PastVersion {
        switch try reading({ () throws(JournalFailure) in try load(space, at: version) }) {
        case .state(let content, let head): return (content, head)
        case .gone(let oldest): throw .gone(space, oldest: oldest)
        case .future(let newest): throw .future(space, newest: newest)
        }
    }

    /// The oldest version of a space whose state is kept.
    package func oldestVersion(of space: SpaceName) throws(PastRefusal) -> Int {
        switch try reading({ () throws(JournalFailure) in try load(space, at: 0) }) {
        case .state: return 0
        case .gone(let oldest): return oldest
        case .future(let newest): return newest
        }
    }

    /// Returns the version of a space that a point means.
    package func version(of space: SpaceName, at point: PastPoint) throws(PastRefusal) -> Int {
        switch point {
        case .version(let version): return version
        case .moment(let moment): return space == .common ? moment.common : moment.version
        case .time(let time):
            if let version = try reading({ () throws(JournalFailure) in try version(of: space, at: time) }) {
                return version
            }
            throw .gone(space, oldest: try oldestVersion(of: space))
        case .newest:
            switch try reading({ () throws(JournalFailure) in try load(space, at: .max) }) {
            case .state(let content, _): return content.version
            case .gone(let oldest): return oldest
            case .future(let newest): return newest
            }
        }
    }
}
