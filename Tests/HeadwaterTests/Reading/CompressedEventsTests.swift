import Foundation
import Glibc
import Testing

/// Law H14, for a client that many people have.
@Suite struct CompressedEventsTests {
    @Test func `curl prints each event of a compressed stream at once, and finds its end whole`() throws {
        let server = try Service("--memory", "--threads", "2", "--heartbeat", "1")
        let curl = Process()
        let output = Pipe()
        curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        curl.arguments = [
            "curl", "--silent", "--no-buffer", "--compressed", "--include", "--header", "Accept: text/event-stream",
            "http://127.0.0.1:\(server.port)/v1/spaces/curl/views",
        ]
        curl.standardOutput = output
        try curl.run()
        defer { curl.terminate() }
        var incoming = Incoming(output.fileHandleForReading.fileDescriptor)
        let head = try #require(try incoming.upTo("\r\n\r\n", Deadline()))
        #expect(head.contains("Content-Encoding: gzip"))
        #expect(try incoming.upTo("\"user.title\":\"Logged out\"", Deadline()) != nil)
        for number in 0..<5 {
            try server.ask("POST", "/v1/spaces/curl/user/logIn", "{\"name\": \"Ada \(number)\"}")
            #expect(try incoming.upTo("\"user.title\":\"Ada \(number)\"", Deadline()) != nil)
        }
        #expect(try incoming.upTo("\n: \n", Deadline()) != nil)
        // Without a trailer, or with a wrong one, curl would fail.
        server.program.kill(SIGTERM)
        _ = try incoming.rest(Deadline())
        curl.waitUntilExit()
        #expect(curl.terminationStatus == 0)
    }
}
