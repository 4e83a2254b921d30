/// The name of a view, read once: the feature, the label of the view, the parameters, and the viewer.
///
/// `feature.view` is a view, and `feature.view?a=1&b=2` an instance of it. The store knows the value of a personal view
/// by the name, `#` and the viewer as JSON text, and the answer of a view's rule by the name, `!` and the viewer.
///
/// - A key prints its whole name, and is ordered by it.
/// - A text is never the name for one viewer: `forViewer` alone makes such keys, and none is equal to a key of a text. So
///   no client can name the value of another caller.
/// - A key of a text may be written in another form than the one of `FeatureCatalog.viewName`.
package struct ViewKey: Sendable {
    /// The kinds of names for one viewer, by the mark before the viewer.
    package enum Kind: Character, Sendable {
        /// A personal view.
        case view = "#"
        /// The rule of a view.
        case rule = "!"
    }

    /// The viewer of a name for one viewer, and the name without it.
    private struct ViewerPart: Sendable {
        let known: ViewKey
        let kind: Kind
        let viewer: Viewer
    }

    /// The text of a name and its parts. Copies of a key share them.
    private final class NameParts: Sendable {
        let text: String
        let feature: String
        let label: String
        let query: Substring?
        let viewer: ViewerPart?

        init(_ text: String, _ feature: String, _ label: String, _ query: Substring?, _ viewer: ViewerPart? = nil) {
            (self.text, self.feature, self.label, self.query, self.viewer) = (text, feature, label, query, viewer)
        }
    }

    private let parts: NameParts

    /// Reads a name. The feature is empty if the name has no dot.
    package init(_ text: String) {
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "?"))
        let base = text[..<(mark ?? text.endIndex)]
        let dot = base.utf8.firstIndex(of: UInt8(ascii: "."))
        parts = NameParts(
            text, dot.map { String(base[..<$0]) } ?? "", String(dot.map { base[base.index(after: $0)...] } ?? base),
            mark.map { text[text.index(after: $0)...] })
    }

    private init(_ viewer: ViewerPart) {
        let known = viewer.known.parts
        parts = NameParts(
            "\(known.text)\(viewer.kind.rawValue)\(viewer.viewer.text)", known.feature, known.label, known.query, viewer
        )
    }

    /// Returns the name of the view, or of its rule, for a viewer. Precondition: this name is for none.
    package func forViewer(_ viewer: Viewer, _ kind: Kind) -> ViewKey {
        assert(self.kind == nil, "\(self) is the name for a viewer")
        return ViewKey(ViewerPart(known: self, kind: kind, viewer: viewer))
    }

    /// The name of the feature.
    package var feature: String { parts.feature }

    /// The name of the view in its feature.
    package var label: String { parts.label }

    /// The parameters as a query has them; nil for a view that is no instance.
    package var query: Substring? { parts.query }

    /// The label with the parameters: the name that a feature knows which defines views by its state.
    package var openLabel: String { query.map { "\(label)?\($0)" } ?? label }

    /// The name without parameters and viewer.
    package var base: ViewKey {
        query.map { ViewKey(String($0.base[..<$0.base.utf8.index(before: $0.startIndex)])) } ?? known
    }

    /// The name as clients know it: without the viewer.
    package var known: ViewKey { parts.viewer?.known ?? self }

    /// True for the name of an instance.
    package var isInstance: Bool { query != nil }

    /// The kind of a name for one viewer; nil for that of a view for everybody.
    package var kind: Kind? { parts.viewer?.kind }

    /// The viewer; nil for a view for everybody.
    package var viewer: Viewer? { parts.viewer?.viewer }
}

extension ViewKey: Hashable, Comparable {
    package static func == (one: ViewKey, other: ViewKey) -> Bool {
        one.parts === other.parts || one.parts.text == other.parts.text && one.kind == other.kind
    }

    package static func < (one: ViewKey, other: ViewKey) -> Bool { one.parts.text < other.parts.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(parts.text) }
}

extension ViewKey: CustomStringConvertible, ExpressibleByStringLiteral {
    package var description: String { parts.text }

    package init(stringLiteral text: String) { self.init(text) }
}
