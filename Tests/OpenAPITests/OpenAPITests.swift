import Foundation
import JSON
import Testing

@testable import HeadwaterServer

/// `openapi.yaml` against the server as it runs: what one of them has, the other has too.
struct OpenAPITests {
    let contract: Contract
    let server: LiveServer

    init() throws {
        contract = try Contract()
        server = try LiveServer()
        // A stream that is over at once, so that nobody waits for it.
        _ = try server.ask("PUT", Self.concrete("/v1/spaces/{space}/streams/{id}"), [:], #"{"stream": [{"value": 1}]}"#)
    }

    @Test func `each action and each view is described as the server says it is`() throws {
        let index = try JSON(parsing: try server.ask("GET", "/v1").content)
        let current = try contract.text(following: index)
        if ProcessInfo.processInfo.environment["HEADWATER_WRITE_OPENAPI"] == "1", current != contract.text {
            try current.write(to: Contract.file, atomically: true, encoding: .utf8)
            return
        }
        let stale = zip(current.split(separator: "\n"), contract.text.split(separator: "\n")).first { $0 != $1 }
        #expect(current == contract.text, "run Scripts/openapi: \(stale?.1 ?? "") is to be \(stale?.0 ?? "")")
    }

    @Test func `each has a summary, and an action that takes something has an example`() {
        for operation in contract.operations {
            #expect(operation.tree["summary"] != nil && operation.tree["summary"] != "", "\(operation.description) needs a summary")
            guard case .object(let properties)? = operation.tree["requestBody"]?["content"]?["application/json"]?["schema"]?["properties"],
                !properties.isEmpty
            else { continue }
            #expect(!examples(of: operation).isEmpty, "\(operation.description) needs an example")
        }
    }

    @Test func `the server accepts each example`() throws {
        for operation in contract.operations {
            for example in examples(of: operation) {
                let target = Self.concrete(operation.path)
                let answer = try server.ask(operation.method.uppercased(), target, [:], example.description)
                // What cannot be done in this state is none the less said rightly.
                let isAccepted = (200..<300).contains(answer.status) || kind(of: answer) == "/problems/conflict"
                #expect(isAccepted, "\(operation.description) \(example): \(String(decoding: answer.content, as: UTF8.self))")
            }
        }
    }

    @Test func `there is a path for each that the server knows, and none besides`() {
        let generic: Set = ["none", "/v1/spaces/{space}/{feature}/{view}", "/v1/spaces/{space}/{feature}/{action}"]
        #expect(contract.pathsByHand == Set(Resource.templates).subtracting(generic))
    }

    @Test func `each path allows the methods that are described, HEAD where there is GET, and OPTIONS`() throws {
        let methods = Dictionary(grouping: contract.operations, by: \.path).mapValues { Set($0.map { $0.method.uppercased() }) }
        for (path, described) in methods {
            let answer = try server.ask("OPTIONS", Self.concrete(path))
            let allowed = Set((answer.fields["allow"] ?? "").components(separatedBy: ", "))
            #expect(allowed == described.union(described.contains("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]), "\(path)")
        }
    }

    @Test func `each kind of problem is named`() throws {
        let source = try String(contentsOf: Contract.root.appendingPathComponent("Sources/HeadwaterServer/Problems/Kinds.swift"), encoding: .utf8)
        let kinds = source.matches(of: /Self\(\d+, "([a-z-]+)"/).map { JSON.string("/problems/\($0.1)") }
        #expect(kinds.count > 20)
        #expect(contract.resolve("#/components/schemas/Problem/properties/type/enum") == .array(kinds))
    }

    @Test func `each status that can be provoked is one that is described`() throws {
        let tag = ["If-None-Match": "*"]
        for operation in contract.operations {
            let target = Self.concrete(operation.path)
            let odd = Self.concrete(operation.path, space: "-")
            let method = operation.method.uppercased()
            var answers = [try server.ask(method, odd), try server.ask(method, target, ["Origin": "http://elsewhere.example"])]
            if method == "POST" {
                answers.append(try server.ask(method, target, [:], "{"))
                answers.append(try server.ask(method, target, [:], "[1]"))
                answers.append(try server.ask(method, target, [:], "{\"unknown\": 1}"))
                answers.append(try server.ask(method, target, ["Content-Type": "text/plain"], "{}"))
                answers.append(try server.ask(method, target, ["If-Match": "\"none\""], examples(of: operation).first?.description ?? "{}"))
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
                #expect(isDescribed, "\(operation.description): \(answer.status) \(String(decoding: answer.content, as: UTF8.self))")
                #expect(answer.fields["x-request-id"] != nil)
            }
        }
    }

    @Test func `each reference leads somewhere`() {
        var waiting = [contract.tree]
        while let value = waiting.popLast() {
            switch value {
            case .array(let elements): waiting += elements
            case .object(let object):
                if case .string(let reference)? = object["$ref"] { #expect(contract.resolve(reference) != nil, "\(reference)") }
                waiting += object.map(\.value)
            default: break
            }
        }
    }

    @Test func `the server has it built in`() throws {
        let answer = try server.ask("GET", "/openapi.yaml")
        #expect(String(decoding: answer.content, as: UTF8.self) == contract.text, "build again: the file has changed since")
    }

    // MARK: Parts

    /// A path with something in its places.
    private static func concrete(_ path: String, space: String = "main") -> String {
        path.replacing("{space}", with: space).replacing("{id}", with: "quick").replacing("{feature}", with: "user")
            .replacing("{view}", with: "title")
    }

    private func examples(of operation: Contract.Operation) -> [JSON] {
        guard case .object(let examples)? = operation.tree["requestBody"]?["content"]?["application/json"]?["examples"] else { return [] }
        return examples.compactMap { $0.value["value"] }
    }

    private func kind(of answer: LiveServer.Answer) -> String? {
        guard let problem = try? JSON(parsing: answer.content), case .string(let kind)? = problem["type"] else { return nil }
        return kind
    }
}
