import JSON
import ServiceInProcess
import Testing

/// `GET …/{view}/window`: a window of a list has a path of its own.
@Suite struct WindowPathTests {
    // Law WINDOW1
    @Test func `the path of a window answers as the parameters of the list do`() throws {
        let service = try ServiceInProcess()
        let path = "GET /v1/spaces/main/catalog/products"
        for id in 100..<300 {
            let body = #"{"id": \#(id), "name": "p", "price": 1}"#
            #expect(try service.ask("POST /v1/spaces/common/catalog/put", [:], body).status == 200)
        }
        let first = try service.ask("\(path)/window")
        #expect(try first.status == 200 && first.body == service.ask("\(path)?limit=100").body)
        guard case .array(let items)? = try first.json["items"], case .string(let next)? = try first.json["next"] else {
            return #expect(Bool(false), "\(first.body)")
        }
        #expect(items.count == 100)
        let query = "?limit=7&total=1&after=\(next)"
        let second = try service.ask("\(path)/window\(query)")
        #expect(try second.body == service.ask(path + query).body)
        #expect(try second.json["total"] == .number(Decimal(205)))
        let tag = try #require(first["etag"])
        #expect(try service.ask("\(path)/window", ["If-None-Match": tag]).status == 304)
        #expect(try service.ask("\(path)/window?no=1").status == 422)
        #expect(try service.ask("POST /v1/spaces/main/catalog/products/window", [:], "{}").status == 405)
        #expect(try service.ask("GET /v1/spaces/main/user/title/window").status == 404)
        // A ticket for the path is good for the path.
        let ticket = try service.ask("POST /v1/tickets", [:], #"{"path": "/v1/spaces/main/catalog/products/window"}"#)
        guard case .string(let text)? = try ticket.json["ticket"] else { return #expect(Bool(false), "\(ticket.body)") }
        #expect(try service.ask("\(path)/window?ticket=\(text)").status == 200)
    }
}
