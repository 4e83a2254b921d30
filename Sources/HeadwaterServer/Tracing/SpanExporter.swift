import Platform
import HTTP
import JSON
import Outgoing
import StateStore

/// Sends spans to a collector (`--otlp`), as OTLP over HTTP in JSON. What does not fit into the queue is dropped and
/// counted, so a collector that is slow or away delays nothing.
final class SpanExporter: Sendable {
    /// The greatest number of spans that wait.
    static let queueLimit = 4_096
    /// The greatest number of spans of one request.
    static let batchLimit = 512
    private static let periodNanoseconds: Int64 = 1_000_000_000

    /// A request that was served, or sent.
    struct Span: Sendable {
        enum Kind: Int { case server = 2, client = 3 }

        let kind: Kind
        let name: String
        let context: TraceContext
        /// Nanoseconds since 1970.
        let began: Int64
        let ended: Int64
        /// The status of the answer; 0 for none.
        let status: Int
        let attributes: [(name: String, value: String)]
    }

    private struct State {
        var spans: [Span] = []
        var isSending = false
        var exported = 0
        var dropped = 0
    }

    private let url: String
    private let version: String
    private let resource: JSON
    private let fetcher: any Fetcher
    private let log: Log
    private let state = Lock(State())

    /// `instance` names this process among others of the service.
    init(_ url: String, instance: String, version: String, _ fetcher: any Fetcher, _ log: Log) {
        (self.url, self.version) = (url, version)
        self.fetcher = fetcher
        self.log = log
        resource = [
            "attributes": .array(
                [("service.name", "headwater"), ("service.version", version), ("service.instance.id", instance)]
                    .map { Self.attribute($0.0, .string($0.1)) })
        ]
    }

    /// Returns the URL of a collector for traces: that of an endpoint without a path gets the usual one. Nil if it is no URL.
    static func address(_ text: String) -> String? {
        guard text.hasPrefix("http://") || text.hasPrefix("https://"), !text.contains(" "), !text.contains("?"),
            let start = text.firstRange(of: "://")?.upperBound, start < text.endIndex, text[start] != "/"
        else { return nil }
        let path = text[start...].drop { $0 != "/" }
        return path.isEmpty || path == "/" ? (path.isEmpty ? text : String(text.dropLast())) + "/v1/traces" : text
    }

    /// The numbers of spans that were sent, and of those that were dropped.
    var counts: (exported: Int, dropped: Int) { state.with { ($0.exported, $0.dropped) } }

    func note(_ span: Span) {
        state.with { state in
            if state.spans.count < Self.queueLimit { state.spans.append(span) } else { state.dropped += 1 }
        }
    }

    /// Notes a request that was served. `nanoseconds` is its duration.
    func note(
        _ context: TraceContext, _ method: String, route: String, status: Int, nanoseconds: Int64, request: String
    ) {
        guard context.isSampled else { return }
        let now = Timestamp.now.microseconds * 1_000
        note(
            Span(
                kind: .server, name: "\(method) \(route)", context: context, began: now - nanoseconds, ended: now,
                status: status,
                attributes: [("http.request.method", method), ("http.route", route), ("headwater.request", request)]))
    }

    /// Begins to send once a second.
    func begin(on alarms: LoopScheduler) {
        alarms.after(nanoseconds: Self.periodNanoseconds) { [weak self, unowned alarms] in
            self?.send()
            self?.begin(on: alarms)
        }
    }

    /// Sends the spans that wait, unless the request before is under way.
    func send() {
        let batch = state.with { state -> [Span] in
            guard !state.isSending, !state.spans.isEmpty else { return [] }
            state.isSending = true
            defer { state.spans.removeFirst(min(state.spans.count, Self.batchLimit)) }
            return Array(state.spans.prefix(Self.batchLimit))
        }
        guard !batch.isEmpty else { return }
        var request = OutgoingRequest("POST", url, timeout: .seconds(10), bodyLimitBytes: 65_536, target: "otlp")
        request.fields = [.init("Content-Type", "application/json")]
        request.body = body(of: batch)
        _ = fetcher.fetch(request) { [weak self] result in self?.take(result, batch.count) }
    }

