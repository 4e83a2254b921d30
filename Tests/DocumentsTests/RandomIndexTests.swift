import JSON
import StateStore
import Testing

@testable import Documents

/// Law DOC21, beside a model that walks all rows.
struct RandomIndexTests {
    /// The rows as the model knows them, in the order of their first adding.
    private struct Model {
        var rows: [(key: String, project: String, order: Int)] = []

        mutating func put(_ key: String, _ project: String, _ order: Int) {
            if let place = rows.firstIndex(where: { $0.key == key }) {
                rows[place] = (key, project, order)
            } else {
                rows.append((key, project, order))
            }
        }

        func group(_ project: String, from: Int = .min) -> [String] {
            rows.filter { $0.project == project && $0.order >= from }
                .sorted { ($0.order, $0.key) < ($1.order, $1.key) }.map(\.key)
        }

        var groups: Int { Set(rows.map(\.project)).count }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `random actions leave each index as a walk finds it`(_ seed: UInt64) throws {
        var random = Generator(state: seed + 1)
        let server = try DocumentServer(parse(IndexTests.document))
        var model = Model()
        let keys = (0..<30).map { "k\($0)" }
        let projects = ["p", "q", "r"]
        for step in 0..<150 {
            let key = keys[Int.random(in: 0..<keys.count, using: &random)]
            let project = projects[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10:
                let order = Int.random(in: -3...9, using: &random)
                try server.act(
                    "x/put",
                    ["id": .string(key), "row": ["project": .string(project), "order": .number(Decimal(order))]])
                model.put(key, project, order)
            case 10..<15:
                try server.act("x/remove", ["id": .string(key)])
                model.rows.removeAll { $0.key == key }
            case 15: _ = server.refusal("x/fail", ["id": .string(key)])
            case 16 where step > 100:
                try server.act("x/clear")
                model.rows = []
            case 17:
                try server.act("x/addLast", ["id": .string(key), "project": .string(project)])
                let last = model.rows.filter { $0.project == project }.map(\.order).max() ?? 0
                model.put(key, project, last + 1)
            default: break
            }
            let from = Int.random(in: -3...9, using: &random)
            let asked = try server.act("x/ask", ["project": .string(project), "n": .number(Decimal(from))])
            func list(_ keys: [String]) -> JSON { .array(keys.map { .string($0) }) }
            let all = model.group(project)
            try #require(asked["keys"] == list(all), "seed \(seed), step \(step)")
            try #require(asked["from"] == list(model.group(project, from: from)), "seed \(seed), step \(step)")
            try #require(asked["two"] == list(Array(model.group(project, from: from).prefix(2))))
            try #require(asked["until"] == list(all.filter { !model.group(project, from: from).contains($0) }))
            try #require(asked["groups"] == .number(Decimal(model.groups)))
            try #require(asked["owners"] == list(model.rows.map(\.key)), "seed \(seed), step \(step)")
            try #require(try server.view("x.keys?project=\(project)") == list(all), "seed \(seed), step \(step)")
            try #require(try server.view("x.groups") == .number(Decimal(model.groups)))
        }
    }
}
