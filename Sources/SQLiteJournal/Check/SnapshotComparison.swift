internal import StateStore

/// The comparison of a space's snapshot and past with its commits. The oldest state that can be read and the commits
/// after it must produce exactly the rows of `state`, `past` and `touches`.
struct SnapshotComparison {
    private let space: SpaceName
    private let head: SpaceHead
    /// The version of the oldest state that can be read.
    private let start: Int
    private let oldestRows: [ByteString: [StateRow]]
    private var advance = SnapshotAdvance()
    /// The same with the commit after the snapshot, of which some rows can be written already.
    private var next: SnapshotAdvance?
    /// The net change of the commits before `start`, which an older program left. Applied to a state that they have
    /// made, it changes nothing.
    private var earlier = SnapshotDelta()

    init(_ space: SpaceName, _ head: SpaceHead, _ oldestRows: [StateRow]) {
        self.space = space
        self.head = head
        start = max(head.oldest, head.past)
        self.oldestRows = Dictionary(grouping: oldestRows) { ByteString($0.fact.variable) }
    }

    /// Takes the next commit after `oldest`.
    mutating func add(_ record: CommitRecord, _ reader: JournalReader) throws(JournalFailure) {
        guard record.version <= head.snapshot + 1 else { return }
        guard record.version > start else { return try reader.add(record.facts, to: &earlier, of: space) }
        var reached = advance
        let rows = oldestRows
        if record.version <= head.snapshot { advance = SnapshotAdvance() }
        let problem = try reached.add(record.facts, of: record.version) { variable, entry throws(JournalFailure) in
            let known = rows[ByteString(variable)] ?? []
            return entry.map { entry in known.filter { $0.entry == entry } } ?? known
        }
        if let problem { throw reader.entryless(space, problem) }
        if record.version <= head.snapshot { advance = reached } else { next = reached }
    }

    private struct RowPlace: Hashable {
        let variable: ByteString
        let entry: [UInt8]

        var text: String { variable.text + (entry.isEmpty ? "" : " " + String(decoding: entry, as: UTF8.self)) }
    }

    /// Compares the rows with those of the commits.
    func end(_ reader: JournalReader, _ report: inout CheckReport) throws(JournalFailure) {
        try compareSnapshot(reader, &report)
        try comparePast(reader, &report)
        var touches = Set(advance.touches)
        try reader.past.eachTouch(of: head.id) { variable, version throws(JournalFailure) in
            let touch = SnapshotAdvance.Touch(variable: ByteString(variable), version: version)
            if touches.remove(touch) == nil, version > start {
                report.add("The change of \(variable) by commit \(version) of the space \(space) comes from no commit")
            }
        }
        for touch in touches {
            report.add(
                "The change of \(touch.variable.text) by commit \(touch.version) of the space \(space) is missing")
        }
    }

    private typealias Rows = [RowPlace: SnapshotAdvance.SinceValue]

    /// Returns rows after an advance.
    private func rows(_ rows: Rows, after advance: SnapshotAdvance) throws(JournalFailure) -> Rows {
        var rows = rows
        try advance.eachChange { variable, entry, value throws(JournalFailure) in
            rows[RowPlace(variable: ByteString(variable), entry: entry)] = value
        }
        return rows
    }

    private func compareSnapshot(_ reader: JournalReader, _ report: inout CheckReport) throws(JournalFailure) {
        var expected: Rows = [:]
        for (variable, rows) in oldestRows {
            for row in rows {
                expected[RowPlace(variable: variable, entry: row.entry)] = SnapshotAdvance.SinceValue(
                    value: row.fact.value ?? FactsText.null, since: row.since)
            }
        }
        let oldestFacts = oldestRows.values.flatMap { $0 }.map(\.fact)
        // All commits of a space make exactly its state.
        var unmade = head.oldest == 0 ? Set(expected.keys) : []
        for fact in try reader.apply(earlier, to: head.oldest == 0 ? [] : oldestFacts, of: space) {
            let place = RowPlace(variable: ByteString(fact.variable), entry: StateRow.entry(fact.entry))
            unmade.remove(place)
            if expected[place]?.value != fact.value {
                report.add("\(place.text) in the snapshot of the space \(space) differs from its commits")
            }
        }
        for place in unmade {
            report.add("\(place.text) in the snapshot of the space \(space) comes from no commit")
        }
        let later = try next.map { next throws(JournalFailure) in try rows(expected, after: next) }
        expected = try rows(expected, after: advance)
        try reader.eachRow(of: space, id: head.id) { row throws(JournalFailure) in
            let place = RowPlace(variable: ByteString(row.fact.variable), entry: row.entry)
            if let next = later?[place], next.value == row.fact.value, next.since == row.since {
                expected[place] = nil
                return
            }
            guard let value = expected.removeValue(forKey: place) else {
                return report.add("\(place.text) in the snapshot of the space \(space) comes from no commit")
            }
            guard value.value == row.fact.value, value.since == row.since else {
                return report.add("\(place.text) in the snapshot of the space \(space) differs from its commits")
            }
        }
        for place in expected.keys where later == nil || later?[place] != nil {
            report.add("\(place.text) in the snapshot of the space \(space) differs from its commits")
        }
    }

    private func comparePast(_ reader: JournalReader, _ report: inout CheckReport) throws(JournalFailure) {
        var expected: [EndedPlace: SnapshotAdvance.SinceValue] = [:]
        for row in advance.ended {
            expected[EndedPlace(RowPlace(variable: row.variable, entry: row.entry), row.until)] = row.value
        }
        var later: [EndedPlace: SnapshotAdvance.SinceValue] = [:]
        for row in next?.ended ?? [] where row.until > head.snapshot {
            later[EndedPlace(RowPlace(variable: row.variable, entry: row.entry), row.until)] = row.value
        }
        try reader.past.eachEnded(of: space, id: head.id) { row, until throws(JournalFailure) in
            // The maintenance has not removed the row yet.
            guard until > start else { return }
            let place = EndedPlace(RowPlace(variable: ByteString(row.fact.variable), entry: row.entry), until)
            guard let value = expected.removeValue(forKey: place) ?? later[place] else {
                return report.add("\(place.text) of the space \(space) comes from no commit")
            }
            guard value.value == row.fact.value, value.since == row.since else {
                return report.add("\(place.text) of the space \(space) differs from its commits")
            }
        }
        for place in expected.keys { report.add("\(place.text) of the space \(space) is missing") }
    }

    private struct EndedPlace: Hashable {
        let place: RowPlace
        let until: Int

        init(_ place: RowPlace, _ until: Int) {
            self.place = place
            self.until = until
        }

        var text: String { "\(place.text) up to version \(until)" }
    }
}
