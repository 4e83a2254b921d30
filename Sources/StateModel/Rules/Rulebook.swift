/// The rules of a server's views.
package protocol Rulebook {
    /// True if a view has a rule, or is a personal one.
    var hasRules: Bool { get }
    /// Returns the way in which a viewer of a space reads a view.
    func access(of view: ViewKey, for viewer: Viewer) -> ViewerAccess
}

/// The way in which one viewer reads a view.
package struct ViewerAccess: Hashable, Sendable {
    /// The name under which the viewer reads the view; nil for a view that is the same for all.
    var source: ViewKey?
    /// The name of its rule for the viewer; nil without a rule.
    var rule: ViewKey?
    /// The claims on which both depend, whichever of them the viewer has.
    var claims: ViewAccess?
}
