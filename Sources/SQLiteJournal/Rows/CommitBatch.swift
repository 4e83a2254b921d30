internal import JSON
internal import StateStore

/// A row of `runs`: consecutive commits of one space that were appended together, as a JSON array. A batch costs one
/// row per space, not one per commit.
struct CommitBatch {
    static let columns = "first, last, commits, leaves, before_space, before_last, sum"
    /// The size beyond which a row takes no further commit, because a reader of one commit reads the whole row.
    static let bytesLimit = 64 * 1_024
    /// Values are nested two levels deeper here than in facts alone.
    private static let depthLimit = CommitText.depthLimit + 1

    let first: Int
    let last: Int
    /// The run appended before this one, if it was stored.
    let predecessor: Predecessor?
    private let text: [UInt8]
    /// The final values of the commits, if they were written.
    private let leaves: [UInt8]?
    private let space: SpaceName
    private let path: String

    /// Reads the current row of a statement. Throws if it differs from its sum.
    init(_ row: Statement, of space: SpaceName, at path: String) throws(JournalFailure) {
        try self.init(
            first: row.integer(0), last: row.integer(1), text: row.bytes(2), leaves: row.bytesOrNil(3),
            after: row.isNull(4) ? nil : Predecessor(space: row.integer(4), last: row.integer(5)),
            sum: row.isNull(6) ? nil : row.integer(6), of: space, at: path)
    }

    /// A row with these columns. Throws if it differs from its sum.
    init(
        first: Int, last: Int, text: [UInt8], leaves: [UInt8]?, after predecessor: Predecessor?, sum: Int?,
        of space: SpaceName, at path: String
    ) throws(JournalFailure) {
        self.first = first
        self.last = last
        self.text = text
        self.leaves = leaves
        self.predecessor = predecessor
        self.space = space
        self.path = path
        guard sum == nil || sum == Self.sum(first, last, text.span, leaves?.span, predecessor) else {
            throw damaged("\(name) of the space \(space) is not as it was written")
        }
    }

    /// The newest run at a point in time. The next run names it, so that a check detects a missing newest run of a
    /// space.
    struct Predecessor {
        let space: Int
        let last: Int
    }

    /// The number of bytes of the commits.
    var size: Int { text.count }

    private var name: String { first == last ? "commit \(first)" : "one of the commits \(first) to \(last)" }

    private func damaged(_ what: String) -> JournalFailure { .damaged(path, what) }

    /// Runs `body`, and throws its failure as damage.
    private func read<Result>(_ name: String, _ body: () throws(JSONError) -> Result) throws(JournalFailure) -> Result {
        do throws(JSONError) { return try body() } catch {
            throw damaged("\(name) of the space \(space) cannot be read (\(error))")
        }
    }

    /// The commits.
    func commits() throws(JournalFailure) -> [CommitText] {
        let commits = try read(name) { () throws(JSONError) in try Self.read(text) }
        for (index, commit) in commits.enumerated() where commit.version != first + index {
            throw damaged(
                "commits of the space \(space) between \(first + index - 1) and \(commit.version) are missing")
        }
        guard last == first + commits.count - 1 else {
            throw damaged("commits of the space \(space) after \(first + commits.count - 1) are missing")
        }
        return commits
    }

    /// The final values of the commits, if they were written.
    func finalValues() throws(JournalFailure) -> [Fact]? {
        guard let leaves else { return nil }
        return try read(name) { () throws(JSONError) in try FactsText.read(leaves) }
    }

    /// The facts of one of its commits.
    func facts(_ commit: CommitText) throws(JournalFailure) -> [Fact] {
        try read("commit \(commit.version)") { () throws(JSONError) in try commit.facts(in: text) }
    }

    /// One of its commits.
    func record(_ commit: CommitText) throws(JournalFailure) -> CommitRecord {
        try read("commit \(commit.version)") { () throws(JSONError) in try commit.record(of: space, in: text) }
    }

    /// One of its commits, without its input and facts.
    func head(_ commit: CommitText) throws(JournalFailure) -> CommitHead {
        try read("commit \(commit.version)") { () throws(JSONError) in try commit.head(in: text) }
    }

    private static func read(_ text: [UInt8]) throws(JSONError) -> [CommitText] {
        var commits: [CommitText] = []
        try JSONReader.read(text.span, depth: depthLimit) { reader throws(JSONError) in
            try reader.array { reader throws(JSONError) in commits.append(try CommitText(from: &reader)) }
        }
        return commits
    }

    /// The reusable buffers for writing rows.
    struct Room: ~Copyable {
        fileprivate var buffer: [UInt8] = []
        fileprivate var finalValues = FinalValues()
    }

