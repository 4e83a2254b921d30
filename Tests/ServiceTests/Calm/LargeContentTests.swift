import GzipReading
import HeadwaterServer
import JSON
import Reactive
import ServiceInProcess
import StateStore
import Testing

/// Laws CALM17 and W1: large content is made in slices, and is what small content would be, in all forms.
@Suite struct LargeContentTests {
    private struct WallState { let notes = Table<Int, String>() }

    private struct Range: Record {
        var from = 0
        var to = 0

        static let shape = Shape(Range()) {
            $0.required("from", \.from)
            $0.required("to", \.to)
        }
    }

    private struct WallService: StateService {
        let write: Action<Range>

        init(_ wall: WallState) {
            write = Action { range, commit in
                for number in range.from..<range.to { commit[wall.notes, number] = LargeContentTests.text(number) }
            }
        }
    }

    private struct WallViewModel: ViewModel {
        let all: OrderedRows<Int, String>
        let count: Observable<Int>

        init(_ wall: WallState) {
            all = wall.notes.sorted()
            count = wall.notes.rowCount()
        }
    }

    /// 400 bytes with characters that JSON escapes.
    private static func text(_ number: Int) -> String {
        "\(number) \"\\ä\u{2028}\n" + String(repeating: "\(number % 7)words ", count: 60)
    }

    private static func all(_ count: Int) -> JSON { .array((0..<count).map { .string(text($0)) }) }

    private func service(_ count: Int) throws -> ServiceInProcess {
        let service = try ServiceInProcess(
            features: [Feature("wall", WallState.init, WallService.init, WallViewModel.init)])
        try write(0..<count, service)
        return service
    }

    private func write(_ numbers: Swift.Range<Int>, _ service: ServiceInProcess) throws {
        let input = #"{"from": \#(numbers.lowerBound), "to": \#(numbers.upperBound)}"#
        #expect(try service.ask("POST /v1/spaces/main/wall/write", [:], input).status == 200)
    }

    /// Returns the fields of an answer, and its body as a client decodes it.
    private func ask(
        _ service: ServiceInProcess, _ path: String, _ fields: String = "", method: String = "GET"
    ) throws -> (head: String, body: [UInt8]) {
        let bytes = try service.answer(
            to: [Array("\(method) \(path) HTTP/1.0\r\nHost: localhost\r\n\(fields)\r\n".utf8)])
        let end = try #require((0..<bytes.count - 3).first { bytes[$0..<$0 + 4].elementsEqual("\r\n\r\n".utf8) })
        let (head, body) = (String(decoding: bytes[..<end], as: UTF8.self), Array(bytes[(end + 4)...]))
        guard head.contains("Content-Encoding: gzip"), !body.isEmpty else { return (head, body) }
        if head.contains("Content-Length") { #expect(head.contains("Content-Length: \(body.count)\r\n")) }
        let reader = GzipReader()
        reader.read(body)
        #expect(reader.isValid && reader.isFinished)
        return (head, reader.content)
    }

    private func json(_ bytes: [UInt8]) throws -> JSON { try JSON(parsing: bytes) }

    private func data(_ events: [UInt8]) throws -> JSON {
        let lines = String(decoding: events, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("data: ") }
        #expect(lines.count == 1)
        return try JSON(parsing: Array((lines.first ?? "").dropFirst(6).utf8))
    }

    private static let gzip = "Accept-Encoding: gzip\r\n"

    // 500 notes have less than 256 KiB, so their pieces are joined, 1,000 more, and 4,500 more than 1 MiB, in slices.
    @Test(arguments: [500, 1_000, 4_500], ["", gzip])
    func `a large list is the same in each form`(_ count: Int, _ coding: String) throws {
        let service = try service(count)
        let all = Self.all(count)
        let (head, body) = try ask(service, "/v1/spaces/main/wall/all", coding)
        #expect(try json(body) == all && head.contains("Content-Encoding: gzip") == !coding.isEmpty)
        // Kept for the next reader.
        #expect(try ask(service, "/v1/spaces/main/wall/all", coding).body == body)
        let (headOnly, none) = try ask(service, "/v1/spaces/main/wall/all", coding, method: "HEAD")
        let lengths = [head, headOnly].map { $0.split(separator: "\r\n").filter { $0.hasPrefix("Content-Length") } }
        #expect(none.isEmpty && lengths[0] == lengths[1])
        let both = try ask(service, "/v1/spaces/main/views?view=wall.all&view=wall.count", coding).body
        #expect(try json(both) == ["wall.all": all, "wall.count": JSON(integerLiteral: Int64(count))])
        let events = "Accept: text/event-stream\r\n\(coding)"
        #expect(try data(try ask(service, "/v1/spaces/main/wall/all?events=1", events).body) == all)
        let several = try ask(service, "/v1/spaces/main/views?view=wall.count&view=wall.all&events=1", events).body
        #expect(try data(several)["wall.all"] == all)
        let live = try data(try ask(service, "/v1/live?watch=main/wall.all&events=1", events).body)
        #expect(live["main/wall.all"] == all && live["_versions"] == ["main": "1.0"])
        let past = try ask(service, "/v1/spaces/main/wall/all?at=1", coding)
        #expect(try json(past.body) == all && past.head.contains("Content-Encoding: gzip") == !coding.isEmpty)
        let action = #"{"from": 0, "to": 0}"#
        let answer = try ask(
            service, "/v1/spaces/main/wall/write?view=wall.all",
            "\(coding)Content-Type: application/json\r\nContent-Length: \(action.utf8.count)\r\n\r\n\(action)",
            method: "POST")
        #expect(try json(answer.body)["views"]?["wall.all"] == all)
    }

    @Test func `a change of a large list reaches the streams that take it in gzip, in order`() throws {
        let service = try service(5_000)
        let connection = try service.connect()
        connection.send("GET /v1/spaces/main/wall/all", ["Accept": "text/event-stream", "Accept-Encoding": "gzip"])
        service.settle()
        #expect(connection.takeHead() == nil || !connection.takeAll().isEmpty)
        for round in 0..<3 {
            try write(5_000 + round * 10..<5_010 + round * 10, service)
            for _ in 0..<20 {
                service.settle()
                connection.receive()
            }
        }
        let polled = try ask(service, "/v1/spaces/main/wall/all", Self.gzip)
        #expect(try json(polled.body) == Self.all(5_030))
        connection.close()
        service.settle()
    }
}
