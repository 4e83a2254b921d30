/// The result of a check of a directory.
package struct CheckReport: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of problems in a report.
    package static let problemsLimit = 100

    /// The number of spaces.
    package internal(set) var spaces = 0
    /// The number of stored commits.
    package internal(set) var commits = 0
    /// The number of answers stored for idempotency keys.
    package internal(set) var answers = 0
    /// The problems, in words.
    package private(set) var problems: [String] = []
    private var omitted = 0

    /// True if there are no problems.
    package var isWhole: Bool { problems.isEmpty }

    mutating func add(_ problem: String) {
        if problems.count < Self.problemsLimit { problems.append(problem) } else { omitted += 1 }
    }

    /// Adds the numbers and the problems of another report.
    mutating func add(_ other: CheckReport) {
        spaces += other.spaces
        commits += other.commits
        answers += other.answers
        for problem in other.problems { add(problem) }
        omitted += other.omitted
    }

    /// The numbers, each problem and the verdict, one per line.
    package var description: String {
        var lines = ["\(spaces) spaces, \(commits) commits, \(answers) answers kept for keys"]
        lines += problems
        if omitted > 0 { lines.append("and \(omitted) more problems") }
        lines.append(isWhole ? "Nothing is wrong." : "The journal has problems.")
        return lines.joined(separator: "\n")
    }
}
