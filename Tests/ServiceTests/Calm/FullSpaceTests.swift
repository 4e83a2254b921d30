import JSON
import ServiceInProcess
import Testing

/// Law CALM8, as a client meets it.
@Suite struct FullSpaceTests {
    private func service() throws -> ServiceInProcess {
        let service = try ServiceInProcess(features: [.room])
        service.spaceLimit = 60_000
        return service
    }

    @Test func `a space that is too large is 507, which names the limit, and rows can be removed`() throws {
        let service = try service()
        var reply = try service.ask("GET /v1/spaces/main")
        var count = 0
        while reply.status == 200, count < 2_000 {
            count += 1
            reply = try service.ask(
                "POST /v1/spaces/main/room/move", [:], #"{"name": "somebody \#(count)", "x": \#(count)}"#)
        }
        #expect(try reply.status == 507 && reply.json["type"] == "/problems/space-too-large")
        #expect(try reply.json["limit"] == 60_000)
        #expect(reply.body.contains("--space-memory"))
        #expect(try service.ask("GET /v1/spaces/main/room/cursors").status == 200)
        #expect(try service.ask("GET /metrics").body.contains("headwater_spaces_full 1"))
        let other = try service.ask("POST /v1/spaces/other/room/move", [:], #"{"name": "ada", "x": 1}"#)
        #expect(other.status == 200)
        for number in 1..<count {
            let gone = try service.ask("POST /v1/spaces/main/room/remove", [:], #"{"name": "somebody \#(number)"}"#)
            #expect(gone.status == 200)
        }
        #expect(
            try service.ask("POST /v1/spaces/main/room/move", [:], #"{"name": "ada", "x": 1}"#).status == 200)
    }
}
