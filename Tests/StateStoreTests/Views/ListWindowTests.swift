import JSON
import StateStore
import Testing

/// Windows of lists, compared with a model that slices a sorted array.
struct ListWindowTests {
    private static func ids(_ page: JSON) -> [String] {
        guard case .array(let items)? = page["items"] else { return [] }
        return items.map { item in
            if case .string(let id)? = item["id"] ?? Optional(item) { id } else { "" }
        }
    }

    private static func next(_ page: JSON) -> String? {
        if case .string(let text)? = page["next"] { text } else { nil }
    }

    /// Reads a list from window to window.
    private static func pages(
        of view: String, _ stand: BoardStand, limit: Int, _ between: () throws -> Void = {}
    ) throws
        -> [[String]]
    {
        var pages: [[String]] = []
        var after = ""
        while true {
            let page = try stand.read("\(view)limit=\(limit)&after=\(after)")
            pages.append(ids(page))
            guard let next = next(page) else { return pages }
            after = next
            try between()
        }
    }

    // Law WINDOW1
    @Test(arguments: ["board.top?", "board.names?", "board.filtered?isRising=false&"], [1, 2, 3, 7, 20])
    func `the windows of a list contain each row once`(_ view: String, _ limit: Int) throws {
        let stand = try BoardStand()
        for count in [0, 1, 7, 20] {
            try stand.put(Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0 + 10)", $0 % 5) }))
            let pages = try Self.pages(of: view, stand, limit: limit)
            let whole = view == "board.names?" ? "board.names" : "board.top"
            guard case .array(let all) = try stand.read(whole) else { return #expect(Bool(false)) }
            #expect(pages.flatMap(\.self) == Self.ids(["items": .array(all)]))
            #expect(pages.dropLast().allSatisfy { $0.count == limit } && (count == 0 || pages.last?.isEmpty == false))
        }
    }

    // Law WINDOW1
    @Test func `a cursor stays valid after its row has moved or was removed`() throws {
        let stand = try BoardStand()
        try stand.put(["a": 50, "b": 40, "c": 30, "d": 20, "e": 10])
        for view in ["board.top", "board.filtered?isRising=false&votes=5"] {
            let mark = view.contains("?") ? "&" : "?"
            let first = try stand.read("\(view)\(mark)limit=2")
            #expect(Self.ids(first) == ["a", "b"])
            let next = try #require(Self.next(first))
            try stand.put(["a": 50, "b": 5])
            #expect(Self.ids(try stand.read("\(view)\(mark)limit=2&after=\(next)")) == ["c", "d"])
            try stand.put([:], removed: ["b", "c"])
            #expect(Self.ids(try stand.read("\(view)\(mark)limit=2&after=\(next)")) == ["d", "e"])
            try stand.put(["c": 30, "b": 40])
        }
    }

    // Law WINDOW1
    @Test func `a cursor in an array stays valid after its element has moved or was removed`() throws {
        let stand = try BoardStand()
        try stand.put(["b": 0, "c": 0, "d": 0, "e": 0])
        let next = try #require(Self.next(try stand.read("board.names?limit=2")))
        try stand.put(["a": 0])
        #expect(Self.ids(try stand.read("board.names?limit=2&after=\(next)")) == ["d", "e"])
        try stand.put([:], removed: ["a", "c"])
        #expect(Self.ids(try stand.read("board.names?after=\(next)")) == ["d", "e"])
        try stand.put([:], removed: ["b", "d", "e"])
        #expect(Self.ids(try stand.read("board.names?after=\(next)")).isEmpty)
    }

    // Law WINDOW1
    @Test func `a window has a total on request`() throws {
        let stand = try BoardStand()
        try stand.put(["a": 1, "b": 2, "c": 3])
        for view in ["board.top", "board.names"] {
            #expect(try stand.read("\(view)?limit=1&total=1")["total"] == 3)
            #expect(try stand.read("\(view)?limit=1")["total"] == nil)
            #expect(try stand.read("\(view)?total=1")["next"] == .null)
        }
    }

    // Law WINDOW2
    @Test func `a window of a maintained list is read by row`() throws {
        let stand = try BoardStand()
        try stand.put(Dictionary(uniqueKeysWithValues: (0..<5_000).map { ("k\($0)", $0 * 2) }))
        let told = try stand.watch("board.filtered?isRising=false&limit=10&total=1")
        #expect(stand.tally.taken("shown") <= 11 + 5_000)
        try stand.put(["k1": 3])
        #expect(told.events.count == 1 && stand.tally.taken("shown") <= 1)
        try stand.put(["k4999": 9_999])
        #expect(told.events.count == 2 && stand.tally.taken("shown") <= 12)
        try stand.put(["new": 20_000])
        #expect(told.events.count == 3 && told.events[2].contains(#""id":"new""#))
        #expect(stand.tally.taken("shown") <= 12)
    }

    // Law WINDOW3
    @Test func `a cursor is valid only for the view that returned it`() throws {
        let stand = try BoardStand()
        try stand.put(["a": 3, "b": 2, "c": 1], secret: "swordfish")
        let next = try #require(Self.next(try stand.read("board.top?limit=1")))
        #expect(throws: ParameterFault.self) { try stand.name("board.filtered?after=\(next)") }
        #expect(throws: ParameterFault.self) { try stand.name("board.names?after=\(next)") }
        for index in next.indices {
            var forged = next
            forged.replaceSubrange(index...index, with: next[index] == "A" ? "B" : "A")
            #expect(throws: ParameterFault.self) { try stand.name("board.top?after=\(forged)") }
            #expect(throws: ParameterFault.self) { try stand.name("board.top?after=\(next[..<index])x") }
        }
        #expect(throws: ParameterFault.self) { try BoardStand().name("board.top?after=\(next)") }
        // The order compares rows with a secret, which the view does not show.
        let same = try #require(Self.next(try stand.read("board.top?limit=1")))
        #expect(same == next)
    }

    // Law WINDOW4
    @Test func `a cursor after a large row becomes invalid with the row`() throws {
        let stand = try BoardStand()
        let secret = String(repeating: "s", count: 5_000)
        try stand.put(["a": 3, "b": 2, "c": 1], secret: secret)
        let next = try #require(Self.next(try stand.read("board.top?limit=1")))
        #expect(next.utf8.count < 200)
        #expect(Self.ids(try stand.read("board.top?after=\(next)")) == ["b", "c"])
        try stand.put(["a": 1, "b": 0], secret: secret)
        #expect(Self.ids(try stand.read("board.top?after=\(next)")) == ["c", "b"])
        try stand.put([:], removed: ["a"])
        let told = try stand.watch("board.top?after=\(next)")
        #expect(told.events[0].contains("begin again without after"))
    }

    // Law WINDOW1
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `watched windows equal the slices of a model`(_ seed: UInt64) throws {
        var dice = Randomness(seed: seed)
        let stand = try BoardStand()
        var model: [String: Int] = [:]
        func sorted() -> [String] {
            model.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        }
        var windows: [(told: Told, start: (votes: Int, id: String)?, limit: Int)] = []
        for step in 0..<300 {
            var put: [String: Int] = [:]
            for _ in 0..<Int.random(in: 0...3, using: &dice) {
                put["c\(Int.random(in: 0..<40, using: &dice))"] = Int.random(in: 0..<20, using: &dice)
            }
            let removed = Int.random(in: 0..<3, using: &dice) == 0 ? ["c\(Int.random(in: 0..<40, using: &dice))"] : []
            try stand.put(put.filter { !removed.contains($0.key) }, removed: removed)
            for (id, votes) in put { model[id] = votes }
            for id in removed { model[id] = nil }
            for (told, start, limit) in windows {
                guard let news = told.news.last?.first?.frame, case .success(let value) = news.value else {
                    return #expect(Bool(false))
                }
                let page = try JSON(parsing: value.bytes)
                let rest = sorted().filter { id in
                    start.map { (-model[id, default: 0], id) > (-$0.votes, $0.id) } ?? true
                }
                #expect(Self.ids(page) == Array(rest.prefix(limit)), "step \(step)")
                #expect(page["total"] == .number(Decimal(model.count)))
                #expect((Self.next(page) != nil) == (rest.count > limit))
                if step % 20 == 0, windows.count < 12, let next = Self.next(page), let last = Self.ids(page).last {
                    let written = "board.top?limit=\(limit)&total=1&after=\(next)"
                    windows.append((try stand.watch(written), (model[last, default: 0], last), limit))
                }
            }
            if step == 5 { windows.append((try stand.watch("board.top?limit=4&total=1"), nil, 4)) }
        }
        #expect(windows.count == 12)
    }
}
