import Compression
import Ground
import GzipReading
@testable import HTTP
import Sockets
import Testing

/// Law H14: streams that a client takes in gzip are one member, whose frames all readers share.
@Suite struct CompressedStreamTests {
    private static let gzip = "Accept-Encoding: gzip\r\n"

    /// Returns the bytes that a reader of gzip decodes.
    private func read(_ bytes: [UInt8]) -> (text: String, isFinished: Bool, isValid: Bool) {
        let reader = GzipReader()
        reader.read(bytes)
        return (String(decoding: reader.content, as: UTF8.self), reader.isFinished, reader.isValid)
    }

    @Test func `a whole stream with heartbeats is one gzip member with each byte`() throws {
        let stage = try StreamStage()
        stage.isConflating = false
        stage.pieces = [Piece(Array("retry: 1\n\n".utf8))]
        let peer = stage.connect(Self.gzip)
        var expected = "retry: 1\n\n"
        for round in 0..<20 {
            let text = "id: \(round)\ndata: \(String(repeating: "x\(round)", count: round * round * 40))\n\n"
            stage.send(text)
            expected += text
            stage.turn()
            peer.read()
            #expect(read(peer.chunks.content).text == expected, "each piece can be read at once")
            guard round.isMultiple(of: 5) else { continue }
            stage.advance(seconds: 16)
            expected += ": \n\n"
        }
        stage.readers[0].connection.endStream()
        stage.turn()
        peer.read()
        #expect(peer.head.contains("\r\nContent-Encoding: gzip"))
        let (text, isFinished, isValid) = read(peer.chunks.content)
        #expect(text == expected && isFinished && isValid && peer.chunks.isWhole)
    }