    /// Inserts consecutive commits in as few rows as possible, through a statement that takes the space, then the
    /// columns and `seq`, which is counted on. Returns the number of bytes.
    static func insert(
        _ commits: [CommitRecord], space: Int, by statement: Statement, after predecessor: inout Predecessor?,
        seq: inout Int, in room: inout Room
    ) throws(JournalFailure) -> Int {
        var size = 0
        var start = 0
        while start < commits.count {
            let (end, textCount) = write(commits, from: start, in: &room)
            let (first, last) = (commits[start].version, commits[end - 1].version)
            statement.bind(1, space)
            statement.bind(2, first)
            statement.bind(3, last)
            try unsafe room.buffer.withUnsafeBufferPointer { bytes throws(JournalFailure) in
                let text = unsafe UnsafeBufferPointer(rebasing: bytes[..<textCount])
                let leaves = unsafe UnsafeBufferPointer(rebasing: bytes[textCount...])
                unsafe statement.bind(4, lent: text)
                let sum: Int
                if leaves.isEmpty {
                    statement.bindNull(5)
                    sum = unsafe Self.sum(first, last, Span(_unsafeElements: text), nil, predecessor)
                } else {
                    unsafe statement.bind(5, lent: leaves)
                    sum = unsafe Self.sum(
                        first, last, Span(_unsafeElements: text), Span(_unsafeElements: leaves), predecessor)
                }
                if let predecessor {
                    statement.bind(6, predecessor.space)
                    statement.bind(7, predecessor.last)
                } else {
                    statement.bindNull(6)
                    statement.bindNull(7)
                }
                statement.bind(8, sum)
                seq += 1
                statement.bind(9, seq)
                // The lent memory is valid until the statement has run.
                while try statement.step() {}
            }
            predecessor = Predecessor(space: space, last: last)
            size += room.buffer.count
            start = end
        }
        return size
    }

    /// Writes as many commits as a row takes, then their final values. Returns the end of the commits, and of their
    /// text.
    private static func write(
        _ commits: [CommitRecord], from start: Int, in room: inout Room
    ) -> (end: Int, textCount: Int) {
        room.finalValues.reset()
        room.buffer.removeAll(keepingCapacity: true)
        // The buffer moves into the writer and back, so that it is never copied.
        var writer = JSONWriter(appendingTo: room.buffer, depth: depthLimit)
        room.buffer = []
        var end = start
        writer.array { writer in
            repeat {
                let commit = commits[end]
                writer.element { $0.object { CommitText.write(commit, to: &$0) } }
                room.finalValues.add(commit.facts)
                end += 1
            } while end < commits.count && writer.count < bytesLimit
        }
        let textCount = writer.count
        room.finalValues.write(to: &writer)
        room.buffer = writer.bytes
        _ = consume writer
        return (end, textCount)
    }

    /// A row of `runs` without an erased row of a table.
    struct ErasedBatch {
        let text: [UInt8]
        let leaves: [UInt8]?
        let sum: Int
        /// The versions whose commits had the row.
        var versions: [Int] = []
        /// The variables that changed by the entry, with the versions.
        var changes: [(variable: String, version: Int)] = []
    }

    /// Returns the batch without a row of a table; nil if it does not have the row.
    func erasing(_ row: ErasedRow) throws(JournalFailure) -> ErasedBatch? {
        var versions: [Int] = []
        var changes: [(variable: String, version: Int)] = []
        var records: [CommitRecord] = []
        for commit in try commits() {
            let record = try record(commit)
            for fact in record.facts where fact.entry != nil && row.without(fact) != nil {
                changes.append((fact.variable, record.version))
            }
            let erased = row.without(record)
            if erased != nil { versions.append(record.version) }
            records.append(erased ?? record)
        }
        if versions.isEmpty, changes.isEmpty { return nil }
        var writer = JSONWriter(depth: Self.depthLimit)
        writer.array { writer in
            for record in records { writer.element { $0.object { CommitText.write(record, to: &$0) } } }
        }
        let text = writer.bytes
        var leaves = leaves
        if let facts = try finalValues() {
            var writer = JSONWriter(depth: Self.depthLimit)
            FactsText.write(changed: Facts(facts.map { row.without($0) ?? $0 }), to: &writer)
            leaves = writer.bytes
        }
        return ErasedBatch(
            text: text, leaves: leaves, sum: Self.sum(first, last, text.span, leaves?.span, predecessor),
            versions: versions, changes: changes)
    }

    private static func sum(
        _ first: Int, _ last: Int, _ text: Span<UInt8>, _ leaves: Span<UInt8>?, _ predecessor: Predecessor?
    ) -> Int {
        var sum = Checksum()
        sum.add(first)
        sum.add(last)
        sum.add(text)
        if let leaves { sum.add(leaves) }
        if let predecessor {
            sum.add(predecessor.space)
            sum.add(predecessor.last)
        }
        return sum.value
    }
}

/// The last values of the variables that a batch of commits sets, if they are few and set as a whole. Loading the newest
/// state needs only these, and not the values in between. (A snapshot that advances reads all values, because the past
/// keeps them.)
struct FinalValues {
    /// The maximum number of variables.
    static let limit = 8

    private var facts: [Fact] = []
    private var latest = 0
    private var isTooMuch = false
    private var commits = 0

    /// Removes all values.
    mutating func reset() {
        facts.removeAll(keepingCapacity: true)
        latest = 0
        isTooMuch = false
        commits = 0
    }

    /// Adds the facts of the next commit.
    mutating func add(_ more: Facts) {
        commits += 1
        if isTooMuch { return }
        more.forEach { fact in
            if latest < facts.count, facts[latest].variable == fact.variable, fact.entry == nil {
                return facts[latest] = fact
            }
            guard fact.entry == nil else { return isTooMuch = true }
            if let place = facts.firstIndex(where: { ByteString($0.variable) == ByteString(fact.variable) }) {
                facts[place] = fact
                latest = place
            } else if facts.count < Self.limit {
                latest = facts.count
                facts.append(fact)
            } else {
                isTooMuch = true
            }
        }
    }

    /// Writes the values as an object, if they are fewer than the commits.
    func write(to writer: inout JSONWriter) {
        guard !isTooMuch, commits > facts.count else { return }
        FactsText.write(changed: Facts(facts), to: &writer)
    }
}
