import Hosting
import Documents
import JSON
import Reactive
import ServiceInProcess
import StateStore
import Testing

/// A write of a private value makes a version, also if it equals the stored value: no answer confirms a guess.
@Suite struct PrivateWriteTests {
    /// Rows in memory only with a private member.
    struct LobbyState {
        let seats = Table<String, Patient>(kept: false)
    }

    struct LobbyService: StateService {
        let sit: Action<Admission>

        init(_ lobby: LobbyState) {
            sit = Action { input, commit in commit[lobby.seats, input.id] = input.patient }
        }
    }

    struct LobbyViewModel: ViewModel {
        let names: OrderedRows<String, String>

        init(_ lobby: LobbyState) { names = lobby.seats.map { $1.name }.sorted() }
    }

    struct ShelfState {
        let patients = Table<String, Patient>()
        let code = Variable(Private(""))
        let count = Variable(0)
    }

    struct ShelfService: StateService {
        let put: Action<Admission>
        let remove: Action<PatientID>
        let refill: Action<Admission>
        let lock: Action<Code>
        let touch: Action<NoInput>

        init(_ shelf: ShelfState) {
            put = Action { input, commit in commit[shelf.patients, input.id] = input.patient }
            remove = Action { input, commit in commit[shelf.patients, input.id] = nil }
            refill = Action { input, commit in
                commit.removeAll(of: shelf.patients)
                commit[shelf.patients, input.id] = input.patient
            }
            lock = Action { input, commit in commit[shelf.code] = Private(input.code) }
            touch = Action { commit in commit[shelf.count] = 0 }
        }
    }

    struct ShelfViewModel: ViewModel {
        let names: OrderedRows<String, String>
        let count: Observable<Int>
        let length: Observable<Int>

        init(_ shelf: ShelfState) {
            names = shelf.patients.map { $1.name }.sorted()
            count = shelf.patients.rowCount()
            length = shelf.code.map { _ in 0 }
        }
    }

    /// The shelf and the lobby as documents.
    private static let documents = [
        "rack": """
        {"feature": "rack", "home": "space",
         "types": {"Patient": {"type": "object", "properties": {"name": {"type": "string"},
             "number": {"type": "string", "private": true}}, "required": ["name", "number"]},
           "Admission": {"type": "object", "properties": {"id": {"type": "string"}, "patient": {"$ref": "#/types/Patient"}},
             "required": ["id", "patient"]}},
         "state": {"patients": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Patient"}}},
           "code": {"value": {"type": "string", "private": true}, "initial": ""},
           "count": {"value": {"type": "integer"}, "initial": 0}},
         "actions": {
           "put": {"input": {"$ref": "#/types/Admission"},
             "do": [{"put": "patients", "key": "input.id", "row": "input.patient"}]},
           "change": {"input": {"$ref": "#/types/Admission"},
             "do": [{"update": "patients", "key": "input.id", "with": "{'number': input.patient.number}"}]},
           "remove": {"input": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
             "do": [{"remove": "patients", "key": "input.id"}]},
           "refill": {"input": {"$ref": "#/types/Admission"},
             "do": [{"clear": "patients"}, {"put": "patients", "key": "input.id", "row": "input.patient"}]},
           "lock": {"input": {"type": "object", "properties": {"code": {"type": "string", "private": true}},
             "required": ["code"]}, "do": [{"set": "code", "to": "input.code"}]},
           "touch": {"do": [{"set": "count", "to": "0"}]}},
         "views": {"names": {"from": "patients", "select": "row.name"}, "all": {"from": "patients"},
           "count": {"expression": "size(state.patients)"}, "rows": {"expression": "state"},
           "length": {"expression": "state.code"},
           "changes": {"source": {"fold": {"over": {"changes": ["rack/put", "rack/lock"]}, "initialValue": 0,
             "expression": "accumulated + 1"}}},
           "scanned": {"source": {"view": "rack.rows"}, "operators": [{"scan": {"initialValue": 0,
             "expression": "accumulated + 1"}}]}}}
        """,
        "hall": """
        {"feature": "hall", "home": "space",
         "types": {"Patient": {"type": "object", "properties": {"name": {"type": "string"},
             "number": {"type": "string", "private": true}}, "required": ["name", "number"]}},
         "state": {"seats": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Patient"}}, "kept": false}},
         "actions": {"sit": {"input": {"type": "object", "properties": {"id": {"type": "string"},
             "patient": {"$ref": "#/types/Patient"}}, "required": ["id", "patient"]},
           "do": [{"put": "seats", "key": "input.id", "row": "input.patient"}]}},
         "views": {"names": {"from": "seats", "select": "row.name"}, "all": {"from": "seats"}}}
        """,
    ]

