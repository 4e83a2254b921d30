import ScriptedOutside
import StateStore
import Systems
import Testing

/// Feeds with failing or rate-limited requests: systems.md, 4.
struct FeedFailureTests {
    private typealias Shapes = GitHubShapes

    private static let ada = "https://api.github.com/repos/ada/engine/events"

    /// Creates a shop with a repository that was fetched once.
    private func shop(
        _ journal: MemoryJournal = MemoryJournal(), fields: [OutgoingRequest.HeaderField] = []
    ) throws -> Shop {
        let shop = try Shop(journal)
        shop.post("feed/follow", #"{"repository": "ada/engine"}"#)
        shop.advance(.zero)
        shop.answer(Self.ada, Shapes.events(Shapes.event(1)), fields: fields)
        return shop
    }

    /// Returns the seconds until the next request, or nil.
    private func wait(_ shop: Shop, atMost limit: Int = 4_000) -> Int? {
        for seconds in 0...limit {
            if !shop.fetcher.underWay.isEmpty { return seconds }
            shop.advance(.seconds(1))
        }
        return nil
    }

    @Test func `X-Poll-Interval applies, also to a refresh`() throws {
        let shop = try shop(fields: [.init("X-Poll-Interval", "300")])
        shop.advance(.seconds(100))
        shop.post("feed/refresh")
        #expect(shop.get("feed.isRefreshing") == "true")
        #expect(wait(shop) == 200)
        shop.answer(Self.ada, status: 304)
        #expect(shop.get("feed.isRefreshing") == "false")
    }

    @Test(arguments: [("3", 3), ("0", 1)])
    func `a short X-Poll-Interval applies too, until a response changes it`(told: String, seconds: Int) throws {
        let shop = try shop(fields: [.init("X-Poll-Interval", told)])
        #expect(wait(shop) == seconds)
        shop.answer(Self.ada, status: 304)
        #expect(wait(shop) == seconds)
        shop.answer(Self.ada, "[]")
        #expect(wait(shop) == 60)
    }

    @Test func `a refresh polls at once if permitted, once for all requesting spaces`() throws {
        let shop = try shop()
        shop.advance(.seconds(10))
        let watch = shop.watch(["feed.isRefreshing"])
        shop.post("feed/refresh")
        shop.post("feed/refresh")
        shop.advance(.zero)
        #expect(shop.fetcher.asked.count == 2)
        shop.answer(Self.ada, status: 304)
        shop.advance(.seconds(1))
        #expect(shop.fetcher.asked.count == 2)
        #expect(watch.events == ["feed.isRefreshing=false", "feed.isRefreshing=true", "feed.isRefreshing=false"])
        // The refresh replaces the scheduled round.
        #expect(wait(shop) == 59)
    }

    @Test(arguments: [
        (429, [OutgoingRequest.HeaderField("Retry-After", "120")], 120),
        (403, [.init("X-RateLimit-Remaining", "0"), .init("X-RateLimit-Reset", "1700000400")], 340), (403, [], 60),
        (503, [.init("Retry-After", "200")], 200),
        (429, [.init("Retry-After", "Tue, 14 Nov 2023 22:16:20 GMT")], 120),
        (503, [.init("Retry-After", "Tuesday, 14-Nov-23 22:17:20 GMT")], 180),
        (403, [.init("Retry-After", "Tue Nov 14 22:15:25 2023")], 65),
        (429, [.init("Retry-After", "soon")], 60), (429, [.init("Retry-After", "Tue, 32 Nov 2023 22:16:20 GMT")], 60),
    ])
    func `rate limits apply to all pollers, and are shown`(
        _ status: Int, _ fields: [OutgoingRequest.HeaderField], _ seconds: Int
    ) throws {
        let journal = MemoryJournal()
        let shop = try shop(journal)
        shop.post("feed/follow", #"{"repository": "bob/house"}"#)
        shop.advance(.zero)
        shop.answer("bob/house", Shapes.events())
        shop.advance(.seconds(60))
        shop.answer(Self.ada, "{}", status: status, fields: fields)
        shop.answer("bob/house", Shapes.events())
        #expect(shop.get("feed.problem") == "\"GitHub allows no more requests for \(seconds) seconds\"")
        #expect(shop.get("feed.events").contains("\"id\":\"1\""))
        // Neither a refresh nor a new follower bypasses the limit, and a request already in progress does not end it.
        shop.post("feed/refresh")
        shop.post("feed/follow", #"{"repository": "eve/new"}"#, in: "other")
        shop.advance(.zero)
        #expect(shop.get("feed.isRefreshing", in: "other") == "true")
        #expect(shop.get("feed.problem", in: "other") == "\"GitHub allows no more requests for \(seconds) seconds\"")
        #expect(wait(shop) == seconds)
        shop.answer("eve/new", Shapes.events())
        #expect(shop.get("feed.problem", in: "other") == "null")
        shop.answer(Self.ada, status: 304)
        #expect(shop.get("feed.problem") == "null")
    }

    @Test func `a rate limit survives a restart, and ends with the first successful response`() throws {
        let journal = MemoryJournal()
        let before = try shop(journal)
        before.advance(.seconds(60))
        before.answer(Self.ada, "{}", status: 429, fields: [.init("Retry-After", "120")])
        before.post("feed/followTrending", #"{"language": "swift"}"#)
        before.advance(.zero)
        #expect(
            before.get("feed.problem") == "\"GitHub allows no more requests for 120 seconds\""
                && before.fetcher.underWay.isEmpty)
        #expect(wait(before) == 120)

        // The clock of the new shop starts a minute earlier, as every test clock does.
        let after = try Shop(journal)
        #expect(wait(after) == 180)
        after.answer(Self.ada, status: 304)
        #expect(after.get("feed.problem").contains("120"))
        after.post("feed/follow", #"{"repository": "bob/house"}"#)
        #expect(after.get("feed.problem") == "null")
    }

    @Test func `repeated failures back off with jitter, and the last events stay`() throws {
        let shop = try shop()
        shop.advance(.seconds(59))
        var waits: [Int] = []
        for round in 0..<12 {
            waits.append(try #require(wait(shop)))
            switch round % 4 {
            case 0: shop.answer(Self.ada, failing: true)
            case 1: shop.answer(Self.ada, "no", status: 500)
            case 2: shop.answer(Self.ada, "<html>")
            default: shop.advance(.seconds(20))
            }
            #expect(shop.get("feed.problem") != "null" && shop.get("feed.events").contains("\"id\":\"1\""))
        }
        for (round, wait) in waits.dropFirst().enumerated() {
            let longest = min(5 << round, 900)
            #expect((longest / 2...longest + 1).contains(wait), "\(waits)")
        }
        _ = try #require(wait(shop))
        shop.answer(Self.ada, Shapes.events(Shapes.event(2)))
        #expect(shop.get("feed.problem") == "null")
        #expect(wait(shop) == 60)
    }

    @Test func `a missing repository is a problem only of its followers`() throws {
        let shop = try Shop()
        shop.post("feed/follow", #"{"repository": "ada/engine"}"#)
        shop.post("feed/follow", #"{"repository": "bob/house"}"#, in: "other")
        shop.advance(.zero)
        shop.answer(Self.ada, #"{"message": "Not Found"}"#, status: 404)
        shop.answer("bob/house", Shapes.events())
        #expect(
            shop.get("feed.problem") == "\"there is no repository ada/engine\""
                && shop.get("feed.isRefreshing") == "false")
        #expect(shop.get("feed.problem", in: "other") == "null")
    }

    @Test func `malformed events are skipped`() throws {
        let shop = try Shop()
        shop.post("feed/follow", #"{"repository": "ada/engine"}"#)
        shop.advance(.zero)
        shop.answer(Self.ada, #"[1, null, {"id": "8"}, {"id": 9, "type": "A"}, \#(Shapes.event(7))]"#)
        #expect(shop.get("feed.events").contains("\"id\":\"7\"") && !shop.get("feed.events").contains("\"id\":\"8\""))
        #expect(shop.get("feed.problem") == "null")
    }

    @Test func `a language of two words is searched as a phrase`() throws {
        let shop = try Shop()
        shop.post("feed/followTrending", #"{"language": "Jupyter \"Notebook", "count": 1}"#)
        shop.advance(.zero)
        #expect(shop.fetcher.underWay.first?.contains("?q=language:%22Jupyter%20Notebook%22&sort=stars") == true)
    }

    @Test func `trending repositories are found and followed, with five events each`() throws {
        let shop = try Shop()
        shop.post("feed/followTrending", #"{"language": "c++", "count": 2}"#)
        shop.advance(.zero)
        let search = "https://api.github.com/search/repositories?q=language:c%2B%2B&sort=stars&order=desc&per_page=2"
        #expect(shop.fetcher.underWay == [search] && shop.get("feed.isRefreshing") == "true")
        shop.answer(search, Shapes.search("zoe/z", "ada/engine", "too/many"))
        shop.advance(.zero)
        #expect(shop.get("feed.repositories") == #"["zoe/z","ada/engine"]"#)
        #expect(shop.fetcher.underWay.count == 2)
        shop.answer(Self.ada, "[\((0..<9).map { Shapes.event($0, at: "12:00:0\($0)") }.joined(separator: ","))]")
        #expect(shop.get("feed.events").split(separator: "\"createdAt\"").count == 6)
    }

    @Test func `a failed search is shown as a problem until the next search`() throws {
        let shop = try Shop()
        shop.post("feed/followTrending", #"{"language": "swift"}"#)
        shop.answer("search", #"{"items": []}"#)
        #expect(shop.get("feed.problem") == "\"GitHub knows no repositories of the language swift\"")
        shop.post("feed/followTrending", #"{"language": "swift"}"#)
        #expect(shop.get("feed.problem") == "null")
        for _ in 0..<3 {
            shop.answer("search", failing: true)
            shop.advance(.seconds(2))
        }
        #expect(shop.get("feed.problem") == "\"the connection ended\"" && shop.get("feed.isRefreshing") == "false")
        shop.post("feed/followTrending", #"{"language": "swift"}"#)
        shop.answer("search", "{}", status: 422)
        #expect(shop.get("feed.problem") == "\"GitHub answered the search for swift with 422\"")
        #expect(
            shop.post("feed/followTrending", #"{"language": " ", "count": 2}"#).summary.hasPrefix("invalid /language"))
        #expect(
            shop.post("feed/followTrending", #"{"language": "swift", "count": 26}"#).summary.hasPrefix("invalid /count")
        )
    }
}
