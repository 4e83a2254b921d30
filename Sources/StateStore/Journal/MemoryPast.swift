import Platform
import Ground
import JSON

/// Reads of the past and of all spaces.
extension MemoryJournal {
    /// Loads the content of a space as of a version.
    package func load(_ space: SpaceName, at version: Int) throws(JournalFailure) -> PastState {
        content.with { content in
            let entry = content.spaces[space]
            let newest = entry?.version ?? 0
            guard version <= newest else { return .future(newest: newest) }
            guard let entry else { return .state(StoredSpace(version: 0, facts: []), nil) }
            guard version >= entry.oldest else { return .gone(oldest: entry.oldest) }
            var state = entry.base
            var head = entry.dropped?.record.head
            for place in 0..<(version - entry.oldest) {
                let record = entry.commits[place].record
                state.take(record.facts)
                head = record.head
            }
            return .state(StoredSpace(version: version, facts: state.facts), head)
        }
    }

    /// Returns the last version of a space that was made at or before `time`.
    package func version(of space: SpaceName, at time: Timestamp) throws(JournalFailure) -> Int? {
        content.with { content in
            guard let entry = content.spaces[space] else { return 0 }
            if let record = entry.lastCommit(where: { $0.at <= time }) { return record.version }
            guard let dropped = entry.dropped?.record else { return 0 }
            return dropped.at <= time ? dropped.version : nil
        }
    }

    /// Returns the heads of commits of a space.
    package func heads(of space: SpaceName, after version: Int, limit: Int) throws(JournalFailure) -> [CommitHead] {
        content.with { content in
            guard let entry = content.spaces[space] else { return [] }
            return entry.commits.some(after: max(0, version - entry.oldest), limit: limit).map(\.record.head)
        }
    }

    /// Returns the last commit that changed a variable or an entry.
    package func lastChange(
        of variable: String, entry: String?, in space: SpaceName, upTo version: Int
    ) throws(JournalFailure) -> CommitHead? {
        let (variable, key) = (CodeUnits(variable), entry.map { CodeUnits($0) })
        return content.with { content in
            content.spaces[space]?.lastCommit { record in
                record.version <= version
                    && record.facts.contains { fact in
                        guard CodeUnits(fact.variable) == variable else { return false }
                        guard let key, let changed = fact.entry else { return true }
                        return CodeUnits(changed) == key
                    }
            }?.head
        }
    }

    /// Returns the spaces whose alarm is at `time` or before.
    package func alarms(upTo time: Timestamp, limit: Int) throws(JournalFailure) -> [SpaceAlarm] {
        content.with { content in
            let due = content.spaces.values.compactMap { entry -> SpaceAlarm? in
                guard let at = entry.alarm, at <= time else { return nil }
                return SpaceAlarm(space: entry.name, at: at)
            }
            return Array(due.sorted { ($0.at, $0.space) < ($1.at, $1.space) }.prefix(limit))
        }
    }

    /// Returns the names of the spaces after `name` that have no alarm up to `time`.
    package func spaces(
        after name: SpaceName?, limit: Int, alarmedAfter time: Timestamp
    ) throws(JournalFailure) -> [SpaceName] {
        let names = try spaces(after: name, limit: .max).map(\.name)
        return content.with { content in
            let spaces = content.spaces
            return Array(names.lazy.filter { spaces[$0]?.alarm.map { $0 > time } ?? true }.prefix(limit))
        }
    }

    /// Returns commits and deletions of all spaces after a cursor.
    package func readAll(after cursor: JournalCursor?, limit: Int) throws(JournalFailure) -> AllCommits {
        content.with { content in
            let cursor = cursor ?? JournalCursor(place: 0, begun: content.newestPlace)
            guard !content.lacks(cursor) else {
                return .gone(oldest: JournalCursor(place: 0, begun: content.newestPlace))
            }
            var found: [AllCommits.Row] = []
            func add(_ place: Int, _ event: AllCommits.JournalEvent) {
                found.append(AllCommits.Row(cursor: JournalCursor(place: place, begun: cursor.begun), event: event))
            }
            for entry in content.spaces.values {
                // One more than can be answered says that there are more.
                for place in entry.commits.places(after: cursor.place).prefix(limit + 1) {
                    add(entry.commits[place].place, .commit(entry.commits[place].record))
                }
            }
            for deletion in content.deletions where deletion.place > cursor.place {
                add(deletion.place, .forgotten(deletion.space))
            }
            found.sort { $0.cursor.place < $1.cursor.place }
            let rows = Array(found.prefix(limit))
            return .rows(rows, end: rows.last?.cursor ?? cursor, isWhole: rows.count == found.count)
        }
    }
}

extension MemoryJournal.StoredSpaces {
    /// Returns true if a commit or a deletion after the cursor was dropped since its reader began, or if the cursor is
    /// not of this journal.
    fileprivate func lacks(_ cursor: JournalCursor) -> Bool {
        if cursor.isForeign || cursor.place > newestPlace || cursor.begun > newestPlace { return true }
        // A deletion is dropped when the newest one is stored.
        if droppedDeletion > cursor.place, let newest = deletions.last, newest.place > cursor.begun { return true }
        // A commit is dropped when the newest one of its space is stored.
        return spaces.values.contains { entry in
            guard let dropped = entry.dropped, dropped.place > cursor.place else { return false }
            return entry.newestPlace > cursor.begun
        }
    }
}

extension MemoryJournal.SpaceEntry {
    /// The version after which commits are stored.
    fileprivate var oldest: Int { version - commits.count }

    /// The place of the newest commit.
    fileprivate var newestPlace: Int {
        commits.count > 0 ? commits[commits.count - 1].place : dropped?.place ?? 0
    }

    fileprivate func lastCommit(where matches: (CommitRecord) -> Bool) -> CommitRecord? {
        for place in (0..<commits.count).reversed() where matches(commits[place].record) {
            return commits[place].record
        }
        return nil
    }
}

extension RingBuffer<MemoryJournal.PlacedCommit> {
    /// The indices of the commits whose place is after `place`.
    fileprivate func places(after place: Int) -> Range<Int> {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].place <= place { low = middle + 1 } else { high = middle }
        }
        return low..<count
    }
}
