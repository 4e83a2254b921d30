internal import StateStore

/// A space made anew of its readable rows, and of a backup.
///
/// It begins with the oldest state and goes on with the commits. The commit of a version that is lost is made of the
/// rows of `state` and `past`, which know what each version has changed. Behind the snapshot nobody knows that; then
/// the version changes nothing.
struct SpaceRebuild {
    /// The action of a commit that stands for a lost one.
    static let action = "space/repair"
    /// The number of lost versions that need no explanation by rows.
    private static let gapLimit = 10_000

    let space: SpaceName
    private let content: SalvagedSpace
    private let backup: BackupSource.BackupContent?
    private let path: String
    /// True if rows of the snapshot may be missing.
    private let lacksRows: Bool
    private let commits: [Int: CommitRecord]
    private(set) var losses: [RepairReport.Loss]

    /// `lacksPages` is true if the file has lost rows whose space is not known.
    init(
        _ space: SpaceName, _ content: SalvagedSpace, _ backup: BackupSource.BackupContent?, lacksPages: Bool,
        at path: String
    ) {
        self.space = space
        self.path = path
        lacksRows = content.lacksRows || lacksPages
        losses = content.losses.map { loss in
            RepairReport.Loss(
                space: space, table: loss.table, versions: loss.versions, key: loss.key, reason: loss.reason)
        }
        self.content = Self.withoutEnded(content)
        var commits: [Int: CommitRecord] = [:]
        for record in Self.records(content.runs, of: space, at: path) { commits[record.version] = record }
        // Pages that are no longer used have commits that the history has dropped, too.
        let floor = content.head?.oldest ?? commits.keys.min() ?? 0
        for record in Self.records(content.unusedRuns, of: space, at: path)
        where record.version > floor && commits[record.version] == nil {
            commits[record.version] = record
        }
        if let backup, Self.fits(backup, commits, content) {
            self.backup = backup
            commits.merge(backup.commits) { own, _ in own }
        } else {
            self.backup = nil
        }
        self.commits = commits
    }

    private static func records(
        _ runs: [SalvagedSpace.Run], of space: SpaceName, at path: String
    ) -> [CommitRecord] {
        var records: [CommitRecord] = []
        for run in runs {
            guard let batch = try? run.batch(of: space, at: path), let texts = try? batch.commits() else { continue }
            for text in texts { if let record = try? batch.record(text) { records.append(record) } }
        }
        return records
    }

    /// True if a backup has earlier versions of the same space.
    private static func fits(
        _ backup: BackupSource.BackupContent, _ commits: [Int: CommitRecord], _ content: SalvagedSpace
    ) -> Bool {
        let common = backup.commits.filter { commits[$0.key] != nil }
        return common.isEmpty
            ? content.head.map { $0.id == backup.id } ?? true
            : common.allSatisfy { $0.value.at == commits[$0.key]?.at && $0.value.action == commits[$0.key]?.action }
    }

    /// Leaves out rows of `state` that an older page has: a newer row of the same place is there, or `past` knows its
    /// end.
    private static func withoutEnded(_ content: SalvagedSpace) -> SalvagedSpace {
        var ends: [SalvagedSpace.ValueKey: Int] = [:]
        for row in content.past { ends[row.key] = max(ends[row.key] ?? 0, row.until ?? 0) }
        var newest: [SalvagedSpace.ValueKey: SalvagedSpace.ValueRow] = [:]
        for row in content.state where ends[row.key] ?? 0 <= row.since ?? 0 {
            if let other = newest[row.key], other.since ?? 0 > row.since ?? 0 { continue }
            newest[row.key] = row
        }
        var result = content
        result.state = Array(newest.values)
        return result
    }

    // MARK: Versions

    /// The newest version that the rows of `state` and `past` know. Each commit has set a row or ended one.
    private var snapshot: Int {
        let known = max(
            content.state.compactMap(\.since).max() ?? 0, content.past.compactMap(\.until).max() ?? 0)
        // Rows of an older program do not have it. The row of `spaces` does, without a sum.
        guard content.state.contains(where: { $0.since == nil }), let stored = content.head?.snapshot,
            stored <= commits.keys.max() ?? stored
        else { return known }
        return max(known, stored)
    }

    /// The version at which the space begins, 0 for its whole history. The row of `spaces` has it without a sum, so it
    /// counts where it fits the commits.
    private var start: Int {
        guard let first = commits.keys.min(), let newest = commits.keys.max() else { return snapshot }
        if first == 1 { return 0 }
        guard let head = content.head else { return first }
        let oldest = head.oldest == 0 ? 0 : max(head.oldest, head.past)
        let lacksCommits = content.losses.contains { $0.table == "runs" } || lacksRows
        let isPlausible = oldest <= newest && (oldest + 1 >= first || lacksCommits)
        return isPlausible ? max(0, oldest) : first
    }

    /// The state at a version up to the snapshot, as far as its rows are readable.
    private func known(at version: Int) -> RebuiltState {
        var state = RebuiltState()
        for row in content.past {
            guard let until = row.until, until > version, row.since ?? 0 <= version, row.since != until else {
                continue
            }
            state.set(row.key, RebuiltState.Value(value: row.value, since: row.since))
        }
        for row in content.state where row.since ?? 0 <= version {
            state.set(row.key, RebuiltState.Value(value: row.value, since: row.since))
        }
        return state
    }

