/// The names that no feature in Swift and no document can have: commits and paths of the server itself begin with them.
package enum ReservedNames {
    /// The features whose commits the server makes itself, as `schedules/refused`. A feature of such a name could forge
    /// them.
    private static let ofCommits: Set = ["administration", "features", "hooks", "schedules", "space", "streams"]
    /// The other names in paths of the server. A document that was taken before the name was reserved stays in use.
    private static let ofPaths: Set = ["actions", "changes", "erase", "graph", "live", "restore", "views"]

    /// The features of the server itself. No path has their names, and no document is given them.
    package static let internalFeatures: Set = ["features", "hooks"]

    /// The fault of a name that commits of the server begin with; nil for any other name.
    package static func fault(inCommits name: String) -> String? { ofCommits.contains(name) ? words(name) : nil }

    /// The fault of a reserved name; nil for any other name.
    package static func fault(of name: String) -> String? {
        ofCommits.contains(name) || ofPaths.contains(name) ? words(name) : nil
    }

    private static func words(_ name: String) -> String {
        let all = ofCommits.union(ofPaths).sorted().joined(separator: ", ")
        return "a feature cannot be called \(name): the server has the names \(all)"
    }
}
