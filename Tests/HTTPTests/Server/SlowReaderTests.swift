import Glibc
@testable import HTTP
import Testing

/// Law H6: the bytes that a stalled reader receives before the newest value.
@Suite struct SlowReaderTests {
    /// The bytes that a server and its kernel may hold unsent for a connection, beyond one piece. The law allows 64
    /// KiB; 24 KiB are for a source that queues pieces for its reader.
    static let heldBytesLimit = 40 * 1_024

    /// Text that gzip hardly compresses.
    private static let noise: [UInt8] = {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var state: UInt64 = 88_172_645_463_325_252
        return (0..<300_000).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return letters[Int(state & 63)]
        }
    }()

    private func piece(_ number: Int, _ size: Int) -> Piece {
        let start = number * 31 % (Self.noise.count - size)
        return Piece(
            Array("data: \(number) ".utf8) + Self.noise[start..<start + size] + Array("\n\n".utf8), isNewest: true)
    }

    @Test(arguments: [20, 3_000, 20_000, 200_000], [4_096, 60_000, 400_000] as [Int32])
    func `a reader that wakes up is at the newest value after its receive buffer, one event and 40 KiB`(
        _ size: Int, _ receiveBytes: Int32
    ) throws {
        for coding in ["", "Accept-Encoding: gzip\r\n"] {
            let stage = try StreamStage()
            let peer = stage.connect(coding, receiveBytes: receiveBytes)
            var largest = 0
            // Until the reader's buffer is certainly full.
            for number in 0..<max(3_000, 1_000_000 / size) where number < 20 || number * size < 4_000_000 {
                let next = piece(number, size)
                largest = max(largest, next.count)
                stage.pieces.append(next)
                stage.readers[0].connection.wake()
                if number.isMultiple(of: 50) { stage.turn() }
            }
            // The newest value arrives while the reader sleeps. Then the reader wakes up.
            stage.pieces.append(Piece(Array("data: the newest\n\n".utf8), isNewest: true))
            stage.readers[0].connection.wake()
            stage.turn()
            let received = peer.unreadCount
            while stage.readers[0].taken < stage.pieces.count {
                peer.read()
                stage.turn()
            }
            stage.turn()
            peer.read()
            #expect(peer.bytes.count <= received + largest + Self.heldBytesLimit)
        }
    }

    @Test(arguments: [20, 3_000, 20_000]) func `a connection takes 40 KiB from its source that the peer has not`(
        _ size: Int
    ) throws {
        let stage = try StreamStage()
        stage.isConflating = false
        stage.pieces = (0..<1_200_000 / size).map { piece($0, size) }.map { Piece($0.content) }
        let peer = stage.connect(receiveBytes: 60_000)
        for round in 0..<10 {
            stage.turn()
            let taken = stage.pieces[..<stage.readers[0].taken].reduce(0) { $0 + $1.count }
            #expect(taken < 1_200_000)
            #expect(taken - peer.bytes.count - peer.unreadCount <= size + 20 + Self.heldBytesLimit, "\(round)")
            peer.read()
        }
    }
}
