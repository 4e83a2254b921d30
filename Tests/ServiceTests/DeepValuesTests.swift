import JSON
import ServiceInProcess
import Testing

/// Values at the depth limit of a body, or beyond it, are part of answers.
@Suite struct DeepValuesTests {
    private func post(_ path: String, _ body: String, to service: ServiceInProcess) throws -> (head: String, body: JSON)
    {
        let head =
            "POST \(path) HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let answer = String(decoding: try service.answer(to: [Array((head + body).utf8)]), as: UTF8.self)
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        try #require(parts.count == 2, "\(answer)")
        return (parts[0], try JSON(parsing: Array(parts[1].utf8), depth: JSONReader.greatestDepthLimit))
    }

    @Test func `a try delivers values at the depth limit of JSON`() throws {
        let answer = try post(
            "/v1/spaces/main/streams:test",
            #"{"definition": {"source": {"input": "x"}, "operators": [{"scan": {"initialValue": [], "expression": "[accumulated]"}}]}, "#
                + #""inputs": {"x": "\#(String(repeating: "a", count: 62))"}}"#,
            to: ServiceInProcess())
        #expect(answer.head.hasPrefix("HTTP/1.1 200"))
        guard case .array(let events)? = answer.body["events"] else { return #expect(Bool(false), "\(answer)") }
        #expect(events.count == 62 && events.last?["value"]?.isDeeper(than: 61) == true)
    }

    @Test func `a try delivers the value of a failure at any depth`() throws {
        let value = String(repeating: "[", count: 57) + String(repeating: "]", count: 57)
        let collect = Array(repeating: #"{"collect": {"count": 1}}"#, count: 60).joined(separator: ",")
        let answer = try post(
            "/v1/spaces/main/streams:test",
            #"{"definition": {"stream": [{"value": \#(value)}], "operators": [\#(collect), {"map": {"expression": "value + 1"}}]}}"#,
            to: ServiceInProcess())
        #expect(answer.head.hasPrefix("HTTP/1.1 200"), "\(answer)")
    }

    @Test func `why shows an input at the depth limit of a body`() throws {
        let service = try ServiceInProcess()
        let value = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        _ = try post("/v1/spaces/main/streams/put", #"{"id": "a", "stream": [{"value": \#(value)}]}"#, to: service)
        let sent = Array("GET /v1/spaces/main/streams/definitions/why HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        let check = try AnswerCheck(try service.answer(to: [sent]), to: sent)
        #expect(check.statuses == [200: 1])
    }
}
