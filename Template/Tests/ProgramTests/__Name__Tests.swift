import FeatureTesting
import Testing

@testable import Program

@Suite struct __Name__Tests {
    let server: TestServer

    init() throws {
        server = try TestServer([feature])
    }

    @Test func `a note is added and removed`() throws {
        let id = try #require(server.perform("__name__/add", #"{"text": "Hello"}"#).resultText)
        #expect(try server.view("__name__.count") == "1")
        #expect(try server.view("__name__.notes").contains(#""text":"Hello""#))
        try server.perform("__name__/remove", #"{"id": \#(id)}"#)
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
