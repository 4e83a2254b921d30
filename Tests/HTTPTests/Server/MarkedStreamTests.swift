import Compression
import GzipReading
@testable import HTTP
import Testing

/// Streams whose ids have a mark.
@Suite struct MarkedStreamTests {
    private static let mark = EventIDMark(code: Array(0..<16))
    private static let text = ".000102030405060708090a0b0c0d0e0f"

    @Test func `a mark is a dot and 32 digits, which tags are read without`() {
        #expect(Self.mark.text == Self.text)
        #expect(EventIDMark(code: [UInt8](repeating: 0xFE, count: 16)).text == "." + String(repeating: "fe", count: 16))
        for id in ["18.7-ab", "", "a_b_c", "x.y"] {
            #expect(EntityTags(tag: id + Self.text).tags == [id] && Self.mark.ends(id + Self.text))
            #expect(EntityTags("\"\(id)\(Self.text)\"")?.tags == [id])
        }
        for other in [
            "", "7", "7" + Self.text.dropLast(), "7" + Self.text + "0", "7" + Self.text.dropFirst(),
            "7" + Self.text.uppercased(), "7-" + Self.text.dropFirst(), "7" + Self.text.dropLast() + "g",
        ] {
            #expect(EntityTags(tag: other).tags == [other] && !Self.mark.ends(other), "\(other)")
        }
        #expect(!Self.mark.ends("7" + Self.text.dropLast() + "e"))
        // A proxy appends its coding to the tags of answers only, never to ids.
        #expect(EntityTags(tag: "7\(Self.text)-gzip").tags.contains("7-gzip") == false)
    }

    @Test(arguments: ["", "Accept-Encoding: gzip\r\n"], ["1.1", "1.0"])
    func `each id has the mark, in the chunk of its event`(_ field: String, _ version: String) throws {
        let stage = try StreamStage()
        stage.isConflating = false
        (stage.opening, stage.mark) = (EventText.position(id: "0"), Self.mark)
        let peer = stage.connect(field, version: version)
        let large = String(repeating: "x", count: 40_000)
        for text in [
            "retry: 1\n\n", "event: reset\ndata: {}\n\nid: 1\ndata: a\n\n", "id: 2\nevent: patch\ndata: \(large)\n\n",
            "data: id: 3\n\n", "id: 4\ndata: id: 5\n\nid: 5\ndata: \n\n", "id: \ndata: id: x\ndata: id: y\n\n",
        ] {
            stage.send(text)
            stage.turn()
            peer.read()
        }
        stage.readers[0].connection.endStream()
        for _ in 0..<20 {
            stage.turn()
            peer.read()
        }
        let m = Self.text
        let expected =
            "id: 0\(m)\n\nretry: 1\n\nevent: reset\ndata: {}\n\nid: 1\(m)\ndata: a\n\n"
            + "id: 2\(m)\nevent: patch\ndata: \(large)\n\ndata: id: 3\n\nid: 4\(m)\ndata: id: 5\n\nid: 5\(m)\ndata: \n\n"
            + "id: \(m)\ndata: id: x\ndata: id: y\n\n"
        let bytes = version == "1.0" ? peer.body : peer.chunks.content
        #expect(version == "1.0" || peer.chunks.isWhole)
        if field.isEmpty {
            #expect(String(decoding: bytes, as: UTF8.self) == expected)
            let body = String(decoding: peer.body, as: UTF8.self)
            #expect(body.split(separator: m, omittingEmptySubsequences: false).count == 7)
        } else {
            let reader = GzipReader()
            reader.read(bytes)
            #expect(String(decoding: reader.content, as: UTF8.self) == expected && reader.isFinished && reader.isValid)
        }
    }

    @Test func `streams with different marks share the compression of their events`() throws {
        let stage = try StreamStage()
        let readers = (0..<20).map { number in
            stage.mark = EventIDMark(code: [UInt8](repeating: UInt8(number), count: 16))
            return (stage.mark, stage.connect("Accept-Encoding: gzip\r\n"))
        }
        for round in 1...3 {
            stage.send("id: \(round)\ndata: \(String(repeating: "value \(round) ", count: 200))\n\n")
            stage.turn()
            #expect(stage.server.deflater.count == round)
        }
        for (mark, peer) in readers {
            peer.read()
            let reader = GzipReader()
            reader.read(peer.chunks.content)
            let text = String(decoding: reader.content, as: UTF8.self)
            #expect(text.split(separator: mark?.text ?? "-").count == 4)
        }
    }

    @Test func `a slow reader gets whole events with marks`() throws {
        let stage = try StreamStage()
        stage.mark = Self.mark
        let peer = stage.connect(receiveBytes: 4_096)
        let data = String(repeating: "x", count: 9_000)
        for round in 0..<200 {
            stage.send("id: \(round)\ndata: \(round)\(data)\n\n")
            stage.turn()
        }
        for _ in 0..<100 {
            peer.read()
            stage.turn()
        }
        let events = String(decoding: peer.chunks.content, as: UTF8.self).split(separator: "\n\n")
        #expect(events.count < 200 && events.last?.hasPrefix("id: 199\(Self.text)\n") == true)
        for event in events {
            let number = event.dropFirst(4).prefix { $0 != "." }
            #expect(event == "id: \(number)\(Self.text)\ndata: \(number)\(data)")
        }
    }
}
