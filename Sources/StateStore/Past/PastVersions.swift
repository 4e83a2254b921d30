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
