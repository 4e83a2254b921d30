import StateStore
import Testing

extension JournalContract {
    static let following = [
        JournalContract("the commits of all spaces are read in order of keeping, from any of them on") { make in
            let journal = try make()
            #expect(try names(journal.readAll(after: nil, limit: 9)) == [])
            _ = try journal.append([.making(1), .making(1, of: .other), .making(2)])
            _ = try journal.append([.making(2, of: .other), .making(3)])
            let all = ["main 1", "main 2", "other 1", "other 2", "main 3"]
            let read = try names(journal.readAll(after: nil, limit: 9))
            #expect(read.sorted() == all.sorted())
            #expect(read.suffix(2).sorted() == ["main 3", "other 2"])
            guard case .rows(let rows, let end, let isWhole) = try journal.readAll(after: nil, limit: 9) else {
                Issue.record("everything is kept")
                return
            }
            #expect(isWhole)
            #expect(end == rows.last?.cursor)
            for (index, row) in rows.enumerated() {
                let rest = Array(read[(index + 1)...])
                #expect(try names(journal.readAll(after: row.cursor, limit: 9)) == rest)
                #expect(try names(journal.readAll(after: row.cursor, limit: 1)) == Array(rest.prefix(1)))
            }
        },
        JournalContract("a deleted space is a row in its place, without its commits") { make in
            let journal = try make()
            _ = try journal.append([.making(1), .making(1, of: .other)])
            guard case .rows(_, let begin, _) = try journal.readAll(after: nil, limit: 9) else { return }
            _ = try journal.append([.making(2), .making(2, of: .other)])
            _ = try journal.forget(.main)
            _ = try journal.append([.making(1)])
            #expect(try names(journal.readAll(after: begin, limit: 9)) == ["other 2", "main forgotten", "main 1"])
            #expect(
                try names(journal.readAll(after: nil, limit: 9)) == ["other 1", "other 2", "main forgotten", "main 1"])
            _ = try journal.forget(.main)
            #expect(
                try names(journal.readAll(after: begin, limit: 9)) == ["other 2", "main forgotten", "main forgotten"])
        },
        JournalContract("a cursor that the journal never gave is gone") { make in
            let journal = try make()
            _ = try journal.append([.making(1)])
            let strange = JournalCursor(place: 1 << 40, begun: 0)
            guard case .gone(let oldest) = try journal.readAll(after: strange, limit: 9) else {
                Issue.record("the cursor was never given")
                return
            }
            #expect(try names(journal.readAll(after: oldest, limit: 9)) == ["main 1"])
        },
    ]

    /// The rows as "space version" or "space forgotten".
    private static func names(_ commits: AllCommits) -> [String] {
        guard case .rows(let rows, _, _) = commits else { return ["gone"] }
        return rows.map { row in
            switch row.event {
            case .commit(let record): "\(record.space) \(record.version)"
            case .forgotten(let space): "\(space) forgotten"
            case .damaged(let space): "\(space) damaged"
            }
        }
    }
}
