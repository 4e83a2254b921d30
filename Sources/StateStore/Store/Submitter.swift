/// What the journal's threads know of a store, which submits commits.
final class Submitter: @unchecked Sendable {
    // Sendable because the store is looked for on its home only, and so is all that changes.
    private let door: Door
    let home: any Home
    /// What it may not have kept any more, where a keeper keeps at once.
    var fences = Fences()
    /// What it has submitted in this turn, where a keeper takes that together.
    var gathered: [Submission] = []

    init(_ door: Door, on home: any Home) {
        self.door = door
        self.home = home
    }

    /// Hears, on its home, what became of commits, in the order in which they were submitted.
    func hear(_ outcomes: [Outcome]) {
        door.store?.hear(outcomes)
    }
}
