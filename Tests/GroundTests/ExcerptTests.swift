import Ground
import Testing

/// Texts that are cut.
@Suite struct ExcerptTests {
    @Test(arguments: [
        ("", ""), ("short", "short"), (String(repeating: "x", count: 200), String(repeating: "x", count: 200)),
        (String(repeating: "x", count: 201), String(repeating: "x", count: 200) + "…"),
        (String(repeating: "é", count: 300), String(repeating: "é", count: 200) + "…"),
        (String(repeating: "👩‍👩‍👧‍👦", count: 50), String(repeating: "👩‍👩‍👧‍👦", count: 32) + "…"),
        ("ab" + String(repeating: "\u{301}", count: 1_000), "a…"),
    ])
    func `an excerpt has 200 characters, and no half of one`(_ text: String, _ expected: String) {
        #expect(text.excerpt == expected)
    }
}
