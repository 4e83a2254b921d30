import JSON
import StateStore
import Testing

/// Names of views, read once, beside a model that splits texts.
struct ViewKeyTests {
    /// The parts of a text, by the grammar: `feature.view`, or `feature.view?parameters`.
    private struct Model: Equatable {
        var (feature, label) = ("", "")
        var query: String?

        init(_ text: String) {
            let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let names = halves[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if names.count == 2 { feature = names[0] }
            label = names[names.count - 1]
            if halves.count == 2 { query = halves[1] }
        }

        init(_ key: ViewKey) { (feature, label, query) = (key.feature, key.label, key.query.map(String.init)) }
    }

    private static let viewers = ["", "ada", "b\"?.#!"].map { subject in
        Viewer(Caller(subject, claims: ["sub": .string(subject)]), in: SpaceName("main") ?? .common)
    }

    private static func text(_ dice: inout Randomness) -> String {
        String((0..<Int.random(in: 0...9, using: &dice)).compactMap { _ in "ab.?#!=&é".randomElement(using: &dice) })
    }

    @Test(arguments: 1...4) func `a key has the parts of its text, its order and its form`(_ seed: UInt64) {
        var dice = Randomness(seed: seed)
        let texts = (0..<400).map { _ in Self.text(&dice) }
        for text in texts {
            let key = ViewKey(text)
            #expect(key.description == text && Model(key) == Model(text), "\(text)")
            #expect(key.isInstance == text.contains("?") && key.kind == nil && key.viewer == nil && key.known == key)
            #expect(text.hasSuffix(key.openLabel) && key.openLabel.hasPrefix(key.label))
            #expect(key.base.description == String(text.prefix { $0 != "?" }))
            let other = texts.randomElement(using: &dice) ?? ""
            #expect((key == ViewKey(other)) == (text == other) && (key < ViewKey(other)) == (text < other))
        }
        #expect(Set(texts.map { ViewKey($0) }).count == Set(texts).count)
        #expect(texts.map { ViewKey($0) }.sorted().map(\.description) == texts.sorted())
    }

    @Test(arguments: 1...4) func `a name for a viewer is that of no text`(_ seed: UInt64) {
        var dice = Randomness(seed: seed)
        for _ in 0..<200 {
            let (text, viewer) = (Self.text(&dice), Self.viewers.randomElement(using: &dice) ?? Self.viewers[0])
            let key = ViewKey(text)
            let (view, rule) = (key.forViewer(viewer, .view), key.forViewer(viewer, .rule))
            #expect(view != rule)
            for (claimed, mark, kind) in [(view, "#", ViewKey.Kind.view), (rule, "!", .rule)] {
                #expect(claimed.description.hasPrefix(text + mark) && claimed.kind == kind && claimed.viewer == viewer)
                #expect(claimed.known == key && claimed.base == key.base && Model(claimed) == Model(text))
                #expect(claimed == key.forViewer(viewer, kind))
                #expect(claimed != ViewKey(claimed.description), "\(claimed)")
                #expect(Set([claimed, ViewKey(claimed.description)]).count == 2)
            }
        }
    }

    @Test func `a name for a viewer ends with the viewer as JSON`() {
        let key = ViewKey("desk.notes?of=a").forViewer(Self.viewers[1], .rule)
        #expect(key.description == #"desk.notes?of=a!{"space":"main","token":{"sub":"ada"}}"#)
    }
}
