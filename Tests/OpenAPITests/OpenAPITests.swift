import Foundation
import JSON
import Testing
import TwoWorlds

@testable import HeadwaterServer

/// The comparison of `openapi.yaml` with the running server, in both directions.
struct OpenAPITests {
    let contract: Contract
    let server: LiveServer

    init() throws {
        contract = try Contract()
        server = try LiveServer("--mcp", "--outgoing-allow", "127.0.0.1:9000")
        // A stream that ends at once.
        _ = try server.ask("PUT", Self.concrete("/v1/spaces/{space}/streams/{id}"), [:], #"{"stream": [{"value": 1}]}"#)
    }

    @Test func `each action and each view is described as in the server's index`() throws {
        let index = try JSON(parsing: try server.ask("GET", "/v1").content)
        let current = try contract.text(following: index)
        if ProcessInfo.processInfo.environment["HEADWATER_WRITE_OPENAPI"] == "1", current != contract.text {
            try current.write(to: Contract.file, atomically: true, encoding: .utf8)
            return
        }
        if let staleness = try contract.staleness(against: current) { Issue.record("\(staleness)") }
    }

    @Test func `an outdated contract is reported with the places and the command to run`() throws {
        let index = try JSON(parsing: try server.ask("GET", "/v1").content)
        let current = try contract.text(following: index)
        #expect(try contract.staleness(against: current) == nil)
        let title = "/v1/spaces/{space}/user/title"
        let other = current.replacing("\"\(title)\":", with: "\"/v1/spaces/{space}/library/books\":")
        let said = try #require(try contract.staleness(against: other))
        #expect(said.contains("run Scripts/openapi") && said.contains(title) && said.contains("/library/books"))
        #expect(said.count < 300)
        let all = current.replacing("responses/Performed", with: "responses/Changed")
        #expect(try #require(try contract.staleness(against: all)).count < 1_000)
        #expect(try contract.staleness(against: current + "# A remark.\n")?.contains("its layout") == true)
    }

    @Test func `each operation has a summary, and each handwritten one with a body or parameters an example`() {
        let byHand = contract.pathsByHand
        for operation in contract.operations {
            #expect(
                operation.tree["summary"] != nil && operation.tree["summary"] != "",
                "\(operation.description) needs a summary")
            guard byHand.contains(operation.path),
                let content = operation.tree["requestBody"]?["content"]?["application/json"],
                case .object(let properties)? = content["schema"].map({ contract.resolved($0) })?["properties"],
                !properties.isEmpty
            else { continue }
            let hasExample = content["example"] != nil || !examples(of: operation).isEmpty
            #expect(hasExample, "\(operation.description) needs an example")
        }
    }

    @Test func `an action and a view without handwritten text have a summary`() {
        let feature: JSON = [
            "name": "library", "actions": [["name": "borrow", "path": "/v1/spaces/{space}/library/borrow"]],
            "views": [["name": "books", "path": "/v1/spaces/{space}/library/books"]],
        ]
        let paths = DescribedPaths(of: [feature]).paths
        #expect(paths["/v1/spaces/{space}/library/borrow"]?["post"]?["summary"] == "Performs library/borrow")
        #expect(paths["/v1/spaces/{space}/library/books"]?["get"]?["summary"] == "The view library.books")
    }