    private static func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            documents: FeatureCompiler(),
            features: [
                Feature("shelf", ShelfState.init, ShelfService.init, ShelfViewModel.init),
                Feature("lobby", LobbyState.init, LobbyService.init, LobbyViewModel.init),
            ])
        for (name, document) in documents.sorted(by: { $0.key < $1.key }) {
            let reply = try service.ask("PUT /v1/features/\(name)", [:], document)
            #expect(reply.status == 201, "\(reply.body)")
        }
        let stream = #"{"source": {"view": "shelf.length"}, "operators": [{"scan": {"initialValue": 0, "#
        let rest = #""expression": "accumulated + 1"}}]}"#
        #expect(try service.ask("PUT /v1/spaces/main/streams/seen", [:], stream + rest).status == 200)
        return service
    }

    private static func patient(_ number: String) -> String {
        #"{"id": "a", "patient": {"name": "Ada", "number": "\#(number)"}}"#
    }

    /// The action that stores a secret, the action that guesses it, and the views that anybody may read.
    static let guesses: [(first: String, guess: String, views: [String])] = [
        ("shelf/put", "shelf/put", ["shelf.names", "shelf.count"]), ("shelf/lock", "shelf/lock", ["shelf.length"]),
        ("shelf/put", "shelf/refill", ["shelf.names", "shelf.count"]),
        ("rack/put", "rack/put", ["rack.names", "rack.all", "rack.rows", "rack.scanned", "rack.changes"]),
        ("rack/put", "rack/change", ["rack.all", "rack.rows", "rack.scanned"]),
        ("rack/put", "rack/refill", ["rack.all", "rack.rows", "rack.scanned"]),
        ("rack/lock", "rack/lock", ["rack.rows", "rack.changes", "rack.scanned"]),
        ("lobby/sit", "lobby/sit", ["lobby.names"]), ("hall/sit", "hall/sit", ["hall.names", "hall.all"]),
    ]

    // Laws K3 and PRIV1
    @Test(arguments: guesses.indices) func `a right guess and a wrong one get the same answers`(_ index: Int) throws {
        let (first, guess, views) = Self.guesses[index]
        let query = views.map { "view=\($0)" }.joined(separator: "&")
        /// All that a caller gets who guesses a secret.
        func seen(_ secret: String) throws -> [String] {
            let service = try Self.service()
            func body(_ value: String, _ action: String) -> String {
                action.hasSuffix("/lock") ? #"{"code": "\#(value)"}"# : Self.patient(value)
            }
            #expect(try service.ask("POST /v1/spaces/main/\(first)", [:], body(secret, first)).status == 200)
            let stream = try service.connect()
            stream.send("GET /v1/spaces/main/views?\(query)&events=1", [:])
            service.settle()
            stream.receive()
            #expect(stream.takeHead()?.contains(" 200") == true)
            _ = stream.takeAll()
            let key = ["Idempotency-Key": "k"]
            let guessed = body("1234", guess)
            let replies = try [
                service.ask("POST /v1/spaces/main/\(guess)?\(query)", key, guessed),
                service.ask("POST /v1/spaces/main/\(guess)?\(query)", key, guessed),
                service.ask("POST /v1/spaces/main/\(guess)", [:], guessed),
                service.ask("GET /v1/spaces/main/changes"), service.ask("GET /v1/spaces/main"),
                service.ask("GET /v1/spaces/main/views?\(query)"),
                service.ask("GET /v1/spaces/main/\(views[0].replacing(".", with: "/"))/why"),
                service.ask("GET /v1/spaces/main/streams/seen/value"),
            ]
            for reply in replies { #expect(reply.status == 200 || reply.status == 409, "\(reply)") }
            #expect(replies[0].body.contains(#""changed":[""#), "\(replies[0].body)")
            service.advance(seconds: 1)
            stream.receive()
            // The keys of the services differ, so of the tags only their numbers and whether they are equal compare.
            var tags: [String] = []
            return replies.map { reply in
                var fields = reply.fields
                fields["x-request-id"] = nil
                fields["date"] = nil
                fields["etag"] = reply["ETag"].map { tag in
                    if !tags.contains(tag) { tags.append(tag) }
                    return "\(tag.prefix { $0 != "-" }) \(tags.firstIndex(of: tag) ?? 0)"
                }
                return "\(reply.status) \(fields.sorted { $0.key < $1.key }) \(reply.body)"
            } + [stream.takeAll().split(separator: "\n").filter { !$0.hasPrefix("id:") }.joined(separator: "\n")]
        }
        let (right, wrong) = (try seen("1234"), try seen("9999"))
        for (right, wrong) in zip(right, wrong) { #expect(right == wrong) }
    }

    // Law K3
    @Test(arguments: ["shelf", "rack"]) func `other writes that change nothing make no version`(
        _ feature: String
    ) throws {
        let service = try Self.service()
        let before = try service.ask("GET /v1/spaces/main").json["version"]
        for (action, body) in [("touch", "{}"), ("remove", #"{"id": "nobody"}"#)] {
            let reply = try service.ask("POST /v1/spaces/main/\(feature)/\(action)", [:], body)
            #expect(try reply.json["version"] == before && reply.json["changed"] == [], "\(reply.body)")
        }
    }

    // Laws K8 and PRIV1
    @Test(arguments: ["shelf", "rack"]) func `an equal write delivers no frame of a list or of a masked value`(
        _ feature: String
    ) throws {
        let service = try Self.service()
        let put = "POST /v1/spaces/main/\(feature)/put"
        #expect(try service.ask(put, [:], Self.patient("1234")).status == 200)
        let stream = try service.connect()
        stream.send("GET /v1/spaces/main/views?view=\(feature).names&view=\(feature).count&events=1", [:])
        service.settle()
        stream.receive()
        #expect(stream.takeHead()?.contains(" 200") == true)
        #expect(stream.takeAll().contains("Ada"))
        let again = try service.ask(put, [:], Self.patient("1234"))
        #expect(again.status == 200 && again.body.contains("\(feature).patients"))
        service.advance(seconds: 1)
        stream.receive()
        #expect(!stream.takeAll().contains("data:"))
    }
}
