import Ground
import Platform
import HTTP
import JSON
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Spans on their way to a collector.
@Suite struct SpanTests {
    /// A collector that answers when it is told to.
    private final class Collector: Fetcher {
        let bodies = Lock<[[UInt8]]>([])
        let waiting = Lock<[@Sendable (Result<OutgoingResponse, FetchFailure>) -> Void]>([])

        func fetch(
            _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
        ) -> Cancellation {
            bodies.with { $0.append(request.body ?? []) }
            waiting.with { $0.append(done) }
            return Cancellation()
        }

        func answer(_ status: Int) {
            let done = waiting.with { $0.removeFirst() }
            done(.success(OutgoingResponse(status: status)))
        }
    }

    private func exporter(_ collector: Collector) -> SpanExporter {
        SpanExporter("http://collector/v1/traces", instance: "a", version: "1", collector, Log(.error, .text))
    }

    private func note(_ exporter: SpanExporter, _ context: TraceContext = TraceContext(), status: Int = 200) {
        exporter.note(context, "GET", route: "/v1", status: status, nanoseconds: 5, request: "r")
    }

    @Test(arguments: [
        ("http://a:4318", "http://a:4318/v1/traces"), ("https://a/", "https://a/v1/traces"),
        ("http://a/otlp/v1/traces", "http://a/otlp/v1/traces"), ("http://", nil), ("a:4318", nil), ("http://a b", nil),
    ]) func `an endpoint without a path gets the usual one`(_ text: String, _ expected: String?) {
        #expect(SpanExporter.address(text) == expected)
    }

    // Law TRACE1
    @Test func `a span has its trace, its parent, its times and its status`() throws {
        let collector = Collector()
        let exporter = exporter(collector)
        let outer = try #require(TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        note(exporter, outer.child, status: 503)
        let unsampled = try #require(TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"))
        note(exporter, unsampled.child)
        exporter.send()
        let body = try JSON(parsing: try #require(collector.bodies.with { $0.first }))
        guard case .array(let spans)? = body["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"] else {
            Issue.record("no spans: \(body)")
            return
        }
        #expect(spans.count == 1 && spans[0]["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(spans[0]["parentSpanId"] == "00f067aa0ba902b7" && spans[0]["status"] == ["code": 2])
        #expect(spans[0]["name"] == "GET /v1" && spans[0]["kind"] == 2)
        guard case .string(let began)? = spans[0]["startTimeUnixNano"],
            case .string(let ended)? = spans[0]["endTimeUnixNano"],
            let first = Int(began), let last = Int(ended)
        else { return }
        #expect(last - first == 5)
    }

    // Law TRACE2
    @Test func `a collector that is away costs spans and nothing else`() {
        let collector = Collector()
        let exporter = exporter(collector)
        for _ in 0..<SpanExporter.queueLimit + 7 { note(exporter) }
        #expect(exporter.counts == (0, 7))
        exporter.send()
        // One request at a time.
        exporter.send()
        #expect(collector.bodies.with { $0.count } == 1)
        collector.answer(500)
        #expect(exporter.counts == (0, 7 + SpanExporter.batchLimit))
        exporter.send()
        // What waits is sent batch after batch.
        while !collector.waiting.with({ $0.isEmpty }) { collector.answer(200) }
        exporter.send()
        while !collector.waiting.with({ $0.isEmpty }) { collector.answer(200) }
        #expect(exporter.counts == (SpanExporter.queueLimit - SpanExporter.batchLimit, 7 + SpanExporter.batchLimit))
    }

    // Law TRACE1
    @Test func `a request to another server belongs to the trace that it was given, or to one of its own`() throws {
        let collector = Collector()
        let outer = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let sent = Lock<[String]>([])
        let recorder = RecordingFetcher(sent)
        _ = TracedFetcher(recorder, exporter(collector)).fetch(
            OutgoingRequest("POST", "http://a/", fields: [.init("traceparent", outer)], target: "hooks")
        ) { _ in }
        _ = TracedFetcher(recorder, exporter(collector)).fetch(OutgoingRequest("GET", "http://a/", target: "rates")) {
            _ in
        }
        let texts = sent.with { $0 }
        #expect(texts.count == 2 && texts[0].contains("4bf92f3577b34da6a3ce929d0e0e4736") && texts[0] != outer)
        #expect(TraceContext(texts[1]) != nil && !texts[1].contains("4bf92f3577b34da6a3ce929d0e0e4736"))
    }

    /// A fetcher that records the traces of requests.
    private final class RecordingFetcher: Fetcher {
        private let sent: Lock<[String]>

        init(_ sent: Lock<[String]>) { self.sent = sent }

        func fetch(
            _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
        ) -> Cancellation {
            sent.with { $0 += request.fields.filter { $0.name == "traceparent" }.map(\.value) }
            return Cancellation()
        }
    }

    @Test func `the traces of the last commits are remembered, and no others`() throws {
        let memory = TraceMemory()
        let space = try #require(SpaceName("main"))
        for version in 1...TraceMemory.limit + 1 { memory.note(TraceContext(), space, version) }
        #expect(memory.trace(of: space, 1) == nil && memory.trace(of: space, 2) != nil)
        #expect(memory.trace(of: .common, 2) == nil && memory.trace(of: space, TraceMemory.limit + 1) != nil)
    }

    // Law TRACE3
    @Test func `components are for administrators who accept JSON`() throws {
        let json = ["Accept": "application/json"]
        let open = try ServiceInProcess()
        #expect(try open.ask("GET /healthz").body == "ok\n")
        let health = try open.ask("GET /healthz", json)
        #expect(try health.json["status"] == "ok" && health.json["components"]?["journal"]?["status"] == "ok")
        let digest = SHA256.digest("some".utf8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let closed = try ServiceInProcess(tokenFile: "\(digest) admin a-*")
        for fields in [
            json, json.merging(["Authorization": "Bearer some"]) { $1 },
            json.merging(["Authorization": "Bearer x"]) { $1 },
        ] {
            #expect(try closed.ask("GET /healthz", fields).body == "ok\n")
        }
    }
}
