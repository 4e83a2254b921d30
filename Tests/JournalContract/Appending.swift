import StateStore
import Synchronization
import Testing

extension JournalContract {
    static let appending = [
        JournalContract("what is appended is kept") { make in
            let journal = try make()
            #expect(try journal.append([.making(1), .making(2)]) == [.kept, .kept])
            #expect(try journal.append([.making(3)]) == [.kept])
            #expect(try journal.load(.main) == KeptSpace(version: 3, facts: [.whole("counter.count", "3")]))
        },
        JournalContract("appending nothing keeps nothing") { make in
            let journal = try make()
            #expect(try journal.append([]) == [])
            #expect(try journal.spaces(after: nil, limit: 10).isEmpty)
        },
        JournalContract("a commit that is not the next is told where its space is, and so are those after it") { make in
            let journal = try make()
            #expect(try journal.append([.making(2)]) == [.moved(to: 0)])
            #expect(try journal.load(.main) == nil)
            let outcomes = try journal.append([.making(1), .making(1), .making(3), .making(2), .making(4)])
            #expect(outcomes == [.kept, .moved(to: 1), .moved(to: 1), .kept, .moved(to: 2)])
            #expect(try journal.load(.main)?.version == 2)
        },
        JournalContract("a space that has moved stands in no other's way") { make in
            let journal = try make()
            let outcomes = try journal.append([.making(5), .making(1, of: .other), .making(2, of: .other)])
            #expect(outcomes == [.moved(to: 0), .kept, .kept])
            #expect(try journal.load(.main) == nil)
            #expect(try journal.load(.other)?.version == 2)
        },
        JournalContract("a follower is told of what is kept, in order, until it is released") { make in
            let journal = try make()
            let told = Mutex<[[CommitRecord]]>([])
            var following: Following? = journal.follow { commits in told.withLock { $0.append(commits) } }
            _ = try journal.append([.making(1), .making(7), .making(1, of: .other)])
            _ = try journal.append([.making(9)])
            _ = try journal.append([.making(2)])
            withExtendedLifetime(following) {}
            following = nil
            _ = try journal.append([.making(3)])
            #expect(told.withLock { $0 } == [[.making(1), .making(1, of: .other)], [.making(2)]])
        },
        JournalContract("a space that is forgotten is as if it had never been, and can begin anew") { make in
            let journal = try make()
            #expect(try journal.forget(.main) == false)
            _ = try journal.append([.making(1, key: Idempotency(key: "k", fingerprint: 1)), .making(2), .making(1, of: .other)])
            #expect(try journal.forget(.main) == true)
            #expect(try journal.load(.main) == nil)
            #expect(try journal.read(.main, after: 0, limit: 10) == .commits([]))
            #expect(try journal.answer(.main, key: "k", since: Timestamp(microseconds: 0)) == nil)
            #expect(try journal.spaces(after: nil, limit: 10).map(\.name) == [.other])
            #expect(try journal.append([.making(3), .making(1, [.whole("counter.sum", "0")])]) == [.moved(to: 0), .kept])
            #expect(try journal.load(.main) == KeptSpace(version: 1, facts: [.whole("counter.sum", "0")]))
            #expect(try journal.load(.other)?.version == 1)
        },
    ]
}