    @Test func `the server accepts each example`() throws {
        for operation in contract.operations {
            for example in examples(of: operation) {
                let target = Self.concrete(operation.path)
                let answer = try server.ask(operation.method.uppercased(), target, [:], example.description)
                // A conflict with the state is a valid answer too, and a row that the server does not have.
                let isAccepted =
                    (200..<300).contains(answer.status) || kind(of: answer) == "/problems/conflict"
                    || kind(of: answer) == "/problems/no-such-row"
                #expect(
                    isAccepted,
                    "\(operation.description) \(example): \(String(decoding: answer.content, as: UTF8.self))")
            }
        }
    }

    @Test func `the contract has exactly the paths of the server`() {
        let generic: Set = [
            "none", "/v1/spaces/{space}/{feature}/{view}", "/v1/spaces/{space}/{feature}/{view}/window",
            "/v1/spaces/{space}/{feature}/{action}",
        ]
        #expect(contract.pathsByHand == Set(ResourceRow.templates).subtracting(generic))
    }

    @Test func `each path allows its described methods, HEAD with GET, and OPTIONS`() throws {
        let methods = Dictionary(grouping: contract.operations, by: \.path).mapValues {
            Set($0.map { $0.method.uppercased() })
        }
        for (path, described) in methods {
            let answer = try server.ask("OPTIONS", Self.concrete(path))
            let allowed = Set((answer.fields["allow"] ?? "").components(separatedBy: ", "))
            #expect(
                allowed == described.union(described.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]), "\(path)")
        }
    }

    // Law ID9
    @Test func `the check of two worlds asks on each road of the server`() {
        let fixed = contract.operations.filter { contract.pathsByHand.contains($0.path) }
        let generic = ["GET /v1/spaces/{space}/{feature}/{view}", "POST /v1/spaces/{space}/{feature}/{action}"]
        let roads = Road.all.filter { $0.path.hasPrefix("/") }.map(\.name)
        #expect(Set(roads) == Set(fixed.map { "\($0.method.uppercased()) \($0.path)" } + generic))
    }

    // Law W5
    @Test func `each path under v1 knows the query parameters that are described, and no others`() throws {
        let paths = Dictionary(grouping: contract.operations, by: \.path)
        for (path, operations) in paths where path.hasPrefix("/v1") {
            var described = Set(operations.flatMap { contract.queryParameters(of: $0) })
            if operations.contains(where: { $0.method == "get" }) {
                described.formUnion(["access_token", "ticket"])
            }
            let answer = try server.ask(
                operations[0].method.uppercased(), "\(Self.concrete(path))?no-such=1", [:], "{}")
            let problem = try JSON(parsing: answer.content)
            #expect(answer.status == 422, "\(path)")
            #expect(problem["allowed"] == .array(described.sorted().map { .string($0) }), "\(path)")
        }
    }

    @Test func `each problem type is listed`() throws {
        let file = Contract.root.appendingPathComponent("Sources/HeadwaterServer/Problems/ProblemType.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        let kinds = source.matches(of: /Self\(\d+, "([a-z-]+)"/).map { JSON.string("/problems/\($0.1)") }
        #expect(kinds.count > 20)
        #expect(contract.resolve("#/components/schemas/Problem/properties/type/enum") == .array(kinds))
    }

    @Test func `each provoked status is described`() throws {
        let tag = ["If-None-Match": "*"]
        for operation in contract.operations {
            let target = Self.concrete(operation.path)
            let odd = Self.concrete(operation.path, space: "-")
            let method = operation.method.uppercased()
            var answers = [
                try server.ask(method, odd), try server.ask(method, target, ["Origin": "http://elsewhere.example"]),
            ]
            if method == "POST" {
                answers.append(try server.ask(method, target, [:], "{"))
                answers.append(try server.ask(method, target, [:], "[1]"))
                answers.append(try server.ask(method, target, [:], "{\"unknown\": 1}"))
                answers.append(try server.ask(method, target, ["Content-Type": "text/plain"], "{}"))
                answers.append(
                    try server.ask(
                        method, target, ["If-Match": "\"none\""], examples(of: operation).first?.description ?? "{}"))
                answers.append(try server.ask(method, target, ["Idempotency-Key": "a b"], "{}"))
                answers.append(try server.ask(method, "\(target)?view=no.such", [:], "{}"))
            } else if method == "GET" {
                answers.append(try server.ask(method, target, tag))
                answers.append(try server.ask(method, target, ["Accept": "image/png"]))
                answers.append(try server.ask(method, "\(target)?since=%00&wait=x"))
                answers.append(try server.ask(method, "\(target)?since=1-0_0&limit=0&view=no.such&after=-"))
            }
            for answer in answers {
                let isDescribed = operation.statuses.contains("\(answer.status)")
                #expect(
                    isDescribed,
                    "\(operation.description): \(answer.status) \(String(decoding: answer.content, as: UTF8.self))")
                #expect(answer.fields["x-request-id"] != nil)
            }
        }
    }

    @Test func `each reference has a target`() {
        var waiting = [contract.tree]
        while let value = waiting.popLast() {
            switch value {
            case .array(let elements): waiting += elements
            case .object(let object):
                if case .string(let reference)? = object["$ref"] {
                    #expect(contract.resolve(reference) != nil, "\(reference)")
                }
                waiting += object.map(\.value)
            default: break
            }
        }
    }

    // Generators invent names for the others: `GetCaller200Response`, `InlineObject1`, `PatchInner`, `HookSourceOneOf`.
    @Test func `each model is a schema with a name, has a title, or is the member of one`() {
        #expect(contract.namelessModels == [])
    }

    @Test func `a model without a name is found wherever it stands`() throws {
        let model = "{type: object, properties: {a: {type: string}}}"
        for (place, text) in [
            ("an answer", "paths: {/a: {get: {responses: {200: {content: {a/b: {schema: \(model)}}}}}}}"),
            ("a body", "paths: {/a: {post: {requestBody: {content: {a/b: {schema: \(model)}}}}}}"),
            ("a parameter", "paths: {/a: {get: {parameters: [{schema: {anyOf: [{type: string}, {type: number}]}}]}}}"),
            ("a shared answer", "components: {responses: {A: {content: {a/b: {schema: \(model)}}}}}"),
            ("an item", "components: {schemas: {A: {type: array, items: \(model)}}}"),
            ("a value", "components: {schemas: {A: {type: object, additionalProperties: \(model)}}}"),
            ("a branch", "components: {schemas: {A: {oneOf: [\(model), {type: string}]}}}"),
            ("an item of a member", "components: {schemas: {A: {properties: {b: {type: array, items: \(model)}}}}}"),
        ] {
            #expect(try Contract(text: text).namelessModels.count == 1, "\(place)")
        }
        let named =
            "components: {schemas: {A: {properties: {b: \(model), c: {type: array, items: {title: C, oneOf: []}}}}}}"
        #expect(try Contract(text: named).namelessModels == [])
    }

    // The generator for Swift makes an enumeration of it, with a raw value that no enumeration has.
    @Test func `no constant is true or false`() {
        var waiting = [contract.tree]
        while let value = waiting.popLast() {
            switch value {
            case .array(let elements): waiting += elements
            case .object(let object):
                if case .bool? = object["const"] { Issue.record("\(value)") }
                waiting += object.map(\.value)
            default: break
            }
        }
    }

    // A generated client sends the default of a parameter, and would get a window in place of each list.
    @Test(arguments: ["WindowLimit", "WindowAfter", "WindowTotal"])
    func `a parameter that asks for a window has no default`(_ name: String) throws {
        let schema = try #require(contract.resolve("#/components/parameters/\(name)")?["schema"])
        #expect(schema["default"] == nil)
    }

    // Client generators refuse such a list.
    @Test func `no enum has texts and numbers`() {
        var waiting = [contract.tree]
        while let value = waiting.popLast() {
            switch value {
            case .array(let elements): waiting += elements
            case .object(let object):
                if case .array(let values)? = object["enum"] {
                    #expect(values.allSatisfy(\.isText) || !values.contains(where: \.isText), "\(values)")
                }
                waiting += object.map(\.value)
            default: break
            }
        }
    }

    @Test func `the server contains the contract`() throws {
        let answer = try server.ask("GET", "/openapi.yaml")
        let isBuiltIn = String(decoding: answer.content, as: UTF8.self) == contract.text
        #expect(isBuiltIn, "build again: openapi.yaml has changed since")
    }

    // MARK: Parts

    /// Returns a path with its parameters filled in.
    private static func concrete(_ path: String, space: String = "main") -> String {
        path.replacing("{space}", with: space).replacing("{id}", with: "quick").replacing("{feature}", with: "user")
            .replacing("{view}", with: "title")
    }

    private func examples(of operation: Contract.Operation) -> [JSON] {
        guard case .object(let examples)? = operation.tree["requestBody"]?["content"]?["application/json"]?["examples"]
        else { return [] }
        return examples.compactMap { $0.value["value"] }
    }

    private func kind(of answer: LiveServer.Answer) -> String? {
        guard let problem = try? JSON(parsing: answer.content), case .string(let kind)? = problem["type"] else {
            return nil
        }
        return kind
    }
}

extension JSON {
    /// True for a text and for null, which a list of texts may have.
    fileprivate var isText: Bool {
        switch self {
        case .string, .null: true
        default: false
        }
    }
}
