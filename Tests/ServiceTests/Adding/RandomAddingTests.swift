import JSON
import ServiceInProcess
import StateStore
import Testing

/// Law DOC12: views without `sort` equal a model that keeps the rows in an array, through restarts, kills, evictions,
/// returns to the past, migrations, exports and imports.
struct RandomAddingTests {
    private typealias Rows = [(key: String, n: Int)]

    private static let spaces = ["a", "b", "c"]
    private static let keys = ["k", "b", "z", "a", "m"]

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `rows stand in the order of their first adding`(_ seed: UInt64) throws {
        var random = Entropy(seed: seed)
        let stand = try AddingStand()
        var present: [String: Rows] = [:]
        var past: [String: [Int: Rows]] = [:]
        var migrations = 0
        for step in 0..<150 {
            let space = random.one(of: Self.spaces)
            var rows = present[space] ?? []
            func put(_ key: String, _ n: Int) {
                if let index = rows.firstIndex(where: { $0.key == key }) {
                    rows[index].n = n
                } else {
                    rows.append((key, n))
                }
            }
            let key = random.one(of: Self.keys)
            var version: Int?
            switch random.below(20) {
            case 0: try stand.restart()
            case 1: try stand.kill()
            case 2 where random.isOne(in: 3): try stand.move()
            case 3 where random.isOne(in: 3):
                migrations += 1
                try stand.put(#", "migrate": "{'n': old.n + \#(migrations)}""#)
                for space in Self.spaces {
                    for index in (present[space] ?? []).indices { present[space]?[index].n += migrations }
                }
                rows = present[space] ?? []
            case 4...5:
                guard let known = past[space], !known.isEmpty else { continue }
                let point = random.one(of: known.keys.sorted())
                let old = known[point] ?? []
                let reply = try stand.service.ask("POST /v1/spaces/\(space)/restore", [:], #"{"version": \#(point)}"#)
                #expect(reply.status == 200, "\(reply.body)")
                guard case .array(let values) = try stand.view("all", in: space, "?at=\(point)&definition=current")
                else { return }
                #expect(values.count == old.count)
                rows = zip(old, values).map { row, value in
                    guard case .string(let text) = value else { return row }
                    return (row.key, Int(text.dropFirst(row.key.count)) ?? -1)
                }
                if case .number(let number)? = try reply.json["version"] { version = Int(number.int64 ?? 0) }
            case 6:
                version = try stand.act("clear", #"{"k": "\#(key)"}"#, in: space)
                rows = [(key, 8)]
            case 7...8:
                let keys = Self.keys.filter { _ in random.isOne(in: 2) }.reversed()
                let list = keys.map { "\"\($0)\"" }.joined(separator: ", ")
                version = try stand.act("several", "{\"keys\": [\(list)]}", in: space)
                for key in keys { put(key, 0) }
            case 9...10:
                version = try stand.act("renew", #"{"k": "\#(key)"}"#, in: space)
                rows.removeAll { $0.key == key }
                put(key, 7)
            case 11...13:
                version = try stand.act("remove", #"{"k": "\#(key)"}"#, in: space)
                rows.removeAll { $0.key == key }
            default:
                let n = random.below(9)
                version = try stand.act("put", #"{"k": "\#(key)", "n": \#(n)}"#, in: space)
                put(key, n)
            }
            present[space] = rows
            if let version, version > 0 { past[space, default: [:]][version] = rows }
            try check(stand, space, rows, "step \(step)")
            guard let known = past[space], !known.isEmpty else { continue }
            let point = random.one(of: known.keys.sorted())
            guard case .array(let shown) = try stand.view("rows", in: space, "?at=\(point)") else { return }
            let keys = shown.map { $0["key"] ?? .null }
            #expect(keys == known[point]?.map { .string($0.key) }, "step \(step), version \(point)")
        }
    }

    private func check(_ stand: AddingStand, _ space: String, _ rows: Rows, _ place: String) throws {
        let expected = rows.map { JSON.string("\($0.key)\($0.n)") }
        #expect(try stand.view("all", in: space) == .array(expected), "\(place) in \(space)")
        var paged: [JSON] = []
        var after = ""
        for _ in 0...rows.count {
            let page = try stand.view("all", in: space, "?limit=2&after=\(after)")
            if case .array(let items)? = page["items"] { paged += items }
            guard case .string(let next)? = page["next"] else { break }
            after = next
        }
        #expect(paged == expected, "the windows of \(space), \(place)")
    }
}
