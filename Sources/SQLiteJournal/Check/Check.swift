internal import JSON
package import StateStore

extension SQLiteJournal {
    /// Checks a directory without changing it: the file, the sum of every row, the order of commits without gaps, and
    /// each snapshot against its commits. Calls `progress` with the number of spaces so far and that of all spaces.
    package static func check(
        _ directory: String, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(JournalFailure) -> CheckReport {
        var report = CheckReport()
        do {
            if let damage = try SyncMark.damage(in: JournalDirectory(path: directory)) {
                report.add(damage.description)
            }
            report.add(check(try inspect(directory), progress))
        } catch {
            guard error.kind == .damaged else { throw error }
            report.add(error.description)
        }
        return report
    }

    /// Checks the database of a connection, in one read transaction.
    static func check(
        _ connection: DatabaseConnection, _ progress: (Int, Int) -> Void = { _, _ in }
    ) -> CheckReport {
        var report = CheckReport()
        do {
            try connection.transaction("DEFERRED") { () throws(JournalFailure) in
                try check(connection, progress, &report)
            }
        } catch {
            report.add(error.description)
        }
        return report
    }

    private static func check(
        _ connection: DatabaseConnection, _ progress: (Int, Int) -> Void, _ report: inout CheckReport
    ) throws(JournalFailure) {
        let integrity = try Statement(connection, "PRAGMA integrity_check(\(CheckReport.problemsLimit))")
        while try integrity.step() {
            let words = integrity.text(0)
            if words != "ok" { report.add("\(connection.path): \(words)") }
        }
        for table in ["runs", "state", "past", "touches", "alarms", "answers", "work"]
            + (try EntryAnswers.exist(on: connection) ? ["entry_answers"] : [])
        {
            let orphans = try connection.integer(
                """
                SELECT count(*) FROM \(table) WHERE space NOT IN (SELECT id FROM spaces) AND space NOT IN (SELECT space FROM forgotten)
                """)
            if orphans > 0 { report.add("\(orphans) rows of \(table) belong to no space") }
        }
        let epoch = try connection.integer("SELECT value FROM meta WHERE name = 'epoch'")
        let first = try connection.integer("SELECT ifnull(max(value), 0) FROM meta WHERE name = 'first'")
        if epoch < first { report.add("The epoch in meta is \(epoch), below the first, \(first)") }
        try checkNames(connection, &report)
        try checkSums(connection, &report)
        let reader = try JournalReader(connection)
        var spaces: [Int: (name: SpaceName, version: Int)] = [:]
        var newest: [Int: Int] = [:]
        func note(_ run: CommitBatch.Predecessor?) {
            if let run { newest[run.space] = max(newest[run.space] ?? 0, run.last) }
        }
        note(try EpochTable.newestRunAtEnd(on: connection))
        let total = try connection.integer("SELECT count(*) FROM spaces")
        try reader.eachSpace { space, head throws(JournalFailure) in
            progress(report.spaces, total)
            report.spaces += 1
            spaces[head.id] = (space, head.version)
            do throws(JournalFailure) {
                try check(space, head, reader, &report) { run in note(run.predecessor) }
            } catch {
                // The check goes on with the next space.
                guard error.kind == .damaged else { throw error }
                report.add(error.description)
            }
        }
        for (id, space) in spaces.sorted(by: { $0.key < $1.key }) {
            guard let last = newest[id], last > space.version else { continue }
            report.add(
                "The newest commits of the space \(space.name) are missing: it is at \(space.version) and was at \(last)"
            )
        }
    }

    /// Compares the name of each space with the sum of its row. Rows of an older program have no sum before their next
    /// snapshot.
    private static func checkNames(_ connection: DatabaseConnection, _ report: inout CheckReport) throws(JournalFailure)
    {
        let rows = try Statement(connection, "SELECT id, name, sum FROM spaces WHERE sum IS NOT NULL")
        while try rows.step() {
            guard rows.integer(2) != SpaceHead.sum(rows.integer(0), rows.text(1)) else { continue }
            report.add("The row of the space \(rows.text(1)) in spaces is not as it was written: it had another name")
        }
    }

    /// Checks the rows of a space, and its snapshot against its commits.
    static func check(
        _ space: SpaceName, _ head: SpaceHead, _ reader: JournalReader, _ report: inout CheckReport,
        _ note: (CommitBatch) -> Void
    ) throws(JournalFailure) {
        guard head.oldest <= head.snapshot, head.snapshot <= head.version else {
            report.add(
                "The snapshot of the space \(space) is at \(head.snapshot), its commits go from \(head.oldest) to \(head.version)"
            )
            return
        }
        try reader.eachAnswer(of: space, id: head.id) { _ throws(JournalFailure) in report.answers += 1 }
        var comparison = SnapshotComparison(space, head, try reader.oldestRows(of: space, head))
        if head.oldest > 0 { _ = try reader.commitHead(of: space, id: head.id, at: head.oldest) }
        var last = head.oldest
        try reader.eachRun(of: space, id: head.id, after: head.oldest) { run throws(JournalFailure) in
            note(run)
            let finalValues = try run.finalValues()
            var made = SnapshotDelta()
            for commit in try run.commits() {
                let record = try run.record(commit)
                if finalValues != nil { try reader.add(record.facts, to: &made, of: space) }
                guard record.version > head.oldest else { continue }
                report.commits += 1
                last = record.version
                try comparison.add(record, reader)
            }
            if let finalValues, Self.truth(try reader.apply(made, to: [], of: space)) != Self.truth(finalValues) {
                report.add(
                    "The final values of the commits \(run.first) to \(run.last) of the space \(space) are not those of its commits"
                )
            }
            return true
        }
        if last < head.snapshot { report.add("Commits of the space \(space) after \(last) are missing") }
        try comparison.end(reader, &report)
    }

    private static func truth(_ facts: [Fact]) -> [ByteString: [UInt8]] {
        var truth: [ByteString: [UInt8]] = [:]
        for fact in facts {
            truth[ByteString(fact.variable + " " + String(decoding: StateRow.entry(fact.entry), as: UTF8.self))] =
                fact.value
        }
        return truth
    }

    /// Checks the rows that belong to no single commit: the alarms and the deletions.
    private static func checkSums(
        _ connection: DatabaseConnection, _ report: inout CheckReport
    ) throws(JournalFailure) {
        let alarms = try Statement(connection, "SELECT space, at, sum FROM alarms WHERE sum IS NOT NULL")
        while try alarms.step() {
            let (space, at) = (alarms.integer(0), alarms.integer(1))
            guard alarms.integer(2) != SpaceHead.sum(ofAlarm: at, of: space) else { continue }
            report.add("The row of the space with the ID \(space) in alarms is not as it was written")
        }
        let deletions = try Statement(connection, "SELECT seq, space, sum FROM deletions WHERE sum IS NOT NULL")
        while try deletions.step() {
            let (seq, space) = (deletions.integer(0), deletions.text(1))
            guard deletions.integer(2) != SpaceHead.sum(seq, space) else { continue }
            report.add("The deletion of the space \(space) is not as it was written")
        }
    }
}
