import ServiceInProcess
import Testing

/// Alarms of sources whose reader has ended.
@Suite struct EndedSourcesTests {
    private static let first =
        #"{"source":{"view":"cart.numberOfItems"},"operators":[{"delay":{"seconds":5}},{"first":{}}]}"#

    // Law HISTORY4
    @Test(arguments: [
        #"{"merge":[\#(first),{"view":"cart.totalPrice"}]}"#,
        #"{"append":[\#(first),{"view":"cart.totalPrice"}]}"#,
        #"{"combineLatest":[\#(first),{"view":"cart.totalPrice"}]}"#,
        #"{"zip":[\#(first),{"view":"cart.totalPrice"}]}"#,
    ])
    func `an alarm below an ended operator goes off no more`(_ source: String) throws {
        let service = try ServiceInProcess()
        let add = { try service.ask("POST /v1/spaces/a/cart/add", [:], #"{"productId":1}"#) }
        let definition = #"{"source":\#(source),"operators":[]}"#
        #expect(try service.ask("PUT /v1/spaces/a/streams/x", [:], definition).status == 200)
        service.advance(seconds: 2)
        #expect(try add().status == 200)
        service.advance(seconds: 2)
        #expect(try add().status == 200)
        // The first delayed value ends the operator `first`, while two more values wait below it.
        service.advance(seconds: 20)
        #expect(try add().status == 200)
        #expect(try service.ask("GET /v1/spaces/a/streams/x/value").status == 200)
    }
}
