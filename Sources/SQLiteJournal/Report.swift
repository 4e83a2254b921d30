/// What a look at everything in a directory found.
public struct Report: Hashable, Sendable, CustomStringConvertible {
    /// How much that is wrong is told.
    public static let problemsLimit = 100

    /// Spaces that are there.
    public internal(set) var spaces = 0
    /// Commits that are kept of them.
    public internal(set) var commits = 0
    /// Answers that are kept for keys.
    public internal(set) var answers = 0
    /// What is wrong, in words.
    public private(set) var problems: [String] = []
    private var unsaid = 0

    /// Whether nothing is wrong.
    public var isWhole: Bool { problems.isEmpty }

    mutating func add(_ problem: String) {
        if problems.count < Self.problemsLimit { problems.append(problem) } else { unsaid += 1 }
    }

    /// All of it in words, a line each.
    public var description: String {
        var lines = ["\(spaces) spaces, \(commits) commits, \(answers) answers kept for keys"]
        lines += problems
        if unsaid > 0 { lines.append("and \(unsaid) more") }
        lines.append(isWhole ? "Nothing is wrong." : "Not everything is as it should be.")
        return lines.joined(separator: "\n")
    }
}
