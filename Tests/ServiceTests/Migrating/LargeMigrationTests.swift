import Foundation
import JSON
import ServiceInProcess
import Testing

/// Law CALM18: a large space migrates in slices, to what a small one migrates to at once; until it is done, it serves the
/// document before.
@Suite struct LargeMigrationTests {
    private static let large = "/v1/spaces/large"
    private static let small = "/v1/spaces/small"

    private static func document(_ state: String, _ view: String, actions: String = "") -> String {
        #"""
        {"feature": "shop", "home": "space", "state": {\#(state), "count": {"value": {"type": "integer"}, "initial": 0}},
          "actions": {\#(actions) "count": {"do": [{"set": "count", "to": "state.count + 1"}]}},
          "views": {"all": {"from": "\#(view)"}, "count": {"expression": "state.count"}}}
        """#
    }

    private static let fill = #"""
        "fill": {
          "input": {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}}},
          "do": [{"each": "lists.range(input.to - input.from)", "as": "i", "do": [
            {"put": "items", "key": "string(input.from + i)", "row":
              "{'n': input.from + i, 'name': 'item ' + string(input.from + i), 'code': 'c' + string((input.from + i) % 40)}"}]}]},
        """#

    private static func table(_ properties: String, _ more: String = "") -> String {
        #"{\#(more)"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {\#(properties)}}}}"#
    }

    private static let number = #""n": {"type": "integer"}"#
    private static let texts = #""name": {"type": "string"}, "code": {"type": "string"}"#
    private static let items = table("\(number), \(texts)")
    private static let first = document(#""items": \#(items)"#, "items", actions: fill)

    /// A service with 5,000 rows in one space and 50 in another.
    private func service(directory: String? = nil, rows: Int = 5_000) throws -> ServiceInProcess {
        let service = try ServiceInProcess(directory: directory)
        #expect(try service.ask("PUT /v1/features/shop", [:], Self.first).status == 201)
        for from in stride(from: 0, to: rows, by: 1_000) {
            let range = #"{"from": \#(from), "to": \#(from + 1_000)}"#
            #expect(try service.ask("POST \(Self.large)/shop/fill", [:], range).status == 200)
        }
        #expect(try service.ask("POST \(Self.small)/shop/fill", [:], #"{"from": 0, "to": 50}"#).status == 200)
        return service
    }

    /// The rows of a list in their order.
    private func rows(_ service: ServiceInProcess, _ space: String) throws -> [(key: String, row: JSON)] {
        let answer = try service.ask("GET \(space)/shop/all")
        #expect(answer.status == 200, "\(answer.body.prefix(300))")
        guard case .array(let elements) = try answer.json else { return [] }
        return elements.compactMap { element in
            guard case .string(let key)? = element["key"], let row = element["row"] else { return nil }
            return (key, row)
        }
    }

    private func scratch() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "migrating-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    private func put(_ document: String, _ service: ServiceInProcess) throws {
        let put = try service.ask("PUT /v1/features/shop", [:], document)
        #expect(put.status == 200, "\(put.body)")
    }

    /// Runs the service until nothing is left of the migrations.
    private func settle(_ service: ServiceInProcess) { for _ in 0..<40 { service.settle() } }

    private static let computed = document(
        #""items": \#(table(#""twice": {"type": "integer"}, "label": {"type": "string"}"#, #""migrate": "{'twice': old.n * 2, 'label': old.name}", "#))"#,
        "items")

    @Test func `the document before serves until a large space is done`() throws {
        let service = try service()
        let before = try rows(service, Self.large)
        try put(Self.computed, service)
        // A request waits for a second, and the service does less in one than the migration needs.
        let answer = try service.ask("GET \(Self.large)/shop/all")
        #expect(answer.status == 200)
        guard case .array(let shown) = try answer.json else { throw ServiceInProcess.NoAnswer() }
        #expect(shown.first == ["key": .string(before[0].key), "row": before[0].row])
        let refused = try service.ask("POST \(Self.large)/shop/count", [:], "{}")
        #expect(refused.status == 503 && refused.fields["retry-after"] == "1", "\(refused.body)")
        #expect(try service.ask("GET /v1/features/shop/migration").json["left"] == 1)
        settle(service)
        let after = try rows(service, Self.large)
        #expect(after.map(\.key) == before.map(\.key))
        for (key, row) in after {
            let number = Int64(key) ?? -1
            #expect(row == ["twice": JSON(integerLiteral: number * 2), "label": .string("item \(number)")])
        }
        #expect(try service.ask("POST \(Self.large)/shop/count", [:], "{}").status == 200)
        #expect(try service.ask("GET /v1/features/shop/migration").json == ["left": 0, "done": 2, "failing": 0])
    }

    /// The computed document with other views.
    private static func computed(views: String) -> String {
        computed.replacing(#""count": {"expression": "state.count"}"#, with: views)
    }

    // Law CALM18
    @Test func `old values are shown only by the rules that they had`() throws {
        let views = ["closed", "opened", "kept", "shut"].map { view in
            (
                before: view,
                rules: [
                    "closed": (nil, "false"), "opened": ("false", nil), "kept": ("true", "true"),
                    "shut": ("false", "false"),
                ][view] ?? (nil, nil)
            )
        }
        func written(_ rule: (old: String?, new: String?), isNew: Bool) -> String {
            (isNew ? rule.new : rule.old).map { #", "allow": "\#($0)""# } ?? ""
        }
        func all(isNew: Bool) -> String {
            views.map {
                #""\#($0.before)": {"expression": "state.count\#(isNew ? " + 1" : "")"\#(written($0.rules, isNew: isNew))}"#
            }
            .joined(separator: ", ")
        }
        let service = try service()
        let old = Self.first.replacing(#""count": {"expression": "state.count"}"#, with: all(isNew: false))
        try put(old, service)
        func ask(_ view: String) throws -> String {
            let answer = try service.ask("GET \(Self.large)/shop/\(view)")
            return answer.status == 200 ? answer.body : "\(answer.status)"
        }
        #expect(try views.map { try ask($0.before) } == ["0", "403", "0", "403"])
        try put(Self.computed(views: all(isNew: true) + #", "added": {"expression": "1"}"#), service)
        #expect(try (views.map(\.before) + ["added"]).map(ask) == ["503", "503", "0", "403", "503"])
        let several = try service.ask("GET \(Self.large)/views?view=shop.kept&view=shop.closed")
        #expect(several.status == 503, "\(several.body)")
        settle(service)
        #expect(try (views.map(\.before) + ["added"]).map(ask) == ["403", "1", "1", "403", "1"])
    }

    // Law CALM18
    @Test func `a stream goes on from the old values to the new ones`() throws {
        let service = try service()
        let connection = try service.connect()
        connection.send("GET \(Self.large)/views?view=shop.all&view=shop.count", ["Accept": "text/event-stream"])
        func events() throws -> [JSON] {
            for _ in 0..<10 {
                service.settle()
                connection.receive()
            }
            var events: [JSON] = []
            while let block = connection.takeBlock() {
                let data = block.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { $0.dropFirst(6) }
                if !data.isEmpty { events.append(try JSON(parsing: Array(data.joined(separator: "\n").utf8))) }
            }
            return events
        }
        #expect(try events().count == 1)
        _ = connection.takeHead()
        try put(Self.computed, service)
        #expect(try service.ask("GET \(Self.small)/shop/count").status == 200)
        settle(service)
        let last = try #require(try events().last)
        guard case .array(let rows)? = last["shop.all"] else { return #expect(Bool(false), "no rows") }
        #expect(rows.count == 5_000 && rows.allSatisfy { $0["row"]?["twice"] != nil })
        #expect(try service.ask("POST \(Self.large)/shop/count", [:], "{}").status == 200)
        #expect(try events().last?["shop.count"] == 1)
        connection.close()
        service.settle()
    }

    // Law CALM18
    @Test func `a document that comes during a migration is taken too`() throws {
        let service = try service()
        try put(Self.computed, service)
        #expect(try service.ask("POST \(Self.large)/shop/count", [:], "{}").status == 503)
        let text = #""twice": {"type": "string"}"#
        let next = Self.table(text, #""migrate": "{'twice': string(old.twice)}", "#)
        try put(Self.document(#""items": \#(next)"#, "items"), service)
        #expect(try service.ask("POST \(Self.large)/shop/count", [:], "{}").status == 503)
        settle(service)
        let after = try rows(service, Self.large)
        #expect(after.count == 5_000 && after.allSatisfy { $0.row == ["twice": .string("\((Int($0.key) ?? 0) * 2)")] })
        #expect(try service.ask("GET /v1/features/shop/migration").json == ["left": 0, "done": 2, "failing": 0])
    }

    @Test func `a server that takes its features from files rehearses documents, and takes none`() throws {
        let folder = try scratch()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Self.first.write(toFile: folder + "/shop.json", atomically: true, encoding: .utf8)
        let service = try ServiceInProcess(arguments: ["--features", folder])
        #expect(try service.ask("POST \(Self.small)/shop/fill", [:], #"{"from": 0, "to": 3}"#).status == 200)
        let rehearsed = try service.ask("PUT /v1/features/shop?rehearse=1", [:], Self.computed)
        #expect(rehearsed.status == 200, "\(rehearsed.body)")
        #expect(try rehearsed.json["rows"]?["items"]?["changed"] == 3)
        #expect(try service.ask("PUT /v1/features/shop", [:], Self.computed).status == 409)
        #expect(try rows(service, Self.small).first?.row["name"] != nil)
    }

    // Law CALM18
    @Test func `a large space that sleeps migrates when it is loaded`() throws {
        let folder = try scratch()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try self.service(directory: folder)
        let time = first.close()
        let service = try ServiceInProcess(directory: folder, startingAt: time)
        try put(Self.computed, service)
        let rows = try rows(service, Self.large)
        #expect(rows.count == 5_000 && rows.allSatisfy { $0.row["twice"] != nil })
    }

    private struct Change: CustomTestStringConvertible {
        let name: String
        let document: String
        var testDescription: String { name }
    }

    private static let titled = #"\#(number), "title": {"type": "string", "was": "name"}, "code": {"type": "string"}"#
    private static let names =
        #""table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {\#(number)}}}"#

    private static let changes = [
        Change(name: "computed", document: computed),
        Change(
            name: "a renamed table and a renamed member",
            document: document(#""goods": \#(table(titled, #""was": "items", "#))"#, "goods")),
        Change(
            name: "a renamed table with initial rows",
            document: document(
                #""goods": \#(table("\(number), \(texts)", #""was": "items", "initial": {"zero": {"n": 0}}, "#))"#,
                "goods")),
        Change(
            name: "initial rows that are added",
            document: document(
                #""items": \#(table("\(number), \(texts)", added))"#, "items")),
        Change(
            name: "rows made of others",
            document: document(
                #""items": \#(items), "names": {"from": {"table": "items", "where": "row.n % 3 != 0", "key": "'of ' + key", "row": "{'n': row.n}"}, \#(names)}"#,
                "names")),
        Change(
            name: "rows made of others that get another name",
            document: document(
                #""goods": \#(table("\(number), \(texts)", #""was": "items", "#)), "names": {"from": {"table": "items", "row": "{'n': row.n}"}, \#(names)}"#,
                "names")),
        Change(
            name: "rows made of others that go",
            document: document(
                #""names": {"from": {"table": "items", "row": "{'n': row.n}"}, \#(names)}"#, "names")),
    ]

    @Test func `of the rows that become one, the last by key stays`() throws {
        let folder = try scratch()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let service = try service(directory: folder)
        let codes = #"{"from": {"table": "items", "key": "row.code", "row": "{'n': row.n}"}, \#(Self.names)}"#
        try put(Self.document(#""codes": \#(codes)"#, "codes"), service)
        settle(service)
        let time = service.close()
        let again = try ServiceInProcess(directory: folder, startingAt: time)
        for (space, count) in [(Self.large, 5_000), (Self.small, 50)] {
            for service in [again] {
                let made = Dictionary(uniqueKeysWithValues: try rows(service, space).map { ($0.key, $0.row) })
                var expected: [String: JSON] = [:]
                for key in (0..<count).map(String.init).sorted() {
                    let number = Int64(key) ?? 0
                    expected["c\(number % 40)"] = ["n": JSON(integerLiteral: number)]
                }
                #expect(made == expected)
            }
        }
    }

    @Test(arguments: [5_000, 50])
    func `rows that cannot be migrated stay, and a later document takes them`(_ count: Int) throws {
        let service = try service()
        let space = count == 50 ? Self.small : Self.large
        let properties = #""twice": {"type": "integer", "maximum": 8000}"#
        let failing = #""migrate": "{'twice': old.n * \#(count == 50 ? 1_000 : 2)}", "#
        try put(Self.document(#""items": \#(Self.table(properties, failing))"#, "items"), service)
        settle(service)
        let answer = try service.ask("GET \(space)/shop/all")
        #expect(answer.status == 503 && answer.body.contains("/problems/not-migrated"), "\(answer.body)")
        #expect(try service.ask("POST \(space)/shop/count", [:], "{}").status == 503)
        let taking = #""migrate": "{'twice': has(old.n) ? old.n * 2 : old.twice}", "#
        try put(Self.document(#""items": \#(Self.table(#""twice": {"type": "integer"}"#, taking))"#, "items"), service)
        settle(service)
        let migrated = try rows(service, space)
        let factor: Int64 = count == 50 ? 1_000 : 2
        #expect(migrated.count == count)
        for (key, row) in migrated {
            let number = Int64(key) ?? -1
            #expect(row == ["twice": JSON(integerLiteral: number * factor)])
        }
        #expect(try service.ask("POST \(space)/shop/count", [:], "{}").status == 200)
    }

    // Law CALM18: at whatever moment the row comes.
    @Test(arguments: [5_000, 50])
    func `no row breaks a unique index that a document brings`(_ count: Int) throws {
        let space = count == 50 ? Self.small : Self.large
        let add = #""add": {"do": [{"put": "items", "key": "'twin'", "row": "{'n': 7, 'name': 'twin', 'code': ''}"}]},"#
        let more =
            #""indexes": {"n": {"by": ["row.n"], "unique": true}}, "#
            + #""migrate": "{'n': old.n, 'name': old.name + '!', 'code': ''}", "#
        let items = Self.table("\(Self.number), \(Self.texts)", more)
        let next = Self.document(#""items": \#(items)"#, "items", actions: add)
        var outcomes: Set<String> = []
        for pause in 0..<6 {
            let service = try service(rows: count == 50 ? 0 : count)
            try put(Self.document(#""items": \#(Self.items)"#, "items", actions: add), service)
            let connection = try service.connect()
            let bytes = Array(next.utf8)
            let head = "PUT /v1/features/shop HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            connection.send(bytes: Array("\(head)Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes)
            for _ in 0..<pause { _ = try service.ask("GET /healthz") }
            let added = try service.ask("POST \(space)/shop/add", [:], "{}").status
            settle(service)
            connection.receive()
            let taken = connection.takeHead()?.split(separator: " ")[1] ?? "nothing"
            let shown = try service.ask("GET \(space)/shop/all")
            outcomes.insert("\(taken) \(added) \(shown.status)")
            switch (taken, shown.status) {
            case ("200", 200):
                let numbers = try rows(service, space).compactMap { $0.row["n"] }
                #expect(numbers.count == count && Set(numbers).count == count, "\(pause)")
                var again = try service.ask("POST \(space)/shop/add", [:], "{}")
                // The index is made.
                for _ in 0..<20 where again.status == 503 {
                    again = try service.ask("POST \(space)/shop/add", [:], "{}")
                }
                #expect(again.status == 409, "\(pause): \(again.body)")
            case ("200", 503):
                #expect(added == 200 && shown.body.contains("/problems/not-migrated"), "\(pause): \(shown.body)")
            case ("422", 200):
                #expect(try added == 200 && rows(service, space).count == count + 1, "\(pause)")
            default: Issue.record("\(pause): \(taken) \(added) \(shown.status) \(shown.body.prefix(200))")
            }
            connection.close()
            service.settle()
        }
        #expect(outcomes.count > 1, "\(outcomes)")
    }

    private static let added = #"""
        "migrate": "{'n': old.n + 1, 'name': old.name, 'code': ''}",
        "initial": {"zero": {"n": 0}, "7": {"n": -1}}, "seed": "always",
        """#

    @Test(arguments: changes)
    private func `a large space migrates to what a small one does`(_ change: Change) throws {
        let folder = try scratch()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let service = try service(directory: folder)
        try put(change.document, service)
        settle(service)
        let (large, small) = (try rows(service, Self.large), try rows(service, Self.small))
        #expect(large.count > 3_000 && small.count > 30)
        let known = Set(small.map(\.key))
        let common = large.filter { known.contains($0.key) }
        #expect(common.map(\.key) == small.map(\.key))
        #expect(common.map(\.row) == small.map(\.row))
        for space in [Self.large, Self.small] {
            guard case .array(let commits) = try service.ask("GET \(space)/changes").json else { continue }
            #expect(commits.last?["action"] == "features/migrated")
        }
        let version = try service.ask("GET \(Self.large)/shop/count").fields["headwater-version"]
        let past = try service.ask("GET \(Self.large)/shop/count?at=5")
        #expect(past.status == 200, "\(past.body)")
        let time = service.close()
        let again = try ServiceInProcess(directory: folder, startingAt: time)
        let loaded = try rows(again, Self.large)
        #expect(loaded.map(\.key) == large.map(\.key) && loaded.map(\.row) == large.map(\.row))
        #expect(try again.ask("GET \(Self.large)/shop/count").fields["headwater-version"] == version)
    }

    // MARK: The space common

    private static let common = "/v1/spaces/common"

    private static func inCommon(_ document: String) -> String {
        document.replacing(#""home": "space""#, with: #""home": "common""#)
    }

    /// A service with 5,000 rows in the space common.
    private func commonService(directory: String? = nil, largeBytes: Int? = nil) throws -> ServiceInProcess {
        let service = try ServiceInProcess(directory: directory, largeBytes: largeBytes)
        #expect(try service.ask("PUT /v1/features/shop", [:], Self.inCommon(Self.first)).status == 201)
        for from in stride(from: 0, to: 5_000, by: 1_000) {
            let range = #"{"from": \#(from), "to": \#(from + 1_000)}"#
            #expect(try service.ask("POST \(Self.common)/shop/fill", [:], range).status == 200)
        }
        return service
    }

    // Law CALM19
    @Test func `the document before serves until the space common is done, and the document is answered then`() throws {
        let service = try commonService()
        let before = try rows(service, Self.common)
        let connection = try send(Self.computed, service)
        // It is checked before it is taken.
        var refused = try service.ask("POST \(Self.common)/shop/count", [:], "{}")
        for _ in 0..<20 where refused.status == 200 {
            refused = try service.ask("POST \(Self.common)/shop/count", [:], "{}")
        }
        #expect(refused.status == 503 && refused.fields["retry-after"] == "1", "\(refused.body)")
        connection.receive()
        #expect(connection.takeHead() == nil)
        let shown = try rows(service, Self.common)
        #expect(shown.map(\.row) == before.map(\.row))
        let other = try service.ask("PUT /v1/features/other", [:], Self.first.replacing("shop", with: "other"))
        #expect(other.status == 503, "\(other.body)")
        settle(service)
        connection.receive()
        #expect(connection.takeHead()?.hasPrefix("HTTP/1.1 200") == true)
        let after = try rows(service, Self.common)
        #expect(after.map(\.key) == before.map(\.key))
        for (key, row) in after {
            let number = Int64(key) ?? -1
            #expect(row == ["twice": JSON(integerLiteral: number * 2), "label": .string("item \(number)")])
        }
        #expect(try service.ask("POST \(Self.common)/shop/count", [:], "{}").status == 200)
        connection.close()
        service.settle()
    }

    // Law CALM19
    @Test(arguments: changes)
    private func `the space common migrates to what a space does`(_ change: Change) throws {
        let folder = try scratch()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let service = try commonService(directory: folder)
        #expect(try service.ask("POST \(Self.common)/shop/count", [:], "{}").status == 200)
        try put(Self.inCommon(change.document), service)
        let others = try self.service()
        try put(change.document, others)
        settle(others)
        let (rows, expected) = (try rows(service, Self.common), try rows(others, Self.large))
        #expect(rows.map(\.key) == expected.map(\.key) && rows.map(\.row) == expected.map(\.row))
        #expect(try service.ask("POST \(Self.common)/shop/count", [:], "{}").status == 200)
        #expect(try service.ask("GET \(Self.common)/shop/count").body == "2")
        let version = try service.ask("GET \(Self.common)/shop/count").fields["headwater-version"]
        let time = service.close()
        let again = try ServiceInProcess(directory: folder, startingAt: time)
        let loaded = try self.rows(again, Self.common)
        #expect(loaded.map(\.key) == rows.map(\.key) && loaded.map(\.row) == rows.map(\.row))
        #expect(try again.ask("GET \(Self.common)/shop/count").fields["headwater-version"] == version)
    }

    // Law CALM19
    @Test func `rows of the space common that cannot be migrated stay, and a later document takes them`() throws {
        let service = try commonService()
        let properties = #""twice": {"type": "integer", "maximum": 8000}"#
        let failing = Self.table(properties, #""migrate": "{'twice': old.n * 2}", "#)
        try put(Self.inCommon(Self.document(#""items": \#(failing)"#, "items")), service)
        #expect(try service.ask("POST \(Self.common)/shop/count", [:], "{}").status == 503)
        let taking = #""migrate": "{'twice': has(old.n) ? old.n * 2 : old.twice}", "#
        let taken = Self.table(#""twice": {"type": "integer"}"#, taking)
        try put(Self.inCommon(Self.document(#""items": \#(taken)"#, "items")), service)
        let rows = try rows(service, Self.common)
        #expect(rows.count == 5_000)
        for (key, row) in rows { #expect(row == ["twice": JSON(integerLiteral: (Int64(key) ?? -1) * 2)]) }
        #expect(try service.ask("POST \(Self.common)/shop/count", [:], "{}").status == 200)
    }

    /// Sends a document, and returns the connection on which the answer comes.
    private func send(_ document: String, _ service: ServiceInProcess) throws -> ConnectionInProcess {
        let connection = try service.connect()
        let body = Array(Self.inCommon(document).utf8)
        let head = "PUT /v1/features/shop HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.send(bytes: Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
        return connection
    }

    // Law CALM19
    @Test func `no loop takes the document before the loop of large spaces can`() throws {
        let service = try commonService(largeBytes: 100_000)
        let other = Self.first.replacing("shop", with: "other")
        #expect(try service.ask("PUT /v1/features/other", [:], other).status == 201)
        for from in stride(from: 0, to: 4_000, by: 1_000) {
            let range = #"{"from": \#(from), "to": \#(from + 1_000)}"#
            #expect(try service.ask("POST \(Self.large)/other/fill", [:], range).status == 200)
        }
        settle(service)
        #expect(service.largeCount == 1)
        service.turnsLarge = false
        let connection = try send(
            Self.computed(views: #""count": {"expression": "state.count", "allow": "false"}"#), service)
        settle(service)
        connection.receive()
        #expect(connection.takeHead() == nil)
        for space in [Self.small, Self.common] {
            #expect(try rows(service, space).first?.row["name"] != nil)
            #expect(try service.ask("GET \(space)/shop/count").body == "0")
        }
        service.turnsLarge = true
        settle(service)
        connection.receive()
        #expect(connection.takeHead()?.hasPrefix("HTTP/1.1 200") == true)
        for space in [Self.large, Self.small, Self.common] {
            #expect(try rows(service, space).first?.row["label"] != nil)
            #expect(try service.ask("GET \(space)/shop/count").status == 403)
        }
        connection.close()
        service.settle()
    }

    // Law CALM19
    @Test func `a stream of the space common, and one of a space that reads it, go on`() throws {
        let service = try commonService()
        let connections = try [Self.common, Self.small].map { space in
            let connection = try service.connect()
            connection.send(
                "GET \(space)/views?view=shop.all&view=shop.count", ["Accept": "text/event-stream"])
            return connection
        }
        settle(service)
        for connection in connections {
            connection.receive()
            #expect(connection.takeHead()?.hasPrefix("HTTP/1.1 200") == true)
        }
        try put(Self.inCommon(Self.computed), service)
        for connection in connections {
            for _ in 0..<10 {
                service.settle()
                connection.receive()
            }
            var last: JSON?
            while let block = connection.takeBlock() {
                let data = block.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { $0.dropFirst(6) }
                if !data.isEmpty { last = try JSON(parsing: Array(data.joined(separator: "\n").utf8)) }
            }
            guard case .array(let rows)? = last?["shop.all"] else { return #expect(Bool(false), "no rows") }
            #expect(rows.count == 5_000 && rows.allSatisfy { $0["row"]?["twice"] != nil })
            connection.close()
        }
        service.settle()
    }
}
