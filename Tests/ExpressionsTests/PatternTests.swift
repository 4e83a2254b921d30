import Testing

@testable import Expressions

/// Regular expressions in the syntax of RE2.
struct PatternTests {
    @Test(arguments: [
        ("abc", "xabcx"), ("^abc$", "abc"), ("a.c", "a😀c"), ("a|b|", ""), ("[a-c]+x", "abcx"), ("[^a-c]", "d"),
        ("[]a]", "]"),
        ("[a-]", "-"),
        ("[\\d_]{3}", "1_2"), ("\\bword\\b", "a word."), ("\\Bor\\B", "words"), ("a{2,3}b", "aaab"),
        ("a{2,}b", "aaaaab"),
        ("a{,3}", "a{,3}"),
        ("x*?y+?z??", "xy"), ("(?i)straße", "STRAßE"), ("(?i)Σ", "ς"), ("(?i)[a-z]+$", "ABC"), ("(?s)a.b", "a\nb"),
        ("(?m)^b$", "a\nb\nc"),
        ("(?i:a)B", "AB"), ("(?-i)a", "a"), ("(?P<year>\\d{4})", "in 2026"), ("(?<year>\\d{4})", "in 2026"),
        ("\\Qa.b*\\E+", "a.b**"),
        ("\\x41\\x{1F600}\\101", "A😀A"),
        ("\\pL\\p{Lu}\\PN", "aBc"), ("\\p{Greek}+", "λόγος"), ("\\p{^Lu}", "a"), ("[[:alpha:]][[:^digit:]]", "a_"),
        ("[\\pL\\d]+$", "é9"),
        ("\\Aa\\z", "a"), ("\\.\\+\\_", ".+_"), ("}", "}"), ("]", "]"), ("a{", "a{"), ("a{1", "a{1"), ("", ""),
        ("()", ""),
        ("(|a)*b", "aab"), ("\\n\\t", "\n\t"),
        ("[\\n]", "\n"), ("[^x]", "\n"), ("(a|ab)(c|bcd)$", "abcd"), ("[a\\]b]", "]"), ("\\S\\W\\D", "a-b"),
    ])
    func `a pattern that matches is found`(_ pattern: String, _ text: String) throws {
        #expect(try found(pattern, text))
    }

    @Test(arguments: [
        ("^abc$", "abcd"), ("a.c", "a\nc"), ("[^a-c]", "abc"), ("\\bor\\b", "words"), ("a{2,3}b", "ab"),
        ("^a{2,3}$", "aaaa"),
        ("(?m)^b$", "abc"), ("A", "a"), ("(?i:a)B", "Ab"), ("(?i)a(?-i)b", "AB"),
        ("^b$", "a\nb"), ("\\pN", "abc"), ("\\PL", "abc"), ("[[:upper:]]", "abc"), ("\\d", "٣"),
        ("^(a|ab)(c|bcd)e", "abcd"), ("x", ""),
        ("^.$", "\n"), ("(?i)(?i)\\p{Greek}", "abc"),
    ])
    func `a pattern that does not match is not found`(_ pattern: String, _ text: String) throws {
        #expect(try !found(pattern, text))
    }

    @Test(arguments: [
        "(", ")", "a)", "[", "[a", "*", "a**", "+a", "a{2}{3}", "{2}", "a{3,2}", "a{1001}", "\\", "\\1", "(a)\\1",
        "(?=a)", "(?!a)",
        "(?<=a)", "(?<!a)", "(?P=a)", "(?P<>a)", "(?x)a", "[z-a]", "\\q", "\\p{Nothing}",
        "\\pX", "\\x{110000}", "\\xg", "[[:nothing:]]", "(?", "(?i", "\\C", "\\8",
    ])
    func `an invalid pattern is rejected`(_ pattern: String) {
        #expect(throws: PatternFault.self) { try Pattern(pattern) }
    }

    @Test func `a pattern matches exactly the texts of a backtracking search`() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<3_000 {
            let tree = Reference.random(depth: 3, using: &random)
            let text = Array("aabbc".shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)))
            let expected = (0...text.count).contains { start in !tree.ends(text, from: start).isEmpty }
            #expect(try found(tree.source, String(text)) == expected, "\(tree.source) in \(String(text))")
        }
    }

    private func found(_ pattern: String, _ text: String) throws -> Bool {
        let slots = UnsafeMutablePointer<CELValue>.allocate(capacity: 1)
        defer { slots.deallocate() }
        var context = EvaluationContext(slots: slots)
        return try Pattern(pattern).matches(text, &context)
    }
}

/// A reference matcher by backtracking.
private indirect enum Reference {
    case letter(Character)
    case any
    case choice(Reference, Reference)
    case sequence(Reference, Reference)
    case some(Reference, Int, Int?)

    static func random(depth: Int, using random: inout SplitMix64) -> Reference {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 2), using: &random) {
        case 0: return .letter(["a", "b", "c"].randomElement(using: &random)!)
        case 1: return .any
        case 2: return .choice(.random(depth: depth - 1, using: &random), .random(depth: depth - 1, using: &random))
        case 3, 4:
            return .sequence(.random(depth: depth - 1, using: &random), .random(depth: depth - 1, using: &random))
        default:
            let least = Int.random(in: 0...2, using: &random)
            return .some(
                .random(depth: depth - 1, using: &random), least,
                [nil, least, least + 1].randomElement(using: &random)!)
        }
    }

    var source: String {
        switch self {
        case .letter(let letter): "\(letter)"
        case .any: "."
        case .choice(let one, let other): "(\(one.source)|\(other.source))"
        case .sequence(let one, let other): one.source + other.source
        case .some(let part, let least, let most): "(?:\(part.source)){\(least),\(most.map(String.init) ?? "")}"
        }
    }

    func ends(_ text: [Character], from start: Int) -> Set<Int> {
        switch self {
        case .letter(let letter): return start < text.count && text[start] == letter ? [start + 1] : []
        case .any: return start < text.count ? [start + 1] : []
        case .choice(let one, let other): return one.ends(text, from: start).union(other.ends(text, from: start))
        case .sequence(let one, let other):
            return Set(one.ends(text, from: start).flatMap { other.ends(text, from: $0) })
        case .some(let part, let least, let most):
            var reached: Set<Int> = least == 0 ? [start] : []
            var now: Set<Int> = [start]
            for count in 1...max(most ?? least + text.count + 1, 1) where count <= most ?? .max {
                now = Set(now.flatMap { part.ends(text, from: $0) })
                if count >= least { reached.formUnion(now) }
            }
            return reached
        }
    }
}
