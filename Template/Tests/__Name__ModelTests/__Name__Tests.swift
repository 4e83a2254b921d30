import FeatureTesting
import Testing

@testable import __Name__Model

@Suite struct __Name__Tests {
    let server: TestServer

    init() throws {
        server = try TestServer([model.feature()])
    }

    @Test func `a note is added and removed`() throws {
        let id = try server.perform(\__Name__Service.add, NewNote(text: "Hello"))
        #expect(try server.value(of: "__name__.count", as: Int.self) == 1)
        #expect(try server.value(of: "__name__.notes", as: [Note].self).map(\.text) == ["Hello"])
        try server.perform(\__Name__Service.remove, NoteID(id: id))
        #expect(try server.view("__name__.notes") == "[]")
    }

    @Test func `a note that does not exist cannot be removed`() throws {
        #expect(throws: TestRefusal.self) { try server.perform("__name__/remove", #"{"id": "none"}"#) }
    }

    @Test func `a repeat with the same key adds nothing, also after a crash`() throws {
        let first = try server.perform("__name__/add", #"{"text": "Hello"}"#, key: "k")
        try server.restart()
        #expect(try server.perform("__name__/add", #"{"text": "Hello"}"#, key: "k").result == first.result)
        #expect(try server.view("__name__.count") == "1")
    }
}
