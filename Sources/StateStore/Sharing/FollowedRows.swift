import Reactive

/// The rows in memory only of a space that another node owns, as far as this node has asked for them.
///
/// One request is under way at a time. A wait that begins meanwhile is for the next one: the owner may have answered
/// before the changes that it must see.
struct FollowedRows {
    /// The number of the rows that the space shows; nil for none.
    private(set) var shown: RowsNumber?
    /// True if subscribers are told of changes.
    var isWanted = false
    /// True if a change is known that the space does not show.
    var isDue = false
    /// The time of the last wait.
    var lastUse: Instant
    private(set) var isAsking = false
    /// The number of the request under way. Answers to others are ignored.
    private(set) var token = 0
    /// Failures in succession.
    private(set) var failures = 0
    private var asked: [TimedWait] = []
    private var waiting: [TimedWait] = []
    /// The pages that were read.
    private var pages: (number: RowsNumber, isWhole: Bool, facts: [Fact])?
    /// True if the next answer has the changes since the first of several pages.
    private var isReadingChanges = false
    /// The rows that wait for a version of the space.
    private(set) var early: (number: RowsNumber, version: Int, isWhole: Bool, facts: [Fact])?

    init(at now: Instant) {
        lastUse = now
    }

    /// The next step after an answer.
    enum NextStep {
        /// Ask for the next page, or for the changes since.
        case ask
        /// Show the rows that are early, once the space has their version.
        case show
    }

    mutating func wait(_ wait: TimedWait) {
        waiting.append(wait)
    }

    /// True if a wait or a change asks for a request.
    var needsRequest: Bool { isDue || hasWaits }

    /// True if a request waits for the rows.
    var hasWaits: Bool { !(waiting.allSatisfy(\.isOver) && asked.allSatisfy(\.isOver)) }

    /// Begins a request. Precondition: none is under way.
    mutating func begin() {
        isAsking = true
        isDue = false
        asked = waiting.filter { !$0.isOver }
        waiting = []
        token += 1
    }

    /// The request under way. `follower` is the process to tell of changes.
    func request(for space: SpaceName, follower: String?) -> RowsRequest {
        guard let pages else { return RowsRequest(space, known: shown, follower: follower) }
        if isReadingChanges { return RowsRequest(space, known: pages.number, follower: follower) }
        let last = pages.facts.last.map { RowsRequest.Place($0.variable, $0.entry ?? "") }
        return RowsRequest(space, known: pages.number, after: last, follower: follower)
    }

    /// Takes an answer. Precondition: a request is under way.
    mutating func take(_ answer: RowsAnswer) -> NextStep {
        failures = 0
        if answer.isWhole {
            pages = (answer.number, true, answer.facts)
            isReadingChanges = false
        } else if pages != nil {
            pages?.number = answer.number
            pages?.facts += answer.facts
        } else {
            pages = (answer.number, false, answer.facts)
        }
        if answer.hasMore { return .ask }
        // The rows of several pages are of different moments, until the changes since the first are there.
        if let read = pages, read.isWhole, !answer.isWhole, !isReadingChanges {
            isReadingChanges = true
            return .ask
        }
        if let read = pages { early = (read.number, answer.version, read.isWhole, read.facts) }
        pages = nil
        isReadingChanges = false
        return .show
    }

    /// Ends the request under way: the space shows its rows. Returns the waits that end.
    mutating func shows(_ number: RowsNumber) -> [TimedWait] {
        shown = number
        early = nil
        isAsking = false
        defer { asked = [] }
        return asked
    }

    /// Ends the request under way without rows. Its waits are for the next one.
    mutating func fail() {
        failures += 1
        restart()
    }

    /// Ignores the answer to the request under way.
    mutating func restart() {
        token += 1
        isAsking = false
        pages = nil
        isReadingChanges = false
        early = nil
        waiting = (asked + waiting).filter { !$0.isOver }
        asked = []
    }

    /// Forgets which rows the space shows.
    mutating func forget() {
        restart()
        shown = nil
        isDue = true
    }

    /// Ends all waits.
    mutating func end(_ isHere: Bool) -> [TimedWait] {
        restart()
        defer { waiting = [] }
        return waiting
    }
}
