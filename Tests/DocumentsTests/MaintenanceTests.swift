@testable import Hosting
import JSON
import ServerReads
import StateStore
import Testing

@testable import Documents

/// Law DOC2: a view that is watched through any commits equals the same view computed anew.
struct MaintenanceTests {
    static let document = #"""
        {"feature": "x", "home": "space",
         "state": {
           "rows": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
             "n": {"type": "integer"}, "g": {"type": "string"}, "ref": {"type": "string"},
             "d": {"type": "number", "format": "decimal"}}, "required": ["n", "g", "ref", "d"]}}},
           "others": {"table": {"key": {"type": "string"}, "row": {"type": "integer"}}},
           "least": {"value": {"type": "integer"}, "initial": 3}},
         "actions": {
           "put": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "row": {"type": "object"}},
             "required": ["id", "row"]}, "do": [{"put": "rows", "key": "input.id", "row": "input.row"}]},
           "remove": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"remove": "rows", "key": "input.id"}]},
           "other": {"input": {"type": "object", "properties": {"id": {"type": "string"}, "v": {"type": "integer"}},
             "required": ["id", "v"]}, "do": [{"when": "input.v < 3",
               "do": [{"remove": "others", "key": "input.id"}],
               "else": [{"put": "others", "key": "input.id", "row": "input.v"}]}]},
           "bound": {"input": {"type": "object", "properties": {"v": {"type": "integer"}}, "required": ["v"]},
             "do": [{"set": "least", "to": "input.v"}]},
           "several": {"input": {"type": "object", "properties": {"rows": {"type": "array"}}, "required": ["rows"]},
             "do": [{"each": "input.rows", "as": "one", "do": [
               {"put": "rows", "key": "string(one.id)", "row": "one.row"}]}]},
           "clear": {"do": [{"clear": "rows"}]}},
         "views": {
           "count": {"from": "rows", "where": "row.n > 2", "count": true},
           "sum": {"from": "rows", "sum": "row.d"}, "min": {"from": "rows", "min": "row.n"},
           "max": {"from": "rows", "max": "row.n"}, "mean": {"from": "rows", "average": "row.n"},
           "maxBy": {"from": "rows", "max": "row.n", "by": "row.g"},
           "sumBy": {"from": "rows", "sum": "row.d", "by": "row.g"},
           "sorted": {"from": "rows", "sort": ["-row.n", "row.g"], "limit": 5, "select": "key"},
           "joined": {"from": "rows", "join": {"others": "row.ref"}, "where": "joined.others != null",
             "sort": "joined.others", "select": "[key, string(joined.others)]"},
           "joinedSum": {"from": "rows", "join": {"others": "row.ref"},
             "sum": "joined.others == null ? 0 : joined.others"},
           "above": {"from": "rows", "where": "row.n > state.least", "select": "key"},
           "expression": {"expression":
             "state.rows.filter(k, state.rows[k].n > state.least).map(k, size(state.others) + state.rows[k].n)"},
           "one": {"parameters": {"id": {"type": "string"}},
             "expression": "input.id in state.rows ? state.rows[input.id].n : -1"}}}
        """#
    static let views = [
        "count", "sum", "min", "max", "mean", "maxBy", "sumBy", "sorted", "joined", "joinedSum", "above", "expression",
        "one?id=a",
    ].map { "x.\($0)" }

    struct Model {
        struct Row {
            var n: Int
            var g: String
            var ref: String
            var d: Int
        }

        private(set) var rows: [String: Row] = [:]
        /// The keys in the order of their first adding.
        private(set) var order: [String] = []
        var others: [String: Int] = [:]
        var least = 3

        mutating func put(_ row: Row, for key: String) {
            if rows.updateValue(row, forKey: key) == nil { order.append(key) }
        }

        mutating func remove(_ key: String) {
            rows[key] = nil
            order.removeAll { $0 == key }
        }

        /// The values of the views, computed by hand.
        var views: [String: JSON] {
            let keys = rows.keys.sorted()
            let numbers = rows.values.map(\.n)
            func number(_ value: Int?) -> JSON { value.map { .number(Decimal($0)) } ?? .null }
            func tenths(_ value: Int) -> JSON { (try? JSON.number(Decimal(Int64(value), exponent: -1))) ?? .null }
            var maxBy = JSON.Object()
            var sumBy = JSON.Object()
            for group in Set(rows.values.map(\.g)).sorted() {
                let members = rows.values.filter { $0.g == group }
                maxBy[group] = number(members.map(\.n).max())
                sumBy[group] = tenths(members.map(\.d).reduce(0, +))
            }
            let sorted = keys.sorted { one, other in
                guard let a = rows[one], let b = rows[other] else { return false }
                return (-a.n, a.g, one) < (-b.n, b.g, other)
            }
            let joined = keys.filter { rows[$0].flatMap { others[$0.ref] } != nil }.sorted { one, other in
                let (a, b) = (others[rows[one]?.ref ?? ""] ?? 0, others[rows[other]?.ref ?? ""] ?? 0)
                return (a, one) < (b, other)
            }
            let mean = numbers.isEmpty ? nil : Double(numbers.reduce(0, +)) / Double(numbers.count)
            return [
                "x.count": number(numbers.filter { $0 > 2 }.count), "x.sum": tenths(rows.values.map(\.d).reduce(0, +)),
                "x.min": number(numbers.min()), "x.max": number(numbers.max()),
                "x.mean": mean.flatMap { Decimal($0) }.map { .number($0.rounded(places: 12)) } ?? .null,
                "x.maxBy": .object(maxBy), "x.sumBy": .object(sumBy),
                "x.sorted": .array(sorted.prefix(5).map { .string($0) }),
                "x.joined": .array(
                    joined.map { .array([.string($0), .string("\(others[rows[$0]?.ref ?? ""] ?? 0)")]) }),
                "x.joinedSum": number(rows.values.map { others[$0.ref] ?? 0 }.reduce(0, +)),
                "x.above": .array(order.filter { (rows[$0]?.n ?? 0) > least }.map { .string($0) }),
                "x.expression": .array(
                    keys.compactMap { rows[$0]?.n }.filter { $0 > least }.map { number($0 + others.count) }),
                "x.one?id=a": number(rows["a"]?.n ?? -1),
            ]
        }
    }

    @Test func `watched views equal a model through random commits`() throws {
        let server = try DocumentServer(parse(Self.document))
        var random = Generator(state: 20)
        var model = Model()
        var seen: [String: JSON] = [:]
        var watch: Watch?
        let keys = ["a", "b", "c", "d", "e", "f", "g", "h"]
        func row() -> (Model.Row, JSON) {
            let row = Model.Row(
                n: random.pick(7) - 2, g: ["p", "q", "r"][random.pick(3)], ref: keys[random.pick(4)], d: random.pick(50)
            )
            let d = (try? JSON.number(Decimal(Int64(row.d), exponent: -1))) ?? .null
            return (row, ["n": .number(Decimal(row.n)), "g": .string(row.g), "ref": .string(row.ref), "d": d])
        }
        for round in 0..<600 {
            // The watch ends and begins again now and then.
            if random.pick(40) == 0 || watch == nil {
                watch = nil
                seen = [:]
                guard let space = SpaceName("test") else { return }
                watch = server.server.stores[0].watch(Self.views, in: space) { news in
                    guard case .success(let frames) = news else { return }
                    for (name, frame) in frames {
                        guard case .success(let value) = frame.value else { continue }
                        seen["\(name)"] = try? JSON(parsing: value.bytes)
                    }
                }
            }
            let key = keys[random.pick(keys.count)]
            switch random.pick(12) {
            case 0:
                try server.act("x/clear")
                for key in model.order { model.remove(key) }
            case 1, 2:
                try server.act("x/remove", ["id": .string(key)])
                model.remove(key)
            case 3, 4:
                let value = random.pick(8)
                try server.act("x/other", ["id": .string(key), "v": .number(Decimal(value))])
                model.others[key] = value < 3 ? nil : value
            case 5:
                model.least = random.pick(5)
                try server.act("x/bound", ["v": .number(Decimal(model.least))])
            case 6:
                var rows: [JSON] = []
                for key in keys.shuffled(using: &random).prefix(random.pick(5)) {
                    let (one, json) = row()
                    model.put(one, for: key)
                    rows.append(["id": .string(key), "row": json])
                }
                try server.act("x/several", ["rows": .array(rows)])
            default:
                let (one, json) = row()
                model.put(one, for: key)
                try server.act("x/put", ["id": .string(key), "row": json])
            }
            for (name, value) in model.views {
                var found = seen[name]
                if name == "x.mean", case .number(let number)? = found { found = .number(number.rounded(places: 12)) }
                #expect(found == value, "\(name) in round \(round)")
                if found != value { return }
            }
        }
        _ = watch
    }
}
