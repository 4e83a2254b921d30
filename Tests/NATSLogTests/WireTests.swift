import JSON
import ReplicatedJournal
import Testing

@testable import NATSLog

struct WireTests {
    @Test(arguments: [
        ("nats://127.0.0.1:4222", "127.0.0.1", 4_222, false), ("nats://one.example", "one.example", 4_222, false),
        ("tls://one.example:7000/", "one.example", 7_000, true), ("nats://[::1]:4333", "::1", 4_333, false),
    ])
    func `an address has a host, a port and perhaps TLS`(
        _ text: String, _ host: String, _ port: UInt16, _ usesTLS: Bool
    )
        throws
    {
        let server = try NATSServer(text)
        #expect(server.host == host && server.port == port && server.usesTLS == usesTLS)
        #expect(try NATSServer(server.description) == server)
    }

    @Test(arguments: [
        "", "127.0.0.1:4222", "http://a", "nats:/a", "nats://", "nats://a:0", "nats://a:x", "nats://a:65536",
        "nats://a b", "nats://a\"b", "nats://::1:4222", "nats://[]", "nats://a:1:2", "nats://a,b",
    ])
    func `other texts are refused`(_ text: String) {
        #expect(throws: NATSFault.self) { try NATSServer(text) }
    }

    @Test func `an address with a password is refused, and the words do not repeat it`() throws {
        for text in ["nats://user:secret@host", "user:secret@host", "http://user:secret@host:1"] {
            let fault = #expect(throws: NATSFault.self) { try NATSServer(text) }
            #expect(fault?.description.contains("secret") == false)
        }
    }

    @Test func `a list of addresses keeps its order and does not mix TLS`() throws {
        #expect(try NATSServer.list("nats://a, nats://b,nats://a").map(\.host) == ["a", "b"])
        #expect(throws: NATSFault.self) { try NATSServer.list("nats://a,tls://b") }
        #expect(throws: NATSFault.self) { try NATSServer.list(" ") }
    }

    @Test func `a user comes from the environment, with its password`() throws {
        var settings = NATSSettings(servers: [try NATSServer("nats://a")], cluster: "c", name: "n")
        try settings.takeUser(from: [:])
        #expect(settings.user == nil)
        try settings.takeUser(from: ["HEADWATER_JOURNAL_USER": "u", "HEADWATER_JOURNAL_PASSWORD": "p"])
        #expect(settings.user?.name == "u" && settings.user?.password == "p")
        #expect(throws: NATSFault.self) { try settings.takeUser(from: ["HEADWATER_JOURNAL_USER": "u"]) }
        settings.credentialsFile = "f"
        #expect(throws: NATSFault.self) { try settings.check() }
    }

    @Test(arguments: ["", "a.b", "a b", "ä", "a*", "a>", String(repeating: "a", count: 65)])
    func `a cluster's name is a part of subjects`(_ name: String) throws {
        let settings = NATSSettings(servers: [try NATSServer("nats://a")], cluster: name, name: "n")
        #expect(throws: NATSFault.self) { try settings.check() }
    }

