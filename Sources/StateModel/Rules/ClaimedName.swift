/// The name of a view for one viewer, or of the rule of a view for one viewer: the name of the view, `#` or `!`, and the
/// viewer as JSON text.
///
/// No view of a client has these characters in its name: they are percent-encoded in parameters.
package struct ClaimedName {
    package enum Kind: UInt8 {
        /// A personal view.
        case view = 0x23
        /// The rule of a view.
        case rule = 0x21
    }

    /// The name of the view, as clients know it.
    let view: String
    let kind: Kind
    let viewer: Viewer

    /// Reads a name; nil if it is that of a view for everybody.
    init?(_ name: String) {
        guard let mark = Self.mark(in: name), let kind = Kind(rawValue: name.utf8[mark]),
            let viewer = Viewer(name[name.utf8.index(after: mark)...])
        else { return nil }
        self.kind = kind
        self.viewer = viewer
        view = String(name[..<mark])
    }

    private static func mark(in name: String) -> String.Index? {
        name.utf8.firstIndex { $0 == Kind.view.rawValue || $0 == Kind.rule.rawValue }
    }

    /// The kind of a name; nil for that of a view for everybody.
    package static func kind(of name: String) -> Kind? { mark(in: name).flatMap { Kind(rawValue: name.utf8[$0]) } }

    /// Returns true if a name is that of a view, or of a rule, for one viewer.
    package static func isOne(_ name: String) -> Bool { mark(in: name) != nil }

    /// Returns the name of the view, as clients know it.
    package static func view(of name: String) -> String { mark(in: name).map { String(name[..<$0]) } ?? name }

    /// Returns the name of a view, or of its rule, for a viewer.
    static func name(of view: String, _ kind: Kind, for viewer: Viewer) -> String {
        "\(view)\(Character(Unicode.Scalar(kind.rawValue)))\(viewer.text)"
    }
}
