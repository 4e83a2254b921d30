internal import SQLiteJournal

/// The part of a lane that a copy has applied.
struct LanePosition: Hashable, Sendable {
    /// The number of the last entry; 0 before the first.
    var number = 0
    /// The chain up to it.
    var chain = EntryChain.beginning
    /// The term of the last claim; 0 before the first.
    var term = 0
    /// The node that owns the lane; nil if it was released, or never claimed.
    var owner: String?
    /// The identity of the lane's storage; empty if it is not known yet.
    var identity = ""

    /// The position as a row of a copy.
    func row(of lane: Lane) -> CopyRow {
        CopyRow(
            "lane \(lane)",
            [
                "\(number)", String(chain.first, radix: 16), String(chain.second, radix: 16), "\(term)",
                owner ?? ".", HexText.text(of: Array(identity.utf8)),
            ].joined(separator: " "))
    }

    /// Reads a position from a row; nil if it has none.
    static func read(_ row: CopyRow) -> (lane: Lane, position: LanePosition)? {
        let name = row.name.split(separator: " ")
        let parts = row.value.split(separator: " ", omittingEmptySubsequences: false)
        guard name.count == 2, name[0] == "lane", let lane = Lane(String(name[1])), parts.count == 6,
            let number = Int(parts[0]), let first = UInt64(parts[1], radix: 16),
            let second = UInt64(parts[2], radix: 16), let term = Int(parts[3]),
            let identity = HexText.bytes(of: String(parts[5]))
        else { return nil }
        var position = LanePosition()
        position.number = number
        position.chain = EntryChain(first: first, second: second)
        position.term = term
        position.owner = parts[4] == "." ? nil : String(parts[4])
        position.identity = String(decoding: identity, as: UTF8.self)
        return (lane, position)
    }
}

/// Bytes as hexadecimal digits.
enum HexText {
    static func text(of bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func bytes(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
