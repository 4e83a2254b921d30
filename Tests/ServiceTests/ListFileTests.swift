import Documents
import JSON
import ServiceInProcess
import Testing

@testable import HeadwaterServer

/// List views as files, and files as the inputs of actions.
@Suite struct ListFileTests {
    private static let document = #"""
        {"feature": "shop", "home": "space",
          "state": {"items": {"table": {"key": {"type": "string"}, "row": {"type": "object", "properties": {
              "title": {"type": "string"}, "price": {"type": "number", "format": "decimal"},
              "tags": {"type": "array", "items": {"type": "string"}, "default": []},
              "code": {"type": "string", "private": true, "default": "s3cret"}}, "required": ["title", "price"]}}}},
          "actions": {"put": {"input": {"type": "object", "properties": {"id": {"type": "string"},
              "title": {"type": "string"}, "price": {"type": "number", "format": "decimal"}},
              "required": ["id", "title", "price"]},
            "do": [{"put": "items", "key": "input.id", "row": "{'title': input.title, 'price': input.price}"}]}},
          "views": {"all": {"from": "items", "sort": ["key"]},
            "prices": {"from": "items", "sort": ["key"], "select": "{'id': key, 'price': row.price}"},
            "names": {"from": "items", "sort": ["key"], "select": "row.title"},
            "count": {"expression": "size(state.items)"}}}
        """#
    private static let shop = "/v1/spaces/main/shop"
    private static let csv = ["Accept": "text/csv"]
    private static let lines = ["Accept": "application/x-ndjson"]

    private func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess()
        let reply = try service.ask("PUT /v1/features/shop", [:], Self.document)
        #expect(reply.status == 201, "\(reply.body)")
        for (id, title, price) in [("a", "=1+1", "1.50"), ("b", #"say \"hi\", you"#, "-2"), ("c", "plain", "1e2")] {
            let body = #"{"id": "\#(id)", "title": "\#(title)", "price": \#(price)}"#
            #expect(try service.ask("POST \(Self.shop)/put", [:], body).status == 200)
        }
        return service
    }

    // Law ROWS4
    @Test func `a list is rows of CSV with columns from the schema, exact numbers, and no formulas`() throws {
        let service = try service()
        let all = try service.ask("GET \(Self.shop)/all", Self.csv)
        #expect(all.status == 200 && all["Content-Type"]?.hasPrefix("text/csv") == true)
        #expect(all["Vary"]?.contains("Accept") == true)
        #expect(
            all.body
                == "key,title,price,tags,code\r\na,'=1+1,1.5,[],\r\nb,\"say \"\"hi\"\", you\",-2,[],\r\nc,plain,100,[],\r\n",
            "\(all.body)")
        #expect(try service.ask("GET \(Self.shop)/prices", Self.csv).body == "id,price\r\na,1.5\r\nb,-2\r\nc,100\r\n")
        #expect(try service.ask("GET \(Self.shop)/names", Self.csv).body.hasPrefix("value\r\n'=1+1\r\n"))
        #expect(!all.body.contains("s3cret"))
        #expect(try service.ask("GET /v1/spaces/none/shop/prices", Self.csv).body == "id,price\r\n")
    }

    // Law ROWS4
    @Test func `names of columns are no formulas, and media types have no case`() throws {
        let service = try ServiceInProcess()
        let document = #"""
            {"feature": "shop", "home": "space",
              "state": {"items": {"table": {"key": {"type": "string"}, "row": {"type": "object"}}}},
              "actions": {"put": {"input": {"type": "object"}, "do": [{"put": "items", "key": "'a'", "row": "input"}]}},
              "views": {"rows": {"from": "items", "select": "row"}}}
            """#
        #expect(try service.ask("PUT /v1/features/shop", [:], document).status == 201)
        #expect(try service.ask("POST \(Self.shop)/put", [:], #"{"=1+1": 1, "@b": 2}"#).status == 200)
        for accepted in ["text/csv", "TEXT/CSV", "Text/Csv;q=0.9"] {
            let reply = try service.ask("GET \(Self.shop)/rows", ["Accept": accepted])
            #expect(reply.status == 200 && reply.body == "'=1+1,'@b\r\n1,2\r\n", "\(accepted): \(reply.body)")
        }
        #expect(try service.ask("GET \(Self.shop)/rows", ["Accept": "Application/X-NDJSON"]).status == 200)
    }

    @Test func `a list is lines of JSON, and a window has the next one in Link`() throws {
        let service = try service()
        let all = try service.ask("GET \(Self.shop)/prices", Self.lines)
        #expect(all["Content-Type"] == "application/x-ndjson")
        #expect(all.body.split(separator: "\n").count == 3 && all.body.hasSuffix("\n"))
        var target = "\(Self.shop)/prices?limit=2"
        var found = ""
        for _ in 0..<2 {
            let page = try service.ask("GET \(target)", Self.lines)
            found += page.body
            if let link = page["Link"] { target = String(link.dropFirst().prefix { $0 != ">" }) }
        }
        #expect(found == all.body)
    }

    @Test func `what is no list is 406, and clients that accept everything get JSON`() throws {
        let service = try service()
        let count = try service.ask("GET \(Self.shop)/count", Self.csv)
        #expect(try count.status == 406 && count.json["allowed"] == ["application/json", "text/event-stream"])
        #expect(try service.ask("GET \(Self.shop)/no", Self.csv).status == 404)
        for accept in ["*/*", "text/csv;q=0.5, application/json", "text/html, */*"] {
            #expect(try service.ask("GET \(Self.shop)/prices", ["Accept": accept]).body.hasPrefix("["), "\(accept)")
        }
        #expect(
            try service.ask("GET \(Self.shop)/prices", ["Accept": "text/csv, application/json;q=0.5"]).body.hasPrefix(
                "id"))
    }

    // Law ID6
    @Test func `a rule holds for files too`() throws {
        let service = try ServiceInProcess()
        let closed = Self.document.replacing(
            #""sort": ["key"], "select": "row.title""#, with: #""select": "row.title", "allow": "false""#)
        #expect(try service.ask("PUT /v1/features/shop", [:], closed).status == 201)
        #expect(try service.ask("GET \(Self.shop)/names", Self.csv).status == 403)
        #expect(try service.ask("GET \(Self.shop)/names", Self.lines).status == 403)
    }

    // MARK: Loading

    // Law ROWS5
    @Test func `cells have the types of the schema, and an empty cell is absent`() throws {
        let schema: JSON = [
            "properties": [
                "id": ["type": "string"], "n": ["type": "integer"], "on": ["type": "boolean"],
                "tags": ["type": "array"], "due": ["type": ["string", "null"]],
            ]
        ]
        let text = "\u{FEFF}id,n,on,tags,due\r\n007,7,true,\"[\"\"x\"\"]\",\r\n\r\n\"a\nb\",x,,,1\n"
        let lines = try LoadLines(Array(text.utf8), isCSV: true, schema: schema).lines
        #expect(
            lines.map(\.input) == [
                ["id": "007", "n": 7, "on": true, "tags": ["x"]], ["id": "a\nb", "n": "x", "due": "1"],
            ])
        #expect(lines.map(\.number) == [2, 4])
        #expect(Set(lines.map(\.key)).count == 2 && lines.allSatisfy { $0.key.utf8.count <= 255 })
        let again = try LoadLines(Array(text.utf8), isCSV: true, schema: schema).lines
        #expect(again.map(\.key) == lines.map(\.key))
    }

    @Test(arguments: [
        ("id,no\n1,2\n", "the action's input has no member \"no\""), ("id,id\n", "the column \"id\" is there twice"),
        ("id\n\"x\n", "line 2: a quotation mark is not closed"),
        ("id\n\"x\"y\n", "line 2: a comma or a line end"),
    ])
    func `a faulty file is refused with its line`(_ text: String, _ words: String) {
        let schema: JSON = ["properties": ["id": ["type": "string"]]]
        #expect {
            try LoadLines(Array(text.utf8), isCSV: true, schema: schema)
        } throws: { "\($0)".contains(words) }
    }

    @Test func `lines of JSON are inputs as they are`() throws {
        let lines = try LoadLines(Array("{\"id\": 1}\n\n{\"id\": 2}\r\n".utf8), isCSV: false, schema: [:]).lines
        #expect(lines.map(\.input) == [["id": 1], ["id": 2]] && lines.map(\.number) == [1, 3])
    }

    // Law ROWS5
    @Test func `a line that is no input is refused, and the others are not`() throws {
        let text = "{\"id\": 1}\n{bad\n{\"id\": 2}\n"
        let lines = try LoadLines(Array(text.utf8), isCSV: false, schema: [:]).lines
        #expect(lines.map(\.number) == [1, 2, 3] && lines.map { $0.fault == nil } == [true, false, true])
        #expect(lines[1].input == "{bad" && lines[1].fault?.hasPrefix("the line is not JSON") == true)
        let schema: JSON = ["properties": ["id": ["type": "string"]]]
        let rows = try LoadLines(Array("id\n1,2\n3\n".utf8), isCSV: true, schema: schema).lines
        #expect(rows.map(\.fault) == ["the line has 2 cells, and the header 1", nil] && rows[1].input == ["id": "3"])
    }

    // Law ROWS4
    @Test func `random tables of texts come back from CSV as they were`() throws {
        var random = SystemRandomNumberGenerator()
        let characters = Array("ab,\"\r\n\té '=-")
        for _ in 0..<200 {
            let width = Int.random(in: 1...4, using: &random)
            let rows = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                (0..<width).map { _ in
                    "x"
                        + String(
                            (0..<Int.random(in: 0...6, using: &random)).map { _ in
                                characters.randomElement(using: &random) ?? "a"
                            })
                }
            }
            var bytes: [UInt8] = []
            for row in rows { CSVText.append(row, to: &bytes) }
            #expect(try CSVText.rows(bytes).map(\.cells) == rows, "\(rows)")
        }
    }
}
