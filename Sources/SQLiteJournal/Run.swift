internal import JSON
internal import StateStore

/// Commits of one space that follow one another and were appended together, as one row: so a batch costs a row for each space, not for each commit.
/// Their text is a JSON array.
struct Run {
    static let columns = "first, last, commits, sum"
    /// No commit is added to a run that has as many bytes, for whoever wants one reads them all.
    static let bytesLimit = 32 * 1_024
    /// Values lie two deeper here than in facts alone.
    private static let depthLimit = CommitText.depthLimit + 1

    let commits: [CommitText]
    let text: [UInt8]

    /// The run in the row that a statement is at, if it is as its sum says that it was written.
    init(_ row: Statement, of space: SpaceName, at path: String) throws(JournalFailure) {
        let first = row.integer(0)
        let last = row.integer(1)
        let text = row.bytes(2)
        let name = first == last ? "commit \(first)" : "one of the commits \(first) to \(last)"
        guard row.isNull(3) || row.integer(3) == Self.sum(first, last, text.span) else {
            throw .damaged(path, "\(name) of the space \(space) is not as it was written")
        }
        let commits: [CommitText]
        do {
            commits = try Self.read(text)
        } catch {
            throw .damaged(path, "\(name) of the space \(space) cannot be read (\(error))")
        }
        for (index, commit) in commits.enumerated() where commit.version != first + index {
            throw .damaged(path, "commits of the space \(space) between \(first + index - 1) and \(commit.version) are missing")
        }
        guard last == first + commits.count - 1 else {
            throw .damaged(path, "commits of the space \(space) after \(first + commits.count - 1) are missing")
        }
        self.commits = commits
        self.text = text
    }

    private static func read(_ text: [UInt8]) throws(JSONError) -> [CommitText] {
        var commits: [CommitText] = []
        try JSONReader.read(text.span, depth: depthLimit) { reader throws(JSONError) in
            try reader.array { reader throws(JSONError) in commits.append(try CommitText(from: &reader)) }
        }
        return commits
    }

    /// Adds commits that follow one another, as few runs through a statement that takes the space and then the columns. `buffer` is room that is used
    /// again and again. How many bytes they have.
    static func insert(
        _ commits: [CommitRecord], space: Int, by statement: Statement, in buffer: inout [UInt8]
    ) throws(JournalFailure) -> Int {
        var size = 0
        var start = 0
        while start < commits.count {
            buffer.removeAll(keepingCapacity: true)
            let end = write(commits, from: start, to: &buffer)
            let (first, last) = (commits[start].version, commits[end - 1].version)
            statement.bind(1, space)
            statement.bind(2, first)
            statement.bind(3, last)
            statement.bind(5, sum(first, last, buffer.span))
            try unsafe buffer.withUnsafeBufferPointer { text throws(JournalFailure) in
                unsafe statement.bind(4, lent: text)
                // What is lent stays where it is until the statement has run.
                while try statement.step() {}
            }
            size += buffer.count
            start = end
        }
        return size
    }

    /// Writes as many commits as a run takes; where it ends.
    private static func write(_ commits: [CommitRecord], from start: Int, to buffer: inout [UInt8]) -> Int {
        // The buffer moves into the writer and back, so that it is never copied.
        var writer = JSONWriter(appendingTo: buffer, depth: depthLimit)
        buffer = []
        var end = start
        writer.array { writer in
            repeat {
                let commit = commits[end]
                writer.element { $0.object { CommitText.write(commit, to: &$0) } }
                end += 1
            } while end < commits.count && writer.count < bytesLimit
        }
        buffer = writer.bytes
        _ = consume writer
        return end
    }

    private static func sum(_ first: Int, _ last: Int, _ text: Span<UInt8>) -> Int {
        var sum = Checksum()
        sum.add(first)
        sum.add(last)
        sum.add(text)
        return sum.value
    }
}