    @Test func `a slow reader has one valid gzip member with the values it received`() throws {
        let stage = try StreamStage()
        let peer = stage.connect(Self.gzip, receiveBytes: 4_096)
        var state: UInt64 = 88_172_645_463_325_252
        var newest = ""
        for round in 0..<400 {
            // Text that is hardly compressible, so that the reader's buffers fill.
            newest = "data: \(round) "
            for _ in 0..<200 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                newest += String(state, radix: 36)
            }
            newest += "\n\n"
            stage.send(newest)
            stage.turn()
        }
        for _ in 0..<200 {
            peer.read()
            stage.turn()
        }
        stage.readers[0].connection.endStream()
        for _ in 0..<20 {
            stage.turn()
            peer.read()
        }
        let (text, isFinished, isValid) = read(peer.chunks.content)
        #expect(isFinished && isValid && text.hasSuffix(newest))
        let values = text.split(separator: "data: ").compactMap { Int($0.prefix { $0 != " " }) }
        #expect(values == values.sorted() && values.count < 400 && values.last == 399)
    }

    @Test func `a thousand readers cost one compression per piece, and none without a reader of gzip`() throws {
        let stage = try StreamStage()
        let plain = (0..<20).map { _ in stage.connect() }
        stage.send("data: \(String(repeating: "plain ", count: 200))\n\n")
        stage.turn()
        #expect(stage.server.deflater.count == 0)
        #expect(Descriptors.raiseLimit() > 2_100)
        let readers = (0..<1_000).map { _ in stage.connect(Self.gzip) }
        let before = stage.server.deflater.count
        for round in 0..<3 {
            let text = "data: \(String(repeating: "value \(round) ", count: 200))\n\n"
            stage.send(text)
            stage.turn()
            #expect(stage.server.deflater.count == before + round + 1)
            for peer in readers {
                peer.read()
                #expect(read(peer.chunks.content).text.hasSuffix(text))
            }
            for peer in plain {
                peer.read()
                #expect(peer.chunks.content.suffix(text.utf8.count).elementsEqual(text.utf8))
            }
        }
    }

    /// Law CALM17: between two slices of large content, others are served.
    @Test(arguments: [false, true]) func `large pieces are compressed in slices, and nothing overtakes them`(
        _ isMarked: Bool
    ) throws {
        let stage = try StreamStage()
        stage.isConflating = false
        stage.mark = isMarked ? EventIDMark(code: [UInt8](repeating: 7, count: 16)) : nil
        let peers = (0..<3).map { _ in stage.connect(Self.gzip) }
        let mark = stage.mark?.text ?? ""
        stage.mark = nil
        let plain = stage.connect()
        let lines = (0..<3).map { round in String(repeating: "large \(round) ", count: 200_000) }
        for (round, line) in lines.enumerated() { stage.send("id: \(round)\ndata: \(line)\n\n") }
        stage.turn()
        #expect(stage.server.slices.count == 1)
        // A reader that comes in between, and one that leaves, change nothing for the others.
        let late = stage.connect(Self.gzip)
        stage.readers[1].connection.endStream()
        var turns = 0
        while stage.server.slices.count > 0 || turns < 40 {
            turns += 1
            stage.turn()
            for peer in peers + [plain, late] { peer.read() }
        }
        #expect(turns > 3 * 6)
        for reader in [0, 2, 4] { stage.readers[reader].connection.endStream() }
        for _ in 0..<5 {
            stage.turn()
            for peer in peers + [plain, late] { peer.read() }
        }
        func expected(_ mark: String) -> String {
            lines.enumerated().map { "id: \($0)\(mark)\ndata: \($1)\n\n" }.joined()
        }
        #expect(String(decoding: plain.chunks.content, as: UTF8.self) == expected(""))
        for (peer, mark) in [(peers[0], mark), (peers[2], mark), (late, "")] {
            let (text, isFinished, isValid) = read(peer.chunks.content)
            #expect(text == expected(mark) && isFinished && isValid)
        }
        // The one that ended got the event that it had taken, whole.
        let left = read(peers[1].chunks.content)
        #expect(left.text == "id: 0\(mark)\ndata: \(lines[0])\n\n" && left.isFinished && left.isValid)
    }

    @Test func `the compression of content that nobody waits for any more ends`() throws {
        let stage = try StreamStage()
        var peer: StreamStage.Peer? = stage.connect(Self.gzip)
        stage.send("data: \(String(repeating: "large ", count: 2_000_000))\n\n")
        stage.turn()
        let before = stage.server.deflater.count
        #expect(stage.server.slices.count == 1)
        withExtendedLifetime(peer) {}
        peer = nil
        for _ in 0..<4 { stage.turn() }
        #expect(stage.readers[0].hasLeft)
        #expect(stage.server.slices.count == 0 && stage.server.deflater.count <= before + 4)
    }

    @Test func `heartbeats and times to reconnect are stored, not compressed`() throws {
        let stage = try StreamStage()
        stage.pieces = [Piece(Array("retry: 1234\n\n".utf8))]
        let peer = stage.connect(Self.gzip)
        for _ in 0..<3 { stage.advance(seconds: 16) }
        peer.read()
        #expect(read(peer.chunks.content).text == "retry: 1234\n\n: \n\n: \n\n: \n\n")
        #expect(stage.server.deflater.count == 0)
    }

    @Test func `a client of HTTP 1.0 gets a member without chunks`() throws {
        let stage = try StreamStage()
        let peer = stage.connect(Self.gzip, version: "1.0")
        let text = "data: \(String(repeating: "x", count: 2_000))\n\n"
        stage.send(text)
        stage.turn()
        stage.readers[0].connection.endStream()
        stage.turn()
        peer.read()
        #expect(peer.head.contains("Content-Encoding: gzip") && !peer.head.contains("chunked"))
        #expect(read(peer.body) == (text, true, true) && peer.hasEnded)
    }

    @Test func `large content in parts is sent as it is and in gzip`() throws {
        let stage = try StreamStage()
        let peers = [stage.connect(), stage.connect(Self.gzip), stage.connect(version: "1.0")]
        let parts = (0..<300).map { [UInt8](repeating: UInt8($0 & 255), count: $0 * 7) }
        stage.pieces.append(Piece(Rope(parts), isNewest: true))
        for reader in stage.readers { reader.connection.wake() }
        for _ in 0..<50 {
            for peer in peers { peer.read() }
            stage.turn()
        }
        let whole = Array(parts.joined())
        let gzip = GzipReader()
        gzip.read(peers[1].chunks.content)
        #expect(peers[0].chunks.content == whole && gzip.content == whole && peers[2].body == whole)
    }

    @Test(arguments: [("", false), ("Connection: close\r\n", true), ("Connection: keep-alive, Close\r\n", true)])
    func `a stream says that the connection closes if its request said so`(_ field: String, _ says: Bool) throws {
        let stage = try StreamStage()
        stage.send("data: 1\n\n")
        let peer = stage.connect(field)
        peer.read()
        #expect(peer.head.contains("\r\nConnection: close") == says)
    }
}
