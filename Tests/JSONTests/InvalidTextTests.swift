import JSON
import Testing

/// The place of bytes that are no UTF-8, beside the standard library's own, which needs a newer system than the model does.
@Suite struct InvalidTextTests {
    @Test(arguments: [UInt64](1...40))
    func `the offset is that of the first byte that begins no scalar value`(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let leads: [UInt8] = [
            0x41, 0x7A, 0x80, 0xBF, 0xC0, 0xC3, 0xDF, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        let whole = ["é", "€", "𝄞", "\u{D7FF}", "\u{10FFFF}"]
        for _ in 0..<500 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.append(leads.randomElement(using: &generator) ?? 0x41)
                case 1: bytes.append(UInt8.random(in: 0x80...0xBF, using: &generator))
                case 2: bytes.append(UInt8.random(in: 0x23...0x5B, using: &generator))
                default: bytes += Array((whole.randomElement(using: &generator) ?? "").utf8)
                }
            }
            let document = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
            var expected: Int?
            do {
                _ = try UTF8Span(validating: bytes.span)
            } catch { expected = error.byteOffsets.lowerBound + 1 }
            do {
                let text = try String(parsing: document)
                #expect(expected == nil && Array(text.utf8) == bytes)
            } catch {
                #expect(error.offset == expected, "\(bytes): \(error)")
            }
        }
    }
}
