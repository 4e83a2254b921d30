@testable import HTTP
import Testing

/// The searches in eight bytes at a time, compared with searches byte by byte.
@Suite struct OctetTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    @Test func `a set contains the characters that its standard lists`() {
        let sets: [(set: OctetSet, listed: String)] = [
            (.token, Self.letters + "!#$%&'*+-.^_`|~"), (.authority, Self.letters + "-._~!$&'()*+;=:[]%"),
            (.plainHost, "abcdefghijklmnopqrstuvwxyz0123456789.-"),
        ]
        for (set, listed) in sets {
            for byte in UInt8.min ... .max { #expect(set.contains(byte) == listed.utf8.contains(byte), "\(byte)") }
        }
    }

    @Test func `the lowest mark of a word is the first byte that matches`() {
        var random = SystemRandomNumberGenerator()
        let few: [UInt8] = [0, 0x09, 0x1F, 0x20, 0x21, 0x25, 0x3A, 0x7E, 0x7F, 0x80, 0xFF]
        for round in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                round % 2 == 0 ? few.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            let start = Int.random(in: 0...bytes.count, using: &random)
            let word = ByteWord(bytes.span, at: start)
            let eight = (bytes[start...].prefix(8) + [UInt8](repeating: 0, count: 8)).prefix(8)
            func first(_ isMeant: (UInt8) -> Bool) -> Int? {
                eight.firstIndex(where: isMeant).map { $0 - eight.startIndex }
            }
            func place(_ marks: UInt64) -> Int? { marks == 0 ? nil : ByteWord.place(marks) }
            #expect(place(word.invisible) == first { $0 <= 0x20 || $0 >= 0x7F }, "\(bytes)")
            #expect(place(word.controls) == first { $0 < 0x20 || $0 == 0x7F }, "\(bytes)")
            #expect(place(word.of(0x25)) == first { $0 == 0x25 }, "\(bytes)")
            #expect(word.starts(with: "%:") == (Array(eight.prefix(2)) == [0x25, 0x3A]), "\(bytes)")
        }
    }

    @Test(arguments: KnownField.allCases) func `a field is recognized by its exact name only`(_ field: KnownField) {
        let name = Array("\(field.name)".utf8)
        func named(_ bytes: [UInt8]) -> KnownField? { KnownField.named((bytes + [0]).span, 0..<bytes.count) }
        #expect(named(name) == field && named(Array("\(field.name)".uppercased().utf8)) == field)
        #expect(named(name.dropLast()) != field && named(name + [name[0]]) != field)
        for place in name.indices {
            for byte in UInt8.min ... .max {
                var other = name
                other[place] = byte
                let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(name[place])
                #expect(
                    (named(other) == field) == (byte == name[place] || isLetter && byte == name[place] - 0x20),
                    "\(other)")
            }
        }
    }
}
