import StateStore
import Testing

extension JournalContract {
    static let remembering = [
        JournalContract("the version of common and the subject of a commit are kept, and memory as any fact") { make in
            let journal = try make()
            let memory: [Fact] = [.whole("cart.count", "2"), .entry("~streams.total", "7", "3")]
            let commits: [CommitRecord] = [
                .making(1, common: 4, by: "alice"), .making(2, memory, common: 5, by: "\"é\\"), .making(3),
            ]
            _ = try journal.append(commits)
            #expect(try journal.read(.main, after: 0, limit: 9) == .commits(commits))
            #expect(commits[1].changed == ["cart.count"])
            let heads = try journal.heads(of: .main, after: 1, limit: 1)
            #expect(heads == [commits[1].head])
            #expect(heads.map(\.by) == ["\"é\\"])
            #expect(try journal.heads(of: .main, after: 3, limit: 9) == [])
            #expect(try journal.heads(of: .other, after: 0, limit: 9) == [])
        },
        JournalContract("every past state can be loaded with the commit that made it") { make in
            let journal = try make()
            let commits: [CommitRecord] = [
                .making(1, [.entry("a.t", "1", "1"), .entry("a.t", "2", "2")], common: 1),
                .making(2, [.entry("a.t", "1", nil), .whole("a.x", "1")], common: 1),
                .making(3, [.whole("a.t", #"{"3":3}"#)], common: 3),
                .making(4, [.entry("a.t", "3", "4"), .whole("a.x", "2")], common: 3),
            ]
            _ = try journal.append(commits)
            #expect(try state(of: journal, at: 0) == [])
            #expect(try state(of: journal, at: 1) == ["a.t 1 1", "a.t 2 2"])
            #expect(try state(of: journal, at: 2) == ["a.t 2 2", "a.x 1"])
            #expect(try state(of: journal, at: 3) == ["a.t 3 3", "a.x 1"])
            #expect(try state(of: journal, at: 4) == ["a.t 3 4", "a.x 2"])
            #expect(try head(of: journal, at: 0) == nil)
            #expect(try (1...4).map { try head(of: journal, at: $0) } == commits.map(\.head))
            #expect(try journal.load(.main, at: 5) == .future(newest: 4))
            #expect(try journal.load(.other, at: 0) == .state(StoredSpace(version: 0, facts: []), nil))
            #expect(try journal.load(.other, at: 1) == .future(newest: 0))
        },
        JournalContract("a time is the last version that was made until then") { make in
            let journal = try make()
            let times: [Int64] = [100, 200, 200, 300]
            for (index, time) in times.enumerated() {
                _ = try journal.append([.making(index + 1, at: time - Int64(index + 1))])
            }
            func version(_ time: Int64) throws -> Int? {
                try journal.version(of: .main, at: Timestamp(microseconds: time))
            }
            #expect(try [99, 100, 199, 200, 299, 300, 999].map(version) == [0, 1, 1, 3, 3, 4, 4])
            #expect(try journal.version(of: .other, at: Timestamp(microseconds: 0)) == 0)
        },
        JournalContract("the last change of a variable or an entry is found up to any version") { make in
            let journal = try make()
            _ = try journal.append([
                .making(1, [.whole("a.x", "1"), .entry("a.t", "1", "1"), .entry("a.t", "2", "1")]),
                .making(2, [.entry("a.t", "2", nil)]),
                .making(3, [.whole("a.x", "2")]),
                .making(4, [.whole("a.t", #"{"2":2}"#)]),
                .making(5, [.entry("a.t", "4", "1")]),
            ])
            func last(_ variable: String, _ entry: String? = nil) throws -> [Int?] {
                try (0...6).map {
                    try journal.lastChange(of: variable, entry: entry, in: .main, upTo: $0)?.version
                }
            }
            #expect(try last("a.x") == [nil, 1, 1, 3, 3, 3, 3])
            #expect(try last("a.t") == [nil, 1, 2, 2, 4, 5, 5])
            #expect(try last("a.t", "1") == [nil, 1, 1, 1, 4, 4, 4])
            #expect(try last("a.t", "2") == [nil, 1, 2, 2, 4, 4, 4])
            #expect(try last("a.t", "4") == [nil, nil, nil, nil, 4, 5, 5])
            #expect(try last("a.y") == Array(repeating: nil, count: 7))
            #expect(try journal.lastChange(of: "a.x", entry: nil, in: .other, upTo: 9) == nil)
        },
        JournalContract("the alarm of a space is that of its last commit, and alarms are found in order of time") {
            make in
            let journal = try make()
            func due(_ time: Int64, limit: Int = 10) throws -> [String] {
                try journal.alarms(upTo: Timestamp(microseconds: time), limit: limit).map {
                    "\($0.space) \($0.at.microseconds)"
                }
            }
            #expect(try journal.alarms(upTo: .latest, limit: 1).first?.at == nil)
            _ = try journal.append([.making(1, alarm: 50), .making(1, of: .other, alarm: 40)])
            #expect(try journal.alarms(upTo: .latest, limit: 1).first?.at == Timestamp(microseconds: 40))
            #expect(try due(50) == ["other 40", "main 50"])
            #expect(try due(50, limit: 1) == ["other 40"])
            #expect(try due(49) == ["other 40"])
            _ = try journal.append([.making(2, of: .other, alarm: 60), .making(2, alarm: -1), .making(3, alarm: 60)])
            #expect(try due(100) == ["main 60", "other 60"])
            _ = try journal.append([.making(4)])
            #expect(try due(100) == ["other 60"])
            _ = try journal.append([.making(9, of: .other)])
            #expect(try due(100) == ["other 60"])
            _ = try journal.forget(.other)
            #expect(try due(100) == [])
            #expect(try journal.alarms(upTo: .latest, limit: 1).first?.at == nil)
        },
    ]

    /// The values and the rows of the space `main` at a version, sorted: "variable value" or "variable key value".
    private static func state(of journal: any Journal, at version: Int) throws -> [String] {
        guard case .state(let space, _) = try journal.load(.main, at: version) else { return ["none"] }
        #expect(space.version == version)
        var state: [String: String] = [:]
        for fact in space.facts {
            let value = fact.value.map { String(decoding: $0, as: UTF8.self) }
            if let entry = fact.entry {
                state["\(fact.variable) \(entry)"] = value
            } else if let value, value.hasPrefix("{") {
                for member in value.dropFirst().dropLast().split(separator: ",") {
                    let parts = member.split(separator: ":")
                    state["\(fact.variable) \(parts[0].dropFirst().dropLast())"] = String(parts[1])
                }
            } else {
                state[fact.variable] = value
            }
        }
        return state.map { "\($0) \($1)" }.sorted()
    }

    private static func head(of journal: any Journal, at version: Int) throws -> CommitHead? {
        guard case .state(_, let head) = try journal.load(.main, at: version) else { return nil }
        return head
    }
}
