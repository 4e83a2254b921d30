import Hosting
import Documents
import HeadwaterServer
import JSON
import Outgoing
import ScriptedOutside
import ServiceInProcess
import StateStore

/// One of the two worlds: a service, its clients, and the receivers of its hooks.
final class World {
    /// Something that a client got.
    struct Received {
        /// The step of the request; for a delivery the present step.
        let step: Int
        let by: Person
        let road: String
        /// The request, or the hook's URL.
        let request: String
        let text: String
    }

    /// A client that has not closed its connection.
    private struct Client {
        let message: Message
        let connection: ConnectionInProcess
    }

    private static let turns = 6
    private static let expiry = 2_000_000_000
    /// A key that both worlds have.
    private static let keys = DigestKey(0x1234_5678_9ABC_DEF0, 0x0FED_CBA9_8765_4321)

    private let index: Int
    private let secrets: SecretTable
    private let fetcher = ScriptedFetcher()
    private let issuer: TokenIssuer
    private let service: ServiceInProcess
    private var clients: [Int: Client] = [:]
    private var deliveriesCount = 0
    /// The answers of the first world, which markers name.
    private(set) var answers: [Int: String] = [:]
    private let tokens: [Person: String]

    init(_ index: Int, _ scenario: Scenario) throws {
        self.index = index
        secrets = scenario.secrets
        issuer = try TokenIssuer()
        var tokens: [Person: String] = [:]
        for person in Person.allCases {
            tokens[person] = try TokenIssuer.token(
                TokenIssuer.claims(until: Self.expiry, person.claims), secret: Array(TokenIssuer.secret.utf8))
        }
        self.tokens = tokens
        let others = Person.allCases.filter { $0 != .eva }.map { "token.sub == '\($0)' => admin, *" }
        let grants = (scenario.standing.grants + others).flatMap { ["--grant", $0] }
        let hosts = Person.allCases.flatMap { ["--outgoing-allow", "\($0).example:9000"] }
        let audit = try issuer.write("audit", "")
        service = try ServiceInProcess(
            keys: Self.keys, history: 1_000,
            arguments: try issuer.arguments() + grants + hosts + ["--audit", audit, "--audit-input", "--mcp"],
            documents: FeatureCompiler(), fetcher: fetcher, features: featuresInSwift())
    }

    // MARK: Steps

    /// Performs a step, and returns what clients and receivers got. `recalled` has the answers of the first world.
    func perform(_ step: Step, _ recalled: [Int: String]) throws -> [Received] {
        var received: [Received] = []
        switch step.work {
        case .send(let message):
            let connection = try begin(message, recalled)
            let text = answer(of: connection)
            connection.close()
            answers[step.number] = text
            received.append(self.received(step.number, message, text))
        case .open(let message):
            let connection = try begin(message, recalled)
            clients[step.number] = Client(message: message, connection: connection)
            service.settle()
        case .close(let number):
            received += news()
            clients[number]?.connection.close()
            clients[number] = nil
        case .deploy: break
        case .advance(let milliseconds): service.advance(milliseconds: milliseconds)
        case .answerDeliveries(let status):
            var isAnswered = true
            while isAnswered {
                service.settle()
                isAnswered = fetcher.answer(".example:9000", status: status)
            }
        }
        service.settle()
        return received + news() + deliveries(step.number)
    }

    /// Puts a document as root, and returns the answer.
    func deploy(_ text: String, named name: String, step: Int, _ recalled: [Int: String]) throws -> String {
        let message = Message(
            by: .root, road: "PUT /v1/features/{feature}", line: "PUT /v1/features/\(name)", body: text)
        let connection = try begin(message, recalled)
        defer { connection.close() }
        return answer(of: connection)
    }

    private func received(_ step: Int, _ message: Message, _ text: String) -> Received {
        Received(step: step, by: message.by, road: message.road, request: "\(message)", text: text)
    }

    /// What came on open connections.
    private func news() -> [Received] {
        clients.sorted { $0.key < $1.key }.compactMap { number, client in
            client.connection.receive()
            let text = client.connection.takeAll()
            if answers[number] == nil || !text.isEmpty { answers[number, default: ""] += text }
            return text.isEmpty ? nil : received(number, client.message, text)
        }
    }

    /// What hooks delivered since the last call, in an order of its own, because different hooks deliver side by side.
    private func deliveries(_ step: Int) -> [Received] {
        let requests = fetcher.requests
        defer { deliveriesCount = requests.count }
        return requests[deliveriesCount...].map { request in
            let fields = request.fields.map { "\($0.name): \($0.value)\n" }.joined()
            let person = Person.allCases.first { request.url.hasPrefix("http://\($0).") } ?? .root
            return Received(
                step: step, by: person, road: Road.deliveries.name, request: "a delivery to \(request.url)",
                text:
                    "\(request.method) \(request.url)\n\(fields)\n\(String(decoding: request.body ?? [], as: UTF8.self))"
            )
        }.sorted { $0.text < $1.text }
    }

    // MARK: Connections

    private func begin(_ message: Message, _ recalled: [Int: String]) throws -> ConnectionInProcess {
        func text(_ text: String) -> String {
            secrets.text(text, in: index) { kind, number in Self.part(kind, of: recalled[number] ?? "", tokens) }
        }
        let body = text(message.body)
        var fields = ["Host: localhost"]
        if !message.isAnonymous { fields.append("Authorization: Bearer \(tokens[message.by] ?? "")") }
        if !body.isEmpty { fields += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        fields += message.fields.map { "\($0.name): \(text($0.value))" }
        let head = "\(text(message.line)) HTTP/1.0\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n"
        let connection = try service.connect()
        connection.send(bytes: Array((head + body).utf8))
        return connection
    }

    /// The whole answer, or what has come of a stream.
    private func answer(of connection: ConnectionInProcess) -> String {
        var text = ""
        for _ in 0..<Self.turns {
            service.settle()
            connection.receive()
            text += connection.takeAll()
            if connection.isEnded { break }
        }
        return text
    }

    /// Returns the part of an answer that a marker names.
    private static func part(_ kind: Substring, of answer: String, _ tokens: [Person: String]) -> String {
        func after(_ start: String, upTo ends: Set<Character>) -> String? {
            answer.firstRange(of: start).map { range in
                String(answer[range.upperBound...].prefix { !ends.contains($0) })
            }
        }
        switch kind {
        case "token": return tokens[.eva] ?? ""
        case "etag": return after("ETag: ", upTo: ["\r", "\r\n"]) ?? "\"none\""
        case "tag": return after("ETag: \"", upTo: ["\""]) ?? "none"
        case "ticket": return after("\"ticket\":\"", upTo: ["\""]) ?? "none"
        case "cursor": return after("\"cursor\":\"", upTo: ["\""]) ?? "none"
        case "id":
            let lines = answer.split(separator: "\n").filter { $0.hasPrefix("id: ") }
            return lines.last.map { String($0.dropFirst(4)) } ?? "none"
        case "version": return after("\"version\":", upTo: [",", "}"]) ?? "0"
        default: return "none"
        }
    }
}
