import ScriptedOutside
import StateStore
import Systems
import Testing

/// The activity of repositories: systems.md, 4.
struct FeedTests {
    private typealias Shapes = GitHubShapes

    private static let ada = "https://api.github.com/repos/ada/engine/events"

    private func follow(_ repository: String, in shop: Shop, space: String = "main") {
        shop.post("feed/follow", "{\"repository\": \"\(repository)\"}", in: space)
        shop.advance(.zero)
    }

    private func unfollow(_ repository: String, in shop: Shop, space: String = "main") {
        shop.post("feed/unfollow", "{\"repository\": \"\(repository)\"}", in: space)
        shop.advance(.zero)
    }

    private func ids(_ shop: Shop, in space: String = "main") -> [Int] {
        shop.get("feed.events", in: space).split(separator: "\"id\":\"").dropFirst().compactMap {
            Int($0.prefix { $0.isNumber })
        }
    }

    /// Returns the value of a header field in a request.
    private func said(_ name: String, _ shop: Shop, at index: Int) -> String? {
        shop.fetcher.requests[index].fields.first { $0.name == name }?.value
    }

    @Test func `a followed repository is fetched, and its events are shown newest first`() throws {
        let shop = try Shop()
        let watch = shop.watch(["feed.isRefreshing"])
        follow("ada/engine", in: shop)
        #expect(shop.fetcher.underWay == [Self.ada] && shop.get("feed.isRefreshing") == "true")
        shop.answer(
            Self.ada,
            Shapes.events(
                Shapes.event(1), Shapes.event(3, at: "14:00:00", type: "WatchEvent"), Shapes.event(2, at: "13:00:00")))
        #expect(ids(shop) == [3, 2, 1])
        #expect(
            shop.get("feed.events").hasPrefix(
                #"[{"id":"3","type":"WatchEvent","actor":{"login":"ada","avatar":"https://avatars.github.test/u/7?"},"repository":"ada/engine","createdAt":"2026-01-31T14:00:00Z"}"#
            ))
        #expect(
            shop.get("feed.repositories") == #"["ada/engine"]"#
                && shop.get("feed.lastUpdated") == "\"2023-11-14T22:13:20Z\"")
        #expect(watch.events == ["feed.isRefreshing=false", "feed.isRefreshing=true", "feed.isRefreshing=false"])
        #expect(said("User-Agent", shop, at: 0) == nil && said("Accept", shop, at: 0) == "application/vnd.github+json")
    }

    @Test func `the next request is conditional, and 304 changes nothing and emits nothing`() throws {
        let shop = try Shop()
        follow("ada/engine", in: shop)
        #expect(said("If-None-Match", shop, at: 0) == nil)
        shop.answer(
            Self.ada, Shapes.events(Shapes.event(1)),
            fields: [.init("ETag", "W/\"one\""), .init("Last-Modified", "Sat, 31 Jan 2026 12:00:00 GMT")])
        let watch = shop.watch(["feed.events", "feed.isRefreshing", "feed.lastUpdated", "feed.problem"])
        let version = try shop.journal.load(.common)?.version
        for round in 1...3 {
            shop.advance(.seconds(59))
            #expect(shop.fetcher.underWay.isEmpty)
            shop.advance(.seconds(1))
            #expect(said("If-None-Match", shop, at: round) == "W/\"one\"")
            #expect(said("If-Modified-Since", shop, at: round) == "Sat, 31 Jan 2026 12:00:00 GMT")
            #expect(said("Last-Modified", shop, at: round) == nil)
            shop.answer(Self.ada, status: 304)
        }
        #expect(watch.events.count == 1)
        #expect(try shop.journal.load(.common)?.version == version)
    }

    @Test func `a deleted space follows nothing, and starts without repositories when it is created again`() throws {
        let shop = try Shop()
        for space in ["a", "b"] { follow("ada/engine", in: shop, space: space) }
        follow("bob/house", in: shop, space: "a")
        shop.answer(Self.ada, Shapes.events(Shapes.event(1)))
        #expect(try shop.forget("a"))
        // The request for a repository without followers is cancelled.
        #expect(shop.fetcher.underWay.isEmpty && shop.fetcher.cancelled.count == 1)
        shop.advance(.seconds(60))
        #expect(
            shop.fetcher.underWay == [Self.ada] && ids(shop, in: "b") == [1]
                && shop.get("feed.repositories", in: "a") == "[]")
        follow("bob/house", in: shop, space: "a")
        #expect(shop.fetcher.underWay.count == 2)
        #expect(try shop.forget("a") && shop.forget("b"))
        let asked = shop.fetcher.asked.count
        shop.advance(.seconds(3_600))
        #expect(shop.fetcher.underWay.isEmpty && shop.fetcher.asked.count == asked)
    }

    @Test func `no repository of a space that was deleted right before a crash is polled afterwards`() throws {
        let journal = MemoryJournal()
        let before = try Shop(journal)
        follow("ada/engine", in: before, space: "a")
        follow("bob/house", in: before, space: "b")
        _ = try journal.forget(SpaceName("a")!)
        let after = try Shop(journal)
        after.advance(.zero)
        #expect(after.fetcher.underWay.count == 1 && after.fetcher.underWay[0].contains("bob/house"))
        let asked = after.fetcher.asked.count
        after.advance(.seconds(3_600))
        #expect(after.fetcher.asked.count > asked && !after.fetcher.asked.dropFirst(asked).contains(Self.ada))
    }

    @Test func `each repository has one poller for any number of followers, and none without followers`() throws {
        let shop = try Shop()
        for space in ["a", "b", "c"] { follow("ada/engine", in: shop, space: space) }
        follow("bob/house", in: shop, space: "c")
        #expect(shop.fetcher.asked.count == 2)
        shop.answer(Self.ada, Shapes.events(Shapes.event(1)))
        shop.answer("bob/house", Shapes.events(Shapes.event(2, "bob/house", at: "13:00:00")))
        #expect(ids(shop, in: "a") == [1] && ids(shop, in: "c") == [2, 1] && ids(shop) == [])
        follow("ada/engine", in: shop, space: "late")
        #expect(ids(shop, in: "late") == [1] && shop.fetcher.underWay.isEmpty)
        for space in ["a", "b", "late"] { unfollow("ada/engine", in: shop, space: space) }
        shop.advance(.seconds(60))
        #expect(shop.fetcher.underWay.count == 2)
        unfollow("ada/engine", in: shop, space: "c")
        #expect(shop.fetcher.cancelled == [Self.ada])
        shop.answer("bob/house", status: 304)
        shop.advance(.seconds(60))
        #expect(shop.fetcher.underWay == ["https://api.github.com/repos/bob/house/events"])
        #expect(ids(shop, in: "c") == [2])
        // The state of the repository is removed.
        let facts = try #require(try shop.journal.load(.common)).facts.filter { $0.value != nil }.map { $0.entry ?? "" }
        #expect(!facts.contains { $0.hasPrefix("ada/engine") })
    }

    @Test func `events are merged without duplicates, at most fifty`() throws {
        let shop = try Shop()
        follow("ada/engine", in: shop)
        follow("bob/house", in: shop)
        let all = (0..<60).map { Shapes.event($0, at: "\(10 + $0 / 50):\(10 + $0 % 50):00") }
        shop.answer(Self.ada, "[\(all.prefix(30).joined(separator: ","))]")
        // Two repositories may report the same event, for example a fork and its origin.
        shop.answer("bob/house", "[\(all[20..<40].joined(separator: ","))]")
        #expect(ids(shop) == Array((0..<40).reversed()))
        shop.advance(.seconds(60))
        shop.answer(Self.ada, "[\(all.suffix(30).joined(separator: ","))]")
        #expect(ids(shop) == Array((10..<60).reversed()))
    }

    @Test func `after a restart the stored events are shown before a fetch, and no report is repeated`() throws {
        let journal = MemoryJournal()
        let before = try Shop(journal)
        follow("ada/engine", in: before)
        before.answer(Self.ada, Shapes.events(Shapes.event(1)), fields: [.init("ETag", "\"one\"")])
        let after = try Shop(journal)
        #expect(ids(after) == [1] && after.get("feed.isRefreshing") == "false")
        after.advance(.zero)
        #expect(after.fetcher.underWay == [Self.ada] && said("If-None-Match", after, at: 0) == "\"one\"")
    }

    @Test func `a report that common had not received before a crash is delivered after it, once`() throws {
        // Each number of commits that the journal may have kept at the crash.
        for kept in 1...3 {
            let whole = MemoryJournal()
            let before = try Shop(whole)
            before.post("feed/follow", #"{"repository": "ada/engine"}"#)
            before.advance(.zero)
            guard case .commits(let own) = try whole.read(#require(SpaceName("main")), after: 0, limit: 9),
                case .commits(let common) = try whole.read(.common, after: 0, limit: 9)
            else { return }
            #expect(own.map(\.action) == ["feed/follow", "feed/told"] && common.map(\.action) == ["activity/enrol"])
            // The records of a journal that includes the pending reports.
            let first = CommitRecord(
                space: own[0].space, version: 1, at: own[0].at, action: own[0].action, input: own[0].input,
                facts: own[0].facts,
                leavesWork: true)
            let cut = MemoryJournal()
            _ = try cut.append(Array([first, common[0], own[1]].prefix(kept)))
            let after = try Shop(cut)
            after.advance(.zero)
            #expect(after.fetcher.underWay == [Self.ada], "\(kept) kept")
            #expect(try cut.spacesWithWork(after: nil, limit: 9).isEmpty)
            unfollow("ada/engine", in: after)
            #expect(after.fetcher.underWay.isEmpty, "\(kept) kept")
        }
    }

    @Test func `an invalid repository name is refused`() throws {
        let shop = try Shop()
        for name in ["ada", "ada/", "/x", "a/b/c", "a b/c", "ada/..", "ä/b", "a/b?c", ""] {
            #expect(
                shop.post("feed/follow", "{\"repository\": \"\(name)\"}").summary.hasPrefix(
                    "invalid /repository: the value must be owner/name"), "\(name)")
        }
        #expect(
            shop.post("feed/unfollow", #"{"repository": "a/b"}"#).summary == "conflict /repository: a/b is not followed"
        )
        for number in 0..<100 { shop.post("feed/follow", "{\"repository\": \"a/b\(number)\"}") }
        #expect(
            shop.post("feed/follow", #"{"repository": "a/b"}"#).summary.hasPrefix(
                "conflict /repository: 100 repositories are followed"))
        #expect(shop.post("feed/follow", #"{"repository": "a/b7"}"#).summary.hasSuffix(" "))
    }
}
