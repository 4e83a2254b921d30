import JSON
import ServiceInProcess
import Testing

/// Streams that begin with the history of their space, over HTTP.
@Suite struct StreamBeginningTests {
    private static let body =
        #"{"begin":0,"source":{"view":"cart.numberOfItems"},"operators":[{"scan":{"initialValue":0,"expression":"accumulated + value"}}]}"#

    // Law HISTORY1
    @Test func `begin 0 replays the history, and is 410 with the oldest version once it is gone`() throws {
        let service = try ServiceInProcess(history: 4)
        for _ in 0..<2 {
            #expect(try service.ask("POST /v1/spaces/main/cart/add", [:], #"{"productId":1}"#).status == 200)
        }
        let whole = try service.ask("PUT /v1/spaces/main/streams/whole", [:], Self.body)
        #expect(whole.status == 201 || whole.status == 200, "\(whole)")
        #expect(try service.ask("GET /v1/spaces/main/streams/whole/value").body == "3")
        for _ in 0..<8 {
            #expect(try service.ask("POST /v1/spaces/main/cart/add", [:], #"{"productId":1}"#).status == 200)
        }
        let gone = try service.ask("PUT /v1/spaces/main/streams/gone", [:], Self.body)
        #expect(gone.status == 410, "\(gone)")
        guard case .number(let oldest)? = try gone.json["oldest"] else {
            Issue.record("\(gone)")
            return
        }
        #expect(oldest > 0)
        #expect(try service.ask("GET /v1/spaces/main/streams/gone").status == 404)
        #expect(try service.ask("GET /v1/spaces/main/streams/whole/value").body == "55")
    }

    // Law HISTORY1
    @Test func `common has no streams, with a history or without`() throws {
        let service = try ServiceInProcess()
        let plain = try service.ask("PUT /v1/spaces/common/streams/x", [:], #"{"stream": []}"#)
        let replayed = try service.ask("PUT /v1/spaces/common/streams/x", [:], Self.body)
        #expect(plain.status == 409 && replayed.status == plain.status, "\(plain) \(replayed)")
        #expect(try service.ask("GET /healthz").status == 200)
    }
}
