/// The rules of a server's views.
package protocol Rulebook {
    /// True if a view has a rule, or is a personal one.
    var hasRules: Bool { get }
    /// Returns the name under which a viewer of a space reads a view, and its rule; nil for a view that is the same for
    /// all, and for one without a rule.
    func access(of view: String, for viewer: Viewer) -> (source: String?, rule: String?)
}