    private func take(_ result: Result<OutgoingResponse, FetchFailure>, _ count: Int) {
        var reason: String?
        switch result {
        case .success(let response) where (200..<300).contains(response.status): break
        case .success(let response): reason = "the collector answered \(response.status)"
        case .failure(let failure): reason = failure.description
        }
        let hasMore = state.with { state in
            state.isSending = false
            if reason == nil { state.exported += count } else { state.dropped += count }
            return state.spans.count >= Self.batchLimit
        }
        if let reason {
            let values = [("reason", reason)]
            log.write(RepeatedRefusals.Kind(.warning, "spans were not taken", values), values)
        } else if hasMore {
            send()
        }
    }

    // MARK: The body

    private static func attribute(_ name: String, _ value: JSON) -> JSON {
        ["key": .string(name), "value": ["stringValue": value]]
    }

    /// Returns the request for spans: an ExportTraceServiceRequest.
    func body(of spans: [Span]) -> [UInt8] {
        let scope: JSON = ["name": "headwater", "version": .string(version)]
        let body: JSON = [
            "resourceSpans": [
                [
                    "resource": resource,
                    "scopeSpans": [["scope": scope, "spans": .array(spans.map(Self.json))]],
                ]
            ]
        ]
        return body.written
    }

    private static func json(_ span: Span) -> JSON {
        var members = JSON.Object()
        members["traceId"] = .string(span.context.traceText)
        members["spanId"] = .string(TraceContext.text(span.context.span))
        if let parent = span.context.parent { members["parentSpanId"] = .string(TraceContext.text(parent)) }
        members["name"] = .string(span.name)
        members["kind"] = .number(Decimal(span.kind.rawValue))
        // A number of 64 bits is a text in the JSON of protocol buffers.
        members["startTimeUnixNano"] = .string("\(span.began)")
        members["endTimeUnixNano"] = .string("\(span.ended)")
        var attributes = span.attributes.map { attribute($0.name, .string($0.value)) }
        if span.status > 0 {
            attributes.append(["key": "http.response.status_code", "value": ["intValue": .string("\(span.status)")]])
        }
        members["attributes"] = .array(attributes)
        // A server is at fault from 500 on, a client from 400 on.
        let isError = span.status == 0 || span.status >= (span.kind == .server ? 500 : 400)
        members["status"] = isError ? ["code": 2] : [:]
        return .object(members)
    }
}

/// A client of other servers whose requests belong to a trace: that of their field `traceparent`, or one of their own.
final class TracedFetcher: Fetcher {
    private let fetcher: any Fetcher
    private let spans: SpanExporter

    init(_ fetcher: any Fetcher, _ spans: SpanExporter) {
        (self.fetcher, self.spans) = (fetcher, spans)
    }

    func fetch(
        _ request: OutgoingRequest, _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) -> Cancellation {
        let outer = request.fields.first { $0.name == "traceparent" }.flatMap { TraceContext($0.value) }
        let context = outer?.child ?? TraceContext()
        var traced = request
        traced.fields.removeAll { $0.name == "traceparent" }
        traced.fields.append(.init("traceparent", context.text))
        let began = Timestamp.now.microseconds * 1_000
        return fetcher.fetch(traced) { [spans] result in
            let status = if case .success(let response) = result { response.status } else { 0 }
            if context.isSampled {
                spans.note(
                    SpanExporter.Span(
                        kind: .client, name: "\(request.method) \(request.target)", context: context, began: began,
                        ended: Timestamp.now.microseconds * 1_000, status: status,
                        attributes: [("http.request.method", request.method), ("headwater.target", request.target)]))
            }
            done(result)
        }
    }
}