    @Test func `versions are compared by their numbers`() throws {
        #expect(try #require(ServerVersion("2.9.10")) < ServerVersion.oldest)
        #expect(try #require(ServerVersion("2.12.3-RC.1")) == ServerVersion.oldest)
        #expect(try #require(ServerVersion("2.14.0")) > ServerVersion.oldest)
        #expect(try #require(ServerVersion("10.0.0")) > ServerVersion.oldest)
        for text in ["", "2", "2.12", "a.b.c", "2.12.-3", "2.12.3.4"] { #expect(ServerVersion(text) == nil) }
    }

    @Test func `a greeting tells version, payload and streams`() throws {
        let text = #"INFO {"server_id":"x","version":"2.14.0","max_payload":1048576,"jetstream":true} "#
        let greeting = try #require(ServerGreeting(Array(text.utf8)))
        #expect(greeting.version == ServerVersion("2.14.0"))
        #expect(greeting.payloadLimit == 1_048_576 && greeting.hasStreams)
        for text in ["", "INFO", "INFO {", "HTTP/1.1 400 Bad Request", "+OK"] {
            #expect(ServerGreeting(Array(text.utf8)) == nil)
        }
    }

    @Test func `an acknowledgement has the number and the stream`() throws {
        #expect(try StreamAnswer.number(Array(#"{"stream":"hw-c-0", "seq":22}"#.utf8), in: "hw-c-0") == 22)
        for text in [
            "", "{", "[]", "{}", #"{"stream":"hw-c-0"}"#, #"{"stream":"hw-c-0","seq":0}"#, #"{"seq":1}"#,
            #"{"stream":"other","seq":22}"#, #"{"stream":"hw-c-0","seq":1.5}"#,
        ] {
            #expect(throws: NATSFault.self) { try StreamAnswer.number(Array(text.utf8), in: "hw-c-0") }
        }
        let refusal =
            #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 5"},"stream":"s","seq":0}"#
        #expect(throws: NATSFault.refused(code: 10_071, "wrong last sequence: 5")) {
            try StreamAnswer.number(Array(refusal.utf8), in: "s")
        }
    }

    @Test func `refusals are told apart`() {
        #expect(LogFailure(.refused(code: 10_071, "")).kind == .refused)
        #expect(LogFailure(.refused(code: 10_164, "")).kind == .refused)
        #expect(LogFailure(.refused(code: 10_037, "")).kind == .gone)
        #expect(LogFailure(.refused(code: 10_059, "")).kind == .unusable)
        #expect(LogFailure(.refused(code: 10_008, "")).kind == .unreachable)
        for fault in [NATSFault.nobody, .timedOut, .lost, .notConnected, .malformed("")] {
            #expect(LogFailure(fault).kind == .unreachable)
        }
    }

    @Test func `a reply subject tells the position of a message`() {
        let short = "$JS.ACK.hw-c-0.x1.1.42.7.1700000000.0"
        #expect(DeliveryPosition(short) == DeliveryPosition(number: 42, order: 7))
        let long = "$JS.ACK._.ACCOUNT.hw-c-0.x1.1.42.7.1700000000.0.RANDOM"
        #expect(DeliveryPosition(long) == DeliveryPosition(number: 42, order: 7))
        for subject in [
            "", "$JS.ACK", "$JS.FC.a.b.c", "$JS.ACK.a.b.1.x.7.0.0", "$JS.ACK.a.b.1.0.7.0.0", "a.b.c.d.e.1.2.h.i",
        ] {
            #expect(DeliveryPosition(subject) == nil)
        }
    }

    @Test func `a lost message is a gap, a repeated one is passed over`() {
        var progress = DeliveryProgress(after: 5)
        #expect(progress.take(DeliveryPosition(number: 6, order: 1)) == .next)
        #expect(progress.take(DeliveryPosition(number: 6, order: 1)) == .repeated)
        #expect(progress.take(DeliveryPosition(number: 7, order: 2)) == .next)
        #expect(progress.isWhole(at: 2))
        #expect(!progress.isWhole(at: 3))
        #expect(progress.take(DeliveryPosition(number: 9, order: 4)) == .gap)
        #expect(progress.last == 7)
        // A message that the stream has lost itself.
        #expect(progress.take(DeliveryPosition(number: 9, order: 3)) == .gap)
        #expect(progress.last == 7)
    }

    @Test func `a first message beyond the next shows trimmed entries`() {
        var progress = DeliveryProgress(after: 5)
        #expect(progress.take(DeliveryPosition(number: 8, order: 1)) == .trimmed)
        #expect(progress.last == 5)
    }

