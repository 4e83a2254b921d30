import Foundation
import JSON
import Testing

@Suite struct RoundTripTests {
    @Test(arguments: 0..<400)
    func `a written value is read as an equal value`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let value = JSON.random(depth: 5, using: &random)
        let bytes = try value.json()
        let back = try JSON(parsing: bytes)
        #expect(back == value)
        #expect(back.hashValue == value.hashValue)
        #expect(try back.json() == bytes)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) }
    }

    @Test(arguments: 0..<100)
    func `a truncated document is refused`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed) + 1000)
        let bytes = try ([JSON.random(depth: 3, using: &random)] as JSON).json()
        let read = (0..<bytes.count).filter { (try? JSON(parsing: Array(bytes[..<$0]))) != nil }
        #expect(read == [])
    }

    /// Foundation accepts more (duplicate names, broken surrogates, numbers of any length), so it judges one direction
    /// only: it must accept every document that this module accepts. Writing such a value and reading it again must
    /// give an equal value.
    @Test(arguments: 0..<200)
    func `a document with one changed byte is read as JSON or refused`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed) + 5000)
        let bytes = try JSON.random(depth: 3, using: &random).json()
        for _ in 0..<50 {
            var changed = bytes
            for _ in 0...Int.random(in: 0..<2, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: changed[place] = UInt8.random(in: 0...255, using: &random)
                case 1: changed[place] = Array("[]{},:\"\\0-.eE".utf8).randomElement(using: &random) ?? 0
                case 2 where changed.count > 1: changed.remove(at: place)
                default: changed.insert(changed[place], at: place)
                }
            }
            guard let value = try? JSON(parsing: changed) else { continue }
            let text = String(decoding: changed, as: UTF8.self)
            #expect(throws: Never.self, "\(text)") {
                try JSONSerialization.jsonObject(with: Data(changed), options: .fragmentsAllowed)
            }
            #expect(try JSON(parsing: value.json()) == value)
        }
    }
}
