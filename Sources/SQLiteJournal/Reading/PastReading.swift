internal import StateStore

/// Reads of past versions.
extension JournalReader {
    /// The version from which the states of a space can be read.
    private func oldestState(_ head: SpaceHead, _ history: Int) -> Int {
        max(head.oldestState, head.version - history)
    }

    /// The version after which the commits of a space can be read.
    func oldestCommit(_ head: SpaceHead, _ history: Int) -> Int {
        max(head.oldest, head.version - history)
    }

    /// Loads the content of a space as of a version.
    func load(_ space: SpaceName, at version: Int, history: Int) throws(JournalFailure) -> PastState {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            let head = try head(of: space)
            let newest = head?.version ?? 0
            guard version <= newest else { return .future(newest: newest) }
            guard let head else { return .state(StoredSpace(version: 0, facts: []), nil) }
            let oldest = oldestState(head, history)
            guard version >= oldest else { return .gone(oldest: oldest) }
            guard version > 0 else { return .state(StoredSpace(version: 0, facts: []), nil) }
            var facts: [Fact] = []
            if version < head.past {
                // The commits of a journal of an older program.
                var net = SnapshotDelta()
                try collect(space, id: head.id, after: 0, upTo: version, into: &net)
                facts = try apply(net, to: [], of: space)
            } else if version < head.snapshot || version == head.snapshot && version < head.version {
                // Rows of the next commit can be in `state` before the snapshot has moved.
                facts = try past.facts(of: space, id: head.id, at: version).map(\.fact)
            } else {
                try eachFact(of: space, id: head.id) { fact throws(JournalFailure) in facts.append(fact) }
                var net = SnapshotDelta()
                try collect(space, id: head.id, after: head.snapshot, upTo: version, into: &net)
                facts = try apply(net, to: facts, of: space)
            }
            return .state(
                StoredSpace(version: version, facts: facts),
                try commitHead(of: space, id: head.id, at: version))
        }
    }

    /// The rows of the oldest state of a space that can be read.
    func oldestRows(of space: SpaceName, _ head: SpaceHead) throws(JournalFailure) -> [StateRow] {
        try past.facts(of: space, id: head.id, at: max(head.oldest, head.past))
    }

    /// Adds the commits between two versions to a delta.
    private func collect(
        _ space: SpaceName, id: Int, after start: Int, upTo version: Int, into net: inout SnapshotDelta
    ) throws(JournalFailure) {
        guard version > start else { return }
        var reached = start
        try eachRun(of: space, id: id, after: start) { run throws(JournalFailure) in
            if run.last <= version, let facts = try run.finalValues() {
                try add(facts, to: &net, of: space)
            } else {
                for commit in try run.commits() where commit.version > start && commit.version <= version {
                    try add(try run.facts(commit), to: &net, of: space)
                }
            }
            reached = run.last
            return reached < version
        }
        guard reached >= version else {
            throw .damaged(connection.path, "commits of the space \(space) after \(reached) are missing")
        }
    }

    /// The head of a commit; nil if it is not stored.
    func commitHead(of space: SpaceName, id: Int, at version: Int) throws(JournalFailure) -> CommitHead? {
        guard let run = try run(of: space, id: id, with: version) else { return nil }
        for commit in try run.commits() where commit.version == version { return try run.head(commit) }
        return nil
    }

    /// A commit without its facts, as an export has it; nil if it is not stored.
    func commit(of space: SpaceName, id: Int, at version: Int) throws(JournalFailure) -> CommitRecord? {
        guard let head = try commitHead(of: space, id: id, at: version) else { return nil }
        return CommitRecord(
            space: space, version: head.version, at: head.at, action: head.action, input: nil, facts: [],
            common: head.common, by: head.by)
    }

    /// Returns the last version that was made at or before `time`, 0 before the first; nil if that is not known.
    /// Searches by halves, because the times of the commits of a space do not go back.
    func version(of space: SpaceName, at time: Timestamp, history: Int) throws(JournalFailure) -> Int? {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            guard let head = try head(of: space) else { return 0 }
            let oldest = oldestCommit(head, history)
            var (low, high) = (oldest, head.version)
            while low < high {
                let middle = (low + high + 1) / 2
                guard let run = try run(of: space, id: head.id, with: middle) else {
                    throw .damaged(connection.path, "commit \(middle) of the space \(space) is missing")
                }
                let commits = try run.commits().filter { $0.version > oldest }
                if let last = commits.last(where: { $0.time <= time }) {
                    low = last.version
                    if last.version < run.last { return last.version }
                } else {
                    high = (commits.first?.version ?? middle) - 1
                }
            }
            if low > oldest || oldest == 0 { return low }
            let first = try commitHead(of: space, id: head.id, at: oldest)
            return first.map { $0.at <= time } ?? false ? oldest : nil
        }
    }

    /// The heads of the commits of a space after a version, at most `limit` of them.
    func heads(
        of space: SpaceName, after version: Int, limit: Int, history: Int
    ) throws(JournalFailure) -> [CommitHead] {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            guard limit > 0, let head = try head(of: space) else { return [] }
            let start = max(version, oldestCommit(head, history))
            var heads: [CommitHead] = []
            try eachRun(of: space, id: head.id, after: start) { run throws(JournalFailure) in
                for commit in try run.commits() where commit.version > start {
                    heads.append(try run.head(commit))
                    if heads.count == limit { return false }
                }
                return true
            }
            return heads
        }
    }

    /// Returns the time of the commit that was appended last; nil if there is none, or if its space was deleted.
    func newestTime() throws(JournalFailure) -> Timestamp? {
        let newest = try Statement(
            connection,
            "SELECT \(CommitBatch.columns), (SELECT name FROM spaces WHERE id = space) FROM runs ORDER BY seq DESC LIMIT 1"
        )
        guard try newest.step(), !newest.isNull(7), let name = SpaceName(newest.text(7)) else { return nil }
        let run = try CommitBatch(newest, of: name, at: connection.path)
        return try run.commits().last.map { commit throws(JournalFailure) in try run.head(commit).at }
    }

    /// Returns the last commit up to `version` that changed a variable or an entry.
    func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int, history: Int
    ) throws(JournalFailure) -> CommitHead? {
        try connection.transaction("DEFERRED") { () throws(JournalFailure) in
            guard let head = try head(of: space) else { return nil }
            var found = try lastChange(of: variable, entry, space, head, after: head.snapshot, upTo: version)
            if found == nil {
                found = try past.lastChange(
                    of: variable, entry: entry, id: head.id, upTo: min(version, head.snapshot))
            }
            // The commits before the snapshot of an older program have no index.
            if found == nil, head.past > head.oldest {
                found = try lastChange(
                    of: variable, entry, space, head, after: head.oldest, upTo: min(version, head.past))
            }
            guard let found, found > oldestCommit(head, history) else { return nil }
            return try commitHead(of: space, id: head.id, at: found)
        }
    }

    /// The last version between two versions that changed a variable or an entry, from the commits themselves.
    private func lastChange(
        of variable: String, _ entry: String?, _ space: SpaceName, _ head: SpaceHead, after start: Int,
        upTo version: Int
    ) throws(JournalFailure) -> Int? {
        guard version > start else { return nil }
        let (variable, key) = (ByteString(variable), entry.map { ByteString($0) })
        var last: Int?
        try eachRun(of: space, id: head.id, after: start) { run throws(JournalFailure) in
            for commit in try run.commits() where commit.version > start && commit.version <= version {
                for fact in try run.facts(commit) where ByteString(fact.variable) == variable {
                    guard let key, let changed = fact.entry, ByteString(changed) != key else {
                        last = commit.version
                        continue
                    }
                }
            }
            return run.last < version
        }
        return last
    }

    /// The spaces whose alarm is at `time` or before, in the order of the alarms. A row that is not as it was written
    /// wakes no space, and does not keep the others asleep; `check` reports it.
    func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        var alarms: [SpaceAlarm] = []
        dueAlarms.bind(.integer(Int(time.microseconds)))
        defer { dueAlarms.reset() }
        while alarms.count < limit, try dueAlarms.step() {
            let at = dueAlarms.integer(2)
            guard let name = SpaceName(dueAlarms.text(0)),
                dueAlarms.isNull(3) || dueAlarms.integer(3) == SpaceHead.sum(ofAlarm: at, of: dueAlarms.integer(1))
            else { continue }
            alarms.append(SpaceAlarm(space: name, at: Timestamp(microseconds: Int64(at))))
        }
        return alarms
    }

    /// The names of the spaces after `name` that have no alarm up to `time`, at most `limit`.
    func spaces(
        after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp
    ) throws(JournalFailure) -> [SpaceName] {
        var spaces: [SpaceName] = []
        // No name is empty.
        withoutAlarm.bind(
            .text(name?.description ?? ""), .integer(limit), .integer(Int(time.microseconds)))
        defer { withoutAlarm.reset() }
        while try withoutAlarm.step() {
            guard let name = SpaceName(withoutAlarm.text(0)) else {
                throw .damaged(connection.path, "a space is named \(withoutAlarm.text(0))")
            }
            spaces.append(name)
        }
        return spaces
    }
}
