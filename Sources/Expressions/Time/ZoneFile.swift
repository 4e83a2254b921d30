/// A file of the time zone database (TZif, RFC 8536).
enum ZoneFile {
    /// The size of a file at most, in bytes.
    private static let greatestSizeBytes = 64 << 10

    /// Returns true for a text that can be the name of a zone.
    static func isName(_ name: String) -> Bool {
        let isName = name.utf8.allSatisfy { byte in
            (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- 48 < 10 || byte == UInt8(ascii: "/")
                || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
        }
        return isName && name.utf8.count <= 64 && name.first != "/"
    }

    static func table(_ bytes: [UInt8]) -> ZoneTable? {
        guard var part = TZifBlock(bytes, at: 0, wordSize: 4) else { return nil }
        if part.version >= UInt8(ascii: "2") {
            guard let wide = TZifBlock(bytes, at: part.end, wordSize: 8) else { return nil }
            part = wide
        }
        var rule: ZoneRule?
        if part.version >= UInt8(ascii: "2"), part.end < bytes.count, bytes[part.end] == UInt8(ascii: "\n") {
            rule = ZoneRule(Array(bytes[(part.end + 1)...].prefix { $0 != UInt8(ascii: "\n") }))
        }
        return part.table(bytes, rule: rule)
    }

    /// One of the two blocks of a file: its header and the offsets of its fields.
    private struct TZifBlock {
        let version: UInt8
        let wordSize: Int
        let times: Int
        let timeCount: Int
        let typeCount: Int
        let end: Int

        init?(_ bytes: [UInt8], at start: Int, wordSize: Int) {
            guard start + 44 <= bytes.count, Array(bytes[start..<start + 4]) == Array("TZif".utf8) else { return nil }
            version = bytes[start + 4]
            self.wordSize = wordSize
            // isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt
            let counts = (0..<6).map { Int(ZoneFile.number(bytes, start + 20 + $0 * 4, 4)) }
            guard counts.allSatisfy({ 0...ZoneFile.greatestSizeBytes ~= $0 }), counts[4] > 0 else { return nil }
            times = start + 44
            timeCount = counts[3]
            typeCount = counts[4]
            end =
                times + timeCount * (wordSize + 1) + typeCount * 6 + counts[5] + counts[2] * (wordSize + 4) + counts[1]
                + counts[0]
            guard end <= bytes.count else { return nil }
        }

        func table(_ bytes: [UInt8], rule: ZoneRule?) -> ZoneTable? {
            let kinds = times + timeCount * wordSize
            let types = kinds + timeCount
            func offset(_ type: Int) -> Int64 { ZoneFile.number(bytes, types + type * 6, 4) }
            var changes: [(at: Int64, offset: Int64)] = []
            for place in 0..<timeCount {
                let type = Int(bytes[kinds + place])
                guard type < typeCount else { return nil }
                changes.append((ZoneFile.number(bytes, times + place * wordSize, wordSize), offset(type)))
            }
            return ZoneTable(first: offset(0), changes: changes, rule: rule)
        }
    }

    /// Decodes a signed big-endian number.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int64 {
        var value: UInt64 = 0
        for byte in bytes[start..<start + size] { value = value << 8 | UInt64(byte) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
}
