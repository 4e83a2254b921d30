import Testing

@testable import Expressions

/// Folding, words and the order of texts.
@Suite struct PlainTextTests {
    // Law DOC25
    @Test func `each character folds as the data of the script says`() {
        // The digest of NFKC without case, one line for each character of some ranges, as another implementation computes it.
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        var count = 0
        let ranges: [Range<UInt32>] = [
            0..<0x3400, 0xA000..<0xAC80, 0xF900..<0x10000, 0x1D400..<0x1D800, 0x1EE00..<0x1F200, 0x2F800..<0x2FA20,
        ]
        for scalar in ranges.joined().compactMap({ Unicode.Scalar($0) }) {
            for byte in (PlainText.fold(String(Character(scalar))) + "\n").utf8 {
                digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
                count += 1
            }
        }
        #expect(count == 81468 && digest == 0x0a86_1e8f_89ab_3119, "\(count) bytes")
    }

    // Law DOC25
    @Test(arguments: [
        ("Straße", "strasse"), ("ÄRGER", "ärger"), ("A\u{308}RGER", "ärger"), ("ﬁn", "fin"), ("ＡＢＣ", "abc"),
        ("Ⅷ", "viii"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"), ("한국", "한국"), ("\u{1112}\u{1161}\u{11AB}", "한"), ("", ""),
        ("a\u{301}\u{328}", "ą\u{301}"), ("İ", "i\u{307}"),
    ])
    func `a text folds to its form without case`(_ text: String, _ folded: String) {
        #expect(Array(PlainText.fold(text).utf8) == Array(folded.utf8), "\(PlainText.fold(text))")
        #expect(PlainText.fold(PlainText.fold(text)) == PlainText.fold(text))
    }

    // Law DOC25
    @Test(arguments: [
        ("Ärger", "arger"), ("Øre", "ore"), ("Łódź", "lodz"), ("Ångström", "angstrom"),
        ("Cæsar œuvre", "caesar oeuvre"),
        ("naïve", "naive"), ("ประเทศ", "ประเทศ"), ("हिन्दी", "हिन्दी"), ("がぎ", "がぎ"), ("שָׁלוֹם", "שלום"),
    ])
    func `a plain text has no accents`(_ text: String, _ plain: String) {
        #expect(Array(PlainText.plain(text).utf8) == Array(plain.utf8), "\(PlainText.plain(text))")
        #expect(PlainText.plain(PlainText.plain(text)) == PlainText.plain(text))
    }

    // Law DOC25
    @Test func `words are runs of letters, marks and digits`() {
        #expect(
            PlainText.words("Don't panic -- 42 ÄPFEL, x_y 東京") == ["don", "t", "panic", "42", "äpfel", "x", "y", "東京"])
        #expect(PlainText.words(" ,;\u{2014}") == [] && PlainText.words("") == [])
        #expect(PlainText.searchWords("Écoutez-moi") == ["ecoutez", "moi"])
    }

    // Law DOC25
    @Test func `the root order has letters first, then accents, then case`() {
        let ordered = [
            "", " x", "-", "1", "10", "2", "a", "A", "ä", "Ä", "æ", "aé", "apfel", "Äpfel", "cote", "coté", "côte",
            "côté",
            "o", "ø", "öl", "Zebra", "zoo", "α", "Я", "東", "한",
        ]
        let shuffled = ordered.sorted { $0.hashValue < $1.hashValue }
        let sorted = shuffled.sorted {
            RootCollation.key($0).utf8.lexicographicallyPrecedes(RootCollation.key($1).utf8)
        }
        let expected = sorted.filter { !["東", "한"].contains($0) }
        #expect(expected == ordered.filter { !["東", "한"].contains($0) }, "\(sorted)")
        #expect(sorted.firstIndex(of: "한") ?? 0 < sorted.firstIndex(of: "東") ?? 0)
        #expect(RootCollation.key("A\u{308}") == RootCollation.key("Ä"))
        #expect(RootCollation.key(String(repeating: "x", count: 100_000)).utf8.count < 8_000)
    }
}
