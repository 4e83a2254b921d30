internal import JSON
public import StateStore

extension SQLiteJournal {
    /// Looks at everything in a directory, and changes nothing: the file itself, the sum of every row, that commits follow one another without a gap,
    /// and that each snapshot is what its commits make.
    public static func check(_ directory: String) throws(JournalFailure) -> Report {
        var report = Report()
        do {
            if let damage = try SyncMark.damage(in: Home(directory: directory)) { report.add(damage.description) }
            let connection = try inspect(directory)
            try connection.transaction("DEFERRED") { () throws(JournalFailure) in try check(connection, &report) }
        } catch {
            guard error.kind == .damaged else { throw error }
            report.add(error.description)
        }
        return report
    }

    private static func check(_ connection: Connection, _ report: inout Report) throws(JournalFailure) {
        let integrity = try Statement(connection, "PRAGMA integrity_check(\(Report.problemsLimit))")
        while try integrity.step() {
            let words = integrity.text(0)
            if words != "ok" { report.add("\(connection.path): \(words)") }
        }
        for table in ["runs", "state", "answers", "work"] {
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
        let reader = try Reader(connection)
        var spaces: [Int: (name: SpaceName, version: Int)] = [:]
        var newest: [Int: Int] = [:]
        func note(_ run: Run.Predecessor?) {
            if let run { newest[run.space] = max(newest[run.space] ?? 0, run.last) }
        }
        note(try Register.newestRunAtEnd(on: connection))
        try reader.eachSpace { space, head throws(JournalFailure) in
            report.spaces += 1
            spaces[head.id] = (space, head.version)
            do throws(JournalFailure) {
                try check(space, head, reader, &report) { run in note(run.predecessor) }
            } catch {
                // One damaged space says nothing of the next.
                guard error.kind == .damaged else { throw error }
                report.add(error.description)
            }
        }
        for (id, space) in spaces.sorted(by: { $0.key < $1.key }) {
            guard let last = newest[id], last > space.version else { continue }
            report.add("The newest commits of the space \(space.name) are missing: it is at \(space.version) and was at \(last)")
        }
    }

    /// Compares the name of each space with the sum of its row. Rows of an older program have no sum before their next snapshot.
    private static func checkNames(_ connection: Connection, _ report: inout Report) throws(JournalFailure) {
        let rows = try Statement(connection, "SELECT id, name, sum FROM spaces WHERE sum IS NOT NULL")
        while try rows.step() {
            guard rows.integer(2) != Head.sum(rows.integer(0), rows.text(1)) else { continue }
            report.add("The row of the space \(rows.text(1)) in spaces is not as it was written: it had another name")
        }
    }

    private static func check(
        _ space: SpaceName, _ head: Head, _ reader: Reader, _ report: inout Report, _ note: (Run) -> Void
    ) throws(JournalFailure) {
        guard head.oldest <= head.snapshot, head.snapshot <= head.version else {
            report.add("The snapshot of the space \(space) is at \(head.snapshot), its commits go from \(head.oldest) to \(head.version)")
            return
        }
        try reader.eachAnswer(of: space, id: head.id) { _ throws(JournalFailure) in report.answers += 1 }
        var net = Net()
        var last = head.oldest
        try reader.eachRun(of: space, id: head.id, after: head.oldest) { run throws(JournalFailure) in
            note(run)
            let leavings = try run.leavings()
            var made = Net()
            for commit in try run.commits() {
                let record = try run.record(commit)
                if leavings != nil { try reader.add(record.facts, to: &made, of: space) }
                guard record.version > head.oldest else { continue }
                report.commits += 1
                last = record.version
                if record.version <= head.snapshot { try reader.add(record.facts, to: &net, of: space) }
            }
            if let leavings, truth(try reader.apply(made, to: [], of: space)) != truth(leavings) {
                report.add("What the commits \(run.first) to \(run.last) of the space \(space) are said to leave is not what they do")
            }
            return true
        }
        if last < head.snapshot { report.add("Commits of the space \(space) after \(last) are missing") }
        var rows: [Fact] = []
        try reader.eachFact(of: space, id: head.id) { fact throws(JournalFailure) in rows.append(fact) }
        // With all commits there is nothing else in the snapshot; with some, repeating them must change nothing.
        let replayed = try reader.apply(net, to: head.oldest == 0 ? [] : rows, of: space)
        let kept = truth(rows)
        let expected = truth(replayed)
        for (name, value) in expected where kept[name] != value {
            report.add("\(name.text) in the snapshot of the space \(space) is not what its commits make of it")
        }
        for name in kept.keys where expected[name] == nil {
            report.add("\(name.text) in the snapshot of the space \(space) comes from no commit")
        }
    }

    private static func truth(_ facts: [Fact]) -> [Exact: [UInt8]] {
        var truth: [Exact: [UInt8]] = [:]
        for fact in facts { truth[Exact(fact.variable + " " + String(decoding: StateRow.entry(fact.entry), as: UTF8.self))] = fact.value }
        return truth
    }
}
