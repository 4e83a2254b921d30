import JSON
import ServiceInProcess
import Testing

/// The parameters of views of documents: one text for each value, and words for each fault.
@Suite struct DocumentParameterTests {
    private static let document = #"""
        {"feature": "f", "home": "space", "views": {"all": {"parameters": {
            "b": {"type": "boolean", "default": true}, "n": {"type": "number", "default": 1.5},
            "e": {"enum": ["x", "y"], "default": "x"}, "i": {"type": "integer", "minimum": 0, "maximum": 9, "default": 1},
            "t": {"type": "string", "maxLength": 2, "default": ""}},
          "expression": "[string(input.b), string(input.n), input.e, string(input.i), input.t]"}}}
        """#

    private let service: ServiceInProcess

    init() throws {
        service = try ServiceInProcess()
        #expect(try service.ask("PUT /v1/features/f", [:], Self.document).status == 201)
    }

    @Test(arguments: [
        ("n=1.50&i=1.0&e=x&b=%74rue&t=", "f.all"), ("n=1e3", "f.all?n=1000"), ("i=-0", "f.all?i=0"),
        ("t=%2F%C3%A9&b=false", "f.all?b=false&t=%2F%C3%A9"),
    ])
    func `equal parameters make one instance, in its canonical form`(_ query: String, _ name: String) throws {
        let written = query.replacing("%", with: "%25").replacing("&", with: "%26").replacing("=", with: "%3D")
        let reply = try service.ask("GET /v1/spaces/a/views?view=f.all%3F\(written)")
        guard case .object(let views) = try reply.json else { return #expect(Bool(false), "\(reply.body)") }
        #expect(views.map(\.key) == [name])
        #expect(try service.ask("GET /v1/spaces/a/f/all?\(query)").json == views[name])
    }

    @Test(arguments: [
        ("b=1", "the parameter b is a boolean", "/b"), ("n=NaN", "the parameter n is a number", "/n"),
        ("i=01", "the parameter i is an integer", "/i"), ("i=10", "the value must be from 0 to 9", "/i"),
        ("e=z", "the value must be one of x, y", "/e"), ("t=abc", "the value ", "/t"),
        ("i=9223372036854775808", "the parameter i is an integer", "/i"),
        ("i=1&i=1", "the parameter i is there twice: send it once", nil),
    ])
    func `a faulty parameter is refused in words`(_ query: String, _ words: String, _ pointer: String?) throws {
        let reply = try service.ask("GET /v1/spaces/a/f/all?\(query)")
        guard case .string(let detail)? = try reply.json["detail"] else { return #expect(Bool(false), "\(reply.body)") }
        #expect(reply.status == 422 && detail.hasPrefix(words) && !detail.contains("value the value"), "\(detail)")
        if let pointer { #expect(try reply.json["pointer"] == .string(pointer)) }
    }
}