    @Test func `stored messages are read from Base64 only`() throws {
        for (text, bytes) in [
            ("", [UInt8]()), ("Zg==", [0x66]), ("Zm8=", [0x66, 0x6F]), ("Zm9v", [0x66, 0x6F, 0x6F]),
        ] {
            #expect(StoredMessage.bytes(text) == bytes)
        }
        for text in ["Z", "Zg", "Zg=", "Zh==", "Zm9v=", "Z===", "Zg==Zg==", "Zm-_", "Zm9 "] {
            #expect(StoredMessage.bytes(text) == nil)
        }
        #expect(throws: NATSFault.self) { try StoredMessage(["message": ["data": "Zg=="]]) }
        #expect(throws: NATSFault.self) { try StoredMessage(["message": ["seq": -3, "data": "Zg=="]]) }
        #expect(try StoredMessage(["message": ["seq": 3, "data": "Zg=="]]).number == 3)
    }

    @Test func `a mark of a stream is read as it was written`() {
        let mark = ClusterMark(lanes: 24, replicas: 3, generation: 2)
        #expect(ClusterMark(mark.text) == mark)
        for text in [
            "", "other", "headwater", "headwater lanes=0 replicas=3 generation=1", "headwater lanes=x",
            "headwater lanes=1025 replicas=3 generation=1", "headwater lanes=1 replicas=3 generation=\(Int.max)",
        ] {
            #expect(ClusterMark(text) == nil)
        }
    }

    @Test func `an empty stream begins after its last message`() throws {
        let answer: JSON = [
            "config": ["num_replicas": 3], "created": "t",
            "state": ["messages": 0, "first_seq": 0, "last_seq": 0],
        ]
        let facts = try StreamFacts(answer)
        #expect(facts.first == 1 && facts.last == 0 && facts.replicas == 3 && facts.version == nil)
        #expect(throws: NATSFault.self) { try StreamFacts(["config": [:]]) }
        #expect(throws: NATSFault.self) {
            try StreamFacts([
                "config": [:], "created": "t",
                "state": ["messages": 0, "first_seq": 0, "last_seq": 9_223_372_036_854_775_807],
            ])
        }
    }

    @Test(arguments: [
        (
            #"{"raft_group": "g", "leader": "b", "replicas": [{"current": true, "active": 9}, {"active": 80000000000}]}"#,
            true
        ),
        (
            #"{"raft_group": "g", "leader": "b", "replicas": [{"current": false, "active": 5000}, {"active": 80000000000}]}"#,
            true
        ),
        (#"{"raft_group": "g", "leader": "b", "replicas": [{"active": 70000000000}, {"active": 80000000000}]}"#, false),
        (#"{"raft_group": "g", "replicas": [{"active": 7}, {"active": 8}, {"active": 8}]}"#, false),
        (#"{"leader": "b"}"#, true), ("null", true),
    ])
    func `a server describes a stream if it leads it, and hears of the others`(_ cluster: String, isLeader: Bool) throws
    {
        let answer: JSON = [
            "config": [:], "created": "t", "state": ["messages": 0, "first_seq": 0, "last_seq": 0],
            "cluster": try JSON(parsing: Array(cluster.utf8)),
        ]
        if isLeader {
            _ = try StreamFacts(answer)
        } else {
            #expect(throws: NATSFault.nobody) { try StreamFacts(answer) }
        }
    }

    @Test func `a report names each node with its lanes, and the lanes without an owner`() {
        let report = ClusterReport(
            cluster: "c", lanes: 5, replicas: 3,
            nodes: [
                .init(
                    lease: Lease(node: "A", instance: 1, address: "http://a", owned: [Lane(0), Lane(1), Lane(3)]),
                    age: 0.5),
                .init(lease: Lease(node: "BB", instance: 1, state: .draining, owned: [.common]), age: 1),
                .init(lease: Lease(node: "C", instance: 1), age: 7),
                .init(lease: Lease(node: "D", instance: 1, state: .dead, owned: [Lane(4)]), age: 1),
            ])
        #expect(
            report.lines == [
                "cluster c: 5 lanes and common, 3 copies",
                "node  address   lease     lanes",
                "A     http://a  alive     0-1 3",
                "BB    -         draining  common",
                "C     -         silent    -",
                "D     -         dead      4",
                "without an owner: 2 4",
            ])
    }
}
