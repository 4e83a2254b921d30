import JSON
import Testing

@testable import Expressions

/// Law F7: a formula that is made with types has the type, the faults and the reads of its parts.
struct CheckerTests {
    static let card = ExpressionType.object(
        ObjectType([
            .init("text", .string), .init("votes", .int), .init("due", .string.orNull), .init("price", .decimal),
            .init("rate", .double), .init("tags", .list(.string)), .init("prices", .map(key: .string, value: .decimal)),
        ]))
    static let state = ExpressionType.object(
        ObjectType([
            .init("topic", .string), .init("cards", .map(key: .string, value: card)), .init("total", .decimal),
            .init("open", .map(key: .string, value: .dyn)), .init("costs", .list(.decimal)),
        ]))
    static let input = ExpressionType.object(ObjectType([.init("id", .string), .init("n", .int, isOptional: true)]))
    static let types: [(name: String, type: ExpressionType)] = [
        ("state", state), ("input", input), ("row", card), ("key", .string), ("old", .dyn),
    ]

    @Test(arguments: [
        ("1 + 2", "int"), ("1 + 2.5", "double"), ("row.votes + 1", "int"), ("row.price * 2", "decimal"),
        ("row.price > 2 && row.votes in [1, 2]", "bool"), ("row.due", "string or null"),
        ("row.votes > 0 ? row.text : null", "string or null"), ("[1, null]", "list<int or null>"),
        ("[1, 2.5]", "list<dyn>"), ("[]", "list<dyn>"), ("{'a': 1, 'b': 'x'}", "{a: int, b: string}"),
        ("{1: 'a', 2: 'b'}", "map<int, string>"),
        (
            "state.cards[input.id]",
            "{text: string, votes: int, due: string or null, price: decimal, rate: double, tags: {…}, prices: {…}}"
        ),
        ("state.cards.map(k, state.cards[k].votes)", "list<int>"),
        ("state.cards.transformList(k, c, c.price)", "list<decimal>"),
        ("state.cards.transformMap(k, c, c.votes > 1, size(c.tags))", "map<string, int>"),
        ("state.cards.exists(k, k == key)", "bool"), ("row.tags.filter(t, t != '')", "list<string>"),
        ("row.tags.sortBy(t, size(t)).reverse()", "list<string>"), ("[[1], [2]].flatten()", "list<int>"),
        ("state.open.anything.at.all", "dyn"), ("old.x + 1", "dyn"),
        ("cel.bind(c, state.cards[key], c.rate)", "double"),
        ("timestamp(row.due) - duration('1h')", "timestamp"), ("timestamp(row.due) - timestamp(0)", "duration"),
        ("math.greatest(1, 2)", "int"), ("math.greatest(row.price, 1)", "dyn"), ("type(1) == int", "bool"),
        ("row['votes']", "int"), ("has(row.due) && !has(input.n)", "bool"), ("state.costs[0]", "decimal"),
        ("round(row.price, 2)", "decimal"), ("{'a': 1}[key]", "int"), ("dyn(row).nothing", "dyn"),
        ("'%s'.format([row.text])", "string"), ("row.tags + ['x']", "list<string>"), ("-row.rate", "double"),
        ("math.ceil(row.votes)", "double"), ("size(row.tags) + size(row)", "int"),
        ("true ? {'a': 1} : {'a': 2, 'b': 'x'}", "{a: int, b?: string}"), ("lists.range(3).map(i, i * 2)", "list<int>"),
        ("row.tags.transformMapEntry(i, t, {t: i})", "map<string, int>"), ("null", "null"),
        ("old == null ? 1 : old", "dyn"), ("row.prices.a", "decimal"),
    ])
    func `a formula has a type`(_ source: String, _ type: String) throws {
        let text = try Expression(source, types: Self.types).type.description
        #expect(
            text == type.replacing("tags: {…}, prices: {…}", with: "tags: list<string>, prices: map<string, decimal>"))
    }

    @Test(arguments: [
        ("state.cards[input.id].votess + 1", "there is no member 'votess'; did you mean votes?", "votess"),
        ("stat.topic", "unknown name 'stat'; did you mean state?", "stat"),
        ("row.text + 1", "+ is not defined for string and int", "row.text + 1"),
        (
            "row.price * 0.9",
            "* does not mix a decimal with a double, which is not exact; write decimal('0.9') for 0.9",
            "row.price * 0.9"
        ),
        ("row.votes == 'x'", "== compares int with string, which are never equal", "row.votes == 'x'"),
        ("row.text < 1", "< is not defined for string and int", "row.text < 1"),
        ("row.votes ? 1 : 2", "? takes a bool, not int", "row.votes"),
        ("true && row.text", "a condition takes a bool, not string", "row.text"),
        ("!row.votes", "! takes a bool, not int", "row.votes"),
        ("row.text.votes", "cannot read member 'votes' of string", "row.text.votes"),
        ("row.tags['a']", "a list index is a number, not string", "'a'"),
        ("state.cards[1]", "a key of this map is a string, not int", "1"),
        ("row['txt']", "there is no member 'txt'; did you mean text?", "'txt'"),
        ("row.text.indexOf(1)", "indexOf is not defined for string and int", "row.text.indexOf(1)"),
        ("row.text.startWith('a')", "unknown method 'startWith'; did you mean startsWith?", "row.text.startWith('a')"),
        ("siz(row.tags)", "unknown function 'siz'; did you mean size?", "siz(row.tags)"),
        ("math.ciel(row.rate)", "unknown function 'math.ciel'; did you mean math.ceil?", "math.ciel(row.rate)"),
        ("row.votes.map(x, x)", "map iterates over a list or a map, not over int", "row.votes"),
        ("row.tags.filter(t, size(t))", "the condition of filter takes a bool, not int", "size(t)"),
        ("row.tags.map(t, t + 1)", "+ is not defined for string and int", "t + 1"),
        ("row.votes in row.text", "in takes a list or a map, not string", "row.text"),
        ("1 in row.tags", "in compares int with list<string>, which are never equal", "1 in row.tags"),
        ("decimal(row.rate)", "decimal is not defined for double; write decimal('0.9') for 0.9", "decimal(row.rate)"),
        ("(row.votes + row.tags) == 1", "+ is not defined for int and list<string>", "(row.votes + row.tags)"),
        ("has(row.vote)", "there is no member 'vote'; did you mean votes?", "vote"),
        ("[{}].sort()", "sort is not defined for list<{}>", "[{}].sort()"),
        ("-row.text", "- is not defined for string", "-row.text"),
        ("{[1]: 2}", "a map's key is a bool, an int, a uint or a string, not list<int>", "[1]"),
        ("row.votes +", "expected a value, found the end", ""),
    ])
    func `a fault names its part`(_ source: String, _ description: String, _ part: String) throws {
        let faults = #expect(throws: ExpressionFaults.self) { try Expression(source, types: Self.types) }
        let fault = try #require(faults?.all.first)
        #expect(faults?.all.count == 1)
        #expect(fault.description == description)
        let scalars = Array(source.unicodeScalars)
        #expect(String(String.UnicodeScalarView(scalars[fault.range])) == part)
    }

    @Test func `all faults come at once, with the allowed names`() throws {
        let faults = #expect(throws: ExpressionFaults.self) {
            try Expression("row.texd + stat + row.text.charAt('a')", types: Self.types)
        }
        #expect(faults?.all.count == 3)
        #expect(faults?.all[0].allowed == ["text", "votes", "due", "price", "rate", "tags", "prices"])
        #expect(faults?.all[1].allowed == ["state", "input", "row", "key", "old"])
        #expect(faults?.all[2].allowed == ["string.charAt(int) -> string"])
    }

    @Test(arguments: [
        ("state.cards[input.id].votes", ["state.cards[input.id].votes", "input.id"]),
        ("size(state.cards)", ["size(state.cards)"]), ("state.cards.size() > 2", ["size(state.cards)"]),
        ("key in state.cards", ["key", "has(state.cards[key])"]), ("has(state.topic)", ["has(state.topic)"]),
        ("'a' in state.cards && state.cards['a'].votes > 1", [#"has(state.cards["a"])"#, #"state.cards["a"].votes"#]),
        ("state.cards.all(k, state.cards[k].votes > 0)", ["state.cards", "state.cards[*].votes"]),
        ("cel.bind(c, state.cards[key], c.votes + c.votes)", ["key", "state.cards[key].votes"]),
        ("state.cards[input.id + '-' + key]", ["input.id", "key", "state.cards[input.id + '-' + key]"]),
        ("state", ["state"]), ("1 + 1", []), ("[1].map(x, x + row.votes)", ["row.votes"]),
        (
            "input.id in state.cards ? state.cards[(input.id)] : null",
            ["input.id", "has(state.cards[input.id])", "state.cards[(input.id)]"]
        ),
    ])
    func `the reads of a formula are listed`(_ source: String, _ reads: [String]) throws {
        let found = try #require(try Expression(source, types: Self.types).reads)
        #expect(Set(found.map(\.description)) == Set(reads))
    }

    @Test func `the result must fit the expected type`() throws {
        func words(_ source: String, _ type: ExpressionType) -> String? {
            do throws(ExpressionFaults) {
                _ = try Expression(source, types: Self.types, expecting: type)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(words("row.votes", .bool) == "the result has another type: expected bool, not int")
        #expect(words("row.votes", .decimal) == nil)
        #expect(words("row.due", .string) == nil)
        #expect(words("null", .string) == "the result has another type: expected string, not null")
        #expect(words("old", .int) == nil)
        let row = ExpressionType.object(ObjectType([.init("text", .string), .init("votes", .int, isOptional: true)]))
        #expect(words("{'text': row.text}", row) == nil)
        #expect(
            words("{'text': 1}", row) == "the result has another type at /text: expected string, not int")
        #expect(
            words("{'text': 'a', 'vote': 1}", row)
                == "the result has another type at /vote: there is no member 'vote'; did you mean votes?")
        #expect(words("{}", row) == "the result has another type at /text: the member 'text' is missing")
        #expect(words("[{'text': key}]", .list(row)) == nil)
        #expect(words("{key: 1}", .map(key: .string, value: .int)) == nil)
    }

    /// JSON does not tell 3 from 3.0, so the declared type decides.
    @Test(arguments: [
        ("row.price / 2", "1.5"), ("row.rate / 2", "1.5"), ("row['price'] / 2", "1.5"),
        ("state.costs.map(c, c / 2)", "[0.05,1.5]"), ("state.total + decimal('0.1')", "1234567890.12345678"),
        ("state.cards.transformList(k, c, c.price / 2)", "[1.5]"), ("state.cards[key].rate / 2", "1.5"),
        ("cel.bind(p, row.price, p / 2)", "1.5"), ("row.prices.transformList(k, p, p / 2)", "[1.5]"),
        ("state.costs.sort()[0] * 3", "0.3"), ("row.prices.a / 2", "1.5"), ("state.costs[0] + state.costs[1]", "3.1"),
        ("row == state.cards.a", "true"), ("row.due == null", "true"), ("size(state.costs)", "2"),
        ("row.price == 3 && row.rate == 3", "true"), ("type(row.price) == decimal && type(row.rate) == double", "true"),
    ])
    func `a number is read as its declared type`(_ source: String, _ result: String) throws {
        let card: JSON = [
            "text": "x", "votes": 3, "due": nil, "price": 3, "rate": 3, "tags": ["a"], "prices": ["a": 3],
        ]
        let state: JSON = [
            "topic": "t", "cards": ["a": card], "total": .number(try #require(Decimal("1234567890.02345678"))),
            "open": [:], "costs": [0.1, 3],
        ]
        let expression = try Expression(source, types: Self.types)
        #expect(try expression.evaluate([state, ["id": "a"], card, "a", nil]).description == result)
    }

    @Test func `a number that is an input is read as its declared type`() throws {
        for (value, result) in [(3, "1.5"), (0.5, "0.25")] as [(JSON, String)] {
            let decimal = try Expression("x / 2", types: [("x", .decimal)])
            #expect(try decimal.evaluate(value).description == result)
            let double = try Expression("x / y", types: [("x", .double), ("y", .int)])
            #expect(try double.evaluate(value, 2).description == result)
            #expect(try double.evaluate([value, 2]).description == result)
        }
    }

    /// Law F3: types that double with each part stay bounded.
    @Test func `a type has a bounded number of parts`() throws {
        var source = "x0"
        for place in (0..<40).reversed() {
            source =
                "cel.bind(x\(place), {'a': \(place == 39 ? "1" : "x\(place + 1)"), 'b': \(place == 39 ? "1" : "x\(place + 1)")}, \(source))"
        }
        #expect(throws: ExpressionFaults.self) { try Expression(source, types: []) }
        var nested = "1"
        for place in 0..<20 { nested = "cel.bind(x\(place), \(nested), {'a': x\(place), 'b': x\(place)})" }
        #expect(try Expression(nested, types: []).type.weight <= ExpressionType.greatestWeight)
    }

    /// Law F3: deep formulas fit the smallest stack of a server thread. Frames of a debug build are larger, so that not
    /// every formula of the greatest depth fits in one.
    @Test func `a deep formula is checked on a small stack`() async {
        var formulas: [String] = []
        for (start, end) in [
            ("[1].map(x, ", ")"), ("[", "]"), ("(1 + ", ")"), ("!(", ")"), ("size(", ")"), ("cel.bind(x, 1, ", ")"),
            ("(true ? 1 : ", ")"), ("{'a': ", "}"), ("[1][", "]"), ("[1].exists(x, x == ", ")"), ("(true && ", ")"),
            ("[1].transformMapEntry(i, x, {'a': ", "})"), ("1 in [", "]"), ("math.greatest(1, ", ")"),
        ] {
            for depth in [15, 22, 30, 36] {
                formulas.append(
                    String(repeating: start, count: depth) + "1" + String(repeating: end, count: depth))
            }
        }
        let sources = formulas
        let count = await SmallStack.run {
            sources.count { (try? Expression($0, types: Self.types))?.type.description.isEmpty == false }
        }
        #expect(count > 20)
    }

    @Test func `great types are joined up to a limit`() throws {
        func object(_ prefix: String) -> ExpressionType {
            .object(
                ObjectType((0..<2_000).map { .init("\(prefix)\($0)", $0.isMultiple(of: 2) ? .int : .list(.string)) }))
        }
        let source = "[" + (0..<1_000).map { $0.isMultiple(of: 2) ? "a" : "b" }.joined(separator: ", ") + "]"
        #expect(try Expression(source, types: [("a", object("a")), ("b", object("b"))]).type == .list(.dyn))
        let access = (0..<700).map { _ in "a[k] == null" }.joined(separator: " || ")
        #expect(try Expression(access, types: [("a", object("a")), ("k", .string)]).type == .bool)
    }

    @Test func `each signature is a function, and each function has signatures`() {
        for signature in FunctionSignature.all {
            #expect(
                Functions.find(
                    signature.name, isMethod: signature.isMethod, count: signature.parameters.count, isStrict: false)
                    != nil, "\(signature.text)")
        }
        for name in Functions.allNames where name != "cel.bind" {
            #expect(FunctionSignature.named[name] != nil, "\(name) has no signature")
        }
        for name in FunctionSignature.named.keys {
            let counts = Set(FunctionSignature.named[name]!.map { [$0.isMethod ? 1 : 0, $0.parameters.count] })
            for isMethod in [true, false] {
                for count in 1...4 where !FunctionSignature.named[name]!.contains(where: { $0.isVariadic }) {
                    let exists = Functions.find(name, isMethod: isMethod, count: count, isStrict: false) != nil
                    #expect(counts.contains([isMethod ? 1 : 0, count]) == exists, "\(name) with \(count)")
                }
            }
        }
    }

    /// Law F1: what the checker accepts, the compiler accepts, and the result has the stated type.
    @Test func `the result of a random formula has its type`() throws {
        var source = RandomFormula(random: SplitMix64(seed: 35))
        let value: JSON = ["a": 3, "list": [1, 2.5, "b", nil, [true]], "b": ["c": "d"]]
        let type = ExpressionType.object(
            ObjectType([
                .init("a", .int), .init("list", .list(.dyn)), .init("b", .map(key: .string, value: .string)),
            ]))
        var results = 0
        for _ in 0..<6_000 {
            let formula = source.formula(depth: Int.random(in: 1...3, using: &source.random))
            do throws(ExpressionFaults) {
                let expression = try Expression(formula, types: [("value", type), ("x", .int)])
                let result = Result { () throws(EvaluationFailure) in
                    try expression.program.run([CELValue(value), .int(2)])
                }
                guard case .success(let result) = result else { continue }
                results += 1
                #expect(expression.type.holds(result), "\(formula) is \(expression.type)")
            } catch {
                for fault in error.all {
                    #expect(0...formula.unicodeScalars.count ~= fault.range.upperBound, "\(formula): \(fault)")
                    #expect(fault.range.lowerBound <= fault.range.upperBound && !fault.description.isEmpty)
                }
            }
        }
        #expect(results > 200)
    }
}

extension ExpressionType {
    /// True if a value has the type.
    fileprivate func holds(_ value: CELValue) -> Bool {
        switch (self, value) {
        case (.dyn, _), (.nullable, .null), (.null, .null): true
        case (.nullable(let type), _): type.holds(value)
        case (.list(let element), .list(let list)): list.values.allSatisfy { element.holds($0) }
        case (.map(let key, let type), .map(let map)):
            (0..<map.count).allSatisfy { key.holds(map.key(at: $0)) && type.holds(map.value(at: $0)) }
        case (.object(let object), .map(let map)):
            (0..<map.count).allSatisfy { place in
                guard case .string(let name) = map.key(at: place) else { return false }
                return (object.member(name)?.type ?? object.rest)?.holds(map.value(at: place)) ?? false
            }
        case (.bool, .bool), (.int, .int), (.uint, .uint), (.double, .double), (.decimal, .decimal), (.string, .string),
            (.bytes, .bytes), (.timestamp, .timestamp), (.duration, .duration), (.type, .type):
            true
        default: false
        }
    }
}
