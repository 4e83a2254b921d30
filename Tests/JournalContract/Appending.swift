import StateStore
import Synchronization
import Testing

extension JournalContract {
    static let appending = [
        JournalContract("what is appended is kept") { make in
            let journal = try make()
            #expect(try journal.append([.making(1), .making(2)]) == [.kept, .kept])
            #expect(try journal.append([.making(3)]) == [.kept])
            #expect(try journal.load(.main) == StoredSpace(version: 3, facts: [.whole("counter.count", "3")]))
        },
        JournalContract("appending nothing keeps nothing") { make in
            let journal = try make()
            #expect(try journal.append([]) == [])
            #expect(try journal.spaces(after: nil, limit: 10).isEmpty)
        },
        JournalContract("a commit that is not the next is told where its space is") { make in
            let journal = try make()
            #expect(try journal.append([.making(2)]) == [.moved(to: 0)])
            #expect(try journal.load(.main) == nil)
            #expect(try journal.append([.making(1), .making(1)]) == [.kept, .moved(to: 1)])
            #expect(try journal.append([.making(3)]) == [.moved(to: 1)])
            #expect(try journal.append([.making(2), .making(3)]) == [.kept, .kept])
            #expect(try journal.load(.main)?.version == 3)
        },
        JournalContract("a space that has moved stands in no other's way") { make in
            let journal = try make()
            let outcomes = try journal.append([.making(5), .making(1, of: .other), .making(2, of: .other)])
            #expect(outcomes == [.moved(to: 0), .kept, .kept])
            #expect(try journal.load(.main) == nil)
            #expect(try journal.load(.other)?.version == 2)
        },
        JournalContract("a record without facts makes no version, and is kept for its key where there is a space") {
            make in
            let journal = try make()
            func answered(at version: Int, key: String) -> CommitRecord {
                CommitRecord(
                    space: .main, version: version, at: Timestamp(microseconds: 1), action: "counter/add", input: nil,
                    facts: [],
                    idempotency: Idempotency(key: key, fingerprint: 3))
            }
            let told = Mutex(0)
            let following = journal.follow { commits in told.withLock { $0 += commits.count } }
            #expect(try journal.append([answered(at: 0, key: "none")]) == [.kept])
            #expect(try journal.load(.main) == nil)
            #expect(try journal.append([.making(1), answered(at: 1, key: "k"), .making(2)]) == [.kept, .kept, .kept])
            #expect(try journal.append([answered(at: 1, key: "late")]) == [.moved(to: 2)])
            let start = Timestamp(microseconds: 0)
            #expect(
                try journal.answer(.main, key: "k", since: start)
                    == StoredAnswer(fingerprint: 3, version: 1, changed: []))
            #expect(try journal.answer(.main, key: "none", since: start) == nil)
            #expect(try journal.answer(.main, key: "late", since: start) == nil)
            #expect(try journal.read(.main, after: 0, limit: 10) == .commits([.making(1), .making(2)]))
            #expect(told.withLock { $0 } == 2)
            withExtendedLifetime(following) {}
        },
        JournalContract(
            "a forgotten space takes its keys with it, also where a space of its name begins before its rows are gone"
        ) {
            make in
            let journal = try make()
            let start = Timestamp(microseconds: 0)
            let key = Idempotency(key: "k", fingerprint: 3)
            _ = try journal.append([.making(1, key: key), .making(1, of: .other, key: key)])
            #expect(try journal.forget(.main))
            #expect(try journal.answer(.main, key: "k", since: start) == nil)
            _ = try journal.append([.making(1)])
            #expect(try journal.answer(.main, key: "k", since: start) == nil)
            #expect(try journal.answer(.other, key: "k", since: start)?.version == 1)
        },
        JournalContract("spaces whose last commit left work are found, and no others") { make in
            let journal = try make()
            #expect(try journal.spacesWithWork(after: nil, limit: 10) == [])
            _ = try journal.append([.making(1, leavesWork: true), .making(1, of: .other)])
            #expect(try journal.spacesWithWork(after: nil, limit: 10) == [.main])
            _ = try journal.append([
                .making(2), .making(2, of: .other, leavesWork: true), .making(3, of: .other, leavesWork: true),
            ])
            #expect(try journal.spacesWithWork(after: nil, limit: 10) == [.other])
            _ = try journal.append([.making(3, leavesWork: true), .making(9, of: .other)])
            #expect(try journal.spacesWithWork(after: nil, limit: 10) == [.main, .other])
            #expect(try journal.spacesWithWork(after: nil, limit: 1) == [.main])
            #expect(try journal.spacesWithWork(after: .main, limit: 10) == [.other])
            _ = try journal.append([.making(4, leavesWork: true), .making(5)])
            #expect(try journal.spacesWithWork(after: nil, limit: 10) == [.other])
            _ = try journal.forget(.other)
            #expect(try journal.spacesWithWork(after: nil, limit: 10) == [])
            _ = try journal.append([.making(1, of: .other)])
            #expect(try journal.spacesWithWork(after: nil, limit: 10) == [])
        },
        JournalContract("a follower is told of what is kept, in order, until it is released") { make in
            let journal = try make()
            let told = Mutex<[[CommitRecord]]>([])
            var following: JournalSubscription? = journal.follow { commits in told.withLock { $0.append(commits) } }
            _ = try journal.append([.making(1), .making(1, of: .other), .making(7)])
            _ = try journal.append([.making(9)])
            _ = try journal.append([.making(2)])
            withExtendedLifetime(following) {}
            following = nil
            _ = try journal.append([.making(3)])
            #expect(told.withLock { $0 } == [[.making(1), .making(1, of: .other)], [.making(2)]])
        },
        JournalContract("what was built on a commit that is not kept is not kept, though its version would fit") {
            make in
            let journal = try make()
            _ = try journal.append([.making(1)])
            let results = try journal.append([.making(1), .making(2), .making(1, of: .other), .making(2)])
            #expect(results == [.moved(to: 1), .moved(to: 1), .kept, .moved(to: 1)])
            #expect(try journal.append(one: .making(1)) == .moved(to: 1))
            #expect(try journal.append(one: .making(2)) == .kept)
            #expect(try journal.load(.main)?.version == 2)
        },
        JournalContract("a space that is forgotten is as if it had never been, and can begin anew") { make in
            let journal = try make()
            #expect(try journal.forget(.main) == false)
            _ = try journal.append([
                .making(1, key: Idempotency(key: "k", fingerprint: 1)), .making(2), .making(1, of: .other),
            ])
            #expect(try journal.forget(.main) == true)
            #expect(try journal.load(.main) == nil)
            #expect(try journal.read(.main, after: 0, limit: 10) == .commits([]))
            #expect(try journal.answer(.main, key: "k", since: Timestamp(microseconds: 0)) == nil)
            #expect(try journal.spaces(after: nil, limit: 10).map(\.name) == [.other])
            #expect(try journal.append([.making(3)]) == [.moved(to: 0)])
            #expect(try journal.append([.making(1, [.whole("counter.sum", "0")])]) == [.kept])
            #expect(try journal.load(.main) == StoredSpace(version: 1, facts: [.whole("counter.sum", "0")]))
            #expect(try journal.load(.other)?.version == 1)
        },
    ]
}