    /// The state at the begin, with the rows of the backup where the own are lost.
    private mutating func begin(at version: Int) -> RebuiltState {
        var state = known(at: version)
        guard lacksRows, version > 0 else { return state }
        guard let backup else {
            // A damaged page does not say whose rows it had.
            losses.append(
                RepairReport.Loss(
                    space: space, table: "state", versions: version...version, key: nil,
                    reason: "the oldest state may lack values that no later commit sets"))
            return state
        }
        // The backup's own begin and the commits up to this version make the state.
        if backup.hasOldestState, backup.oldest <= version,
            (backup.oldest..<version).allSatisfy({ commits[$0 + 1] != nil })
        {
            var exact = backup.oldestState
            for next in stride(from: backup.oldest + 1, through: version, by: 1) {
                if let commit = commits[next] { exact.apply(commit.facts, of: next) }
            }
            return exact
        }
        for (variable, rows) in backup.newestState.variables {
            for (entry, value) in rows {
                let key = SalvagedSpace.ValueKey(variable: variable, entry: entry)
                guard state[key] == nil, !content.past.contains(where: { $0.key == key && $0.until ?? 0 <= version })
                else { continue }
                state.set(key, value)
                losses.append(
                    RepairReport.Loss(
                        space: space, table: "state", versions: backup.newest...backup.newest, key: key.text,
                        reason: "the value is that of the backup"))
            }
        }
        return state
    }

    // MARK: Lines

    /// Calls `write` with the lines of the space.
    mutating func run(_ write: (ExportRecord) throws(JournalFailure) -> Void) throws(JournalFailure) {
        let snapshot = snapshot
        let end = max(commits.keys.max() ?? 0, snapshot)
        // Each commit has left a row of its own, so a space has no longer gap than its rows explain.
        let explained = 4 * (commits.count + content.state.count + content.past.count) + Self.gapLimit
        let start = max(start, end - explained)
        var state = start == 0 ? RebuiltState() : begin(at: start)
        guard end > 0 else { return }
        // A version that changes nothing cannot be a commit of an empty state: then the space begins after it.
        var first = start
        var records: [CommitRecord] = []
        var baseState = state
        var last = commits[start]
        for version in stride(from: start + 1, through: end, by: 1) {
            if let commit = commits[version], !commit.facts.isEmpty {
                records.append(commit)
                state.apply(commit.facts, of: version)
                last = commit
                continue
            }
            let isKnown = version <= snapshot
            let made = isKnown ? state.facts(to: known(at: version), removes: !lacksRows) : []
            note(version, isKnown: isKnown)
            guard let facts = made.isEmpty ? state.repetition : made else {
                (first, baseState, records) = (version, state, [])
                continue
            }
            let record = CommitRecord(
                space: space, version: version, at: last?.at ?? Timestamp(microseconds: 0), action: Self.action,
                input: nil, facts: facts, common: last?.common ?? 0, by: "")
            records.append(record)
            state.apply(facts, of: version)
        }
        if first > 0 { try self.write(baseState, at: first, commits[first], write) }
        for record in records { try write(.commit(record)) }
        try writeRest(records, write)
    }

    private mutating func note(_ version: Int, isKnown: Bool) {
        let reason =
            isKnown
            ? "the commit is lost; its changes are those of the snapshot" : "the commit is lost, with its changes"
        if let last = losses.last, last.space == space, last.table == "runs", last.reason == reason,
            let versions = last.versions, versions.upperBound == version - 1
        {
            losses.removeLast()
            losses.append(
                RepairReport.Loss(
                    space: space, table: "runs", versions: versions.lowerBound...version, key: nil, reason: reason))
        } else {
            losses.append(
                RepairReport.Loss(space: space, table: "runs", versions: version...version, key: nil, reason: reason))
        }
    }

    private func write(
        _ state: RebuiltState, at version: Int, _ made: CommitRecord?,
        _ write: (ExportRecord) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        let head = made.map { made in
            CommitRecord(
                space: space, version: made.version, at: made.at, action: made.action, input: nil, facts: [],
                common: made.common, by: made.by)
        }
        var lines = BaseLines(space, version: version, oldest: version, made: head)
        for row in state.rows {
            // A row from the rows of a lost version can name a later one.
            let since = row.since.flatMap { (1...version).contains($0) ? $0 : nil }
            try lines.add(row.fact, since: since, write)
        }
        try lines.flush(write)
    }

    private func writeRest(
        _ records: [CommitRecord], _ write: (ExportRecord) throws(JournalFailure) -> Void
    ) throws(JournalFailure) {
        var written: [ByteString: Int] = [:]
        for record in records {
            if let idempotency = record.idempotency { written[ByteString(idempotency.key)] = record.version }
        }
        var keys: Set<ByteString> = []
        let rows =
            content.answers.compactMap { answer in
                try? AnswerRow(
                    key: answer.key, fingerprint: answer.fingerprint, version: answer.version, changed: answer.changed,
                    at: answer.at, sum: answer.sum, of: space, in: path)
            } + (backup?.answers ?? [])
        for row in rows where keys.insert(ByteString(row.key)).inserted {
            if written[ByteString(row.key)] != row.answer.version || !row.answer.result.isEmpty {
                try write(.answer(space: space, row))
            }
        }
        if let alarm = content.alarm ?? (lacksRows ? backup?.alarm : nil) {
            try write(.alarm(space: space, Timestamp(microseconds: Int64(alarm))))
        }
        if content.hasWork || lacksRows && backup?.hasWork ?? false { try write(.work(space: space)) }
    }
}
