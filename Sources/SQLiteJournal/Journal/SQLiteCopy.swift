internal import Platform
internal import Ground
package import StateStore

/// The journal as a copy of a log that several machines share.
extension SQLiteJournal {
    /// Returns what `append` would return, without storing anything.
    package func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        try maintenance.write { writer throws(JournalFailure) in try writer.fits(commits) }
    }

    /// Stores steps and rows in one transaction. A row replaces that of the same name. Throws `damaged` and stores
    /// nothing if a commit is not the next of its space.
    package func apply(_ steps: [CopyStep], rows: [CopyRow]) throws(JournalFailure) {
        try forgetting.withLock { _ throws(JournalFailure) in
            let lives = lives
            let next = try maintenance.write { writer throws(JournalFailure) in
                try writer.apply(steps, rows: rows, lives)
            }
            if next != lives { currentLives.withLock { $0 = next } }
        }
        if steps.contains(where: \.erases) { noteErased() }
        var hasForgotten = false
        for step in steps {
            switch step {
            case .commits(let commits, _): followers.tell(commits, commits.map { _ in .kept })
            case .forget: hasForgotten = true
            }
        }
        if hasForgotten { followers.tellDeletion() }
    }

    /// Returns the places in the log of commits and deletions at places of this copy; nil where there is none.
    package func shares(of places: [Int]) throws(JournalFailure) -> [Int?] {
        try read { reader throws(JournalFailure) in try LogPlaces.shares(of: places, on: reader.connection) }
    }

    /// Returns the cursor before the first commit or deletion that a reader of a cluster does not have.
    package func cursor(after shares: [Int]) throws(JournalFailure) -> JournalCursor {
        try read { reader throws(JournalFailure) in try LogPlaces.cursor(after: shares, on: reader.connection) }
    }

    /// The rows that `apply` has stored.
    package func rows() throws(JournalFailure) -> [CopyRow] {
        try read { reader throws(JournalFailure) in
            let statement = try Statement(
                reader.connection,
                "SELECT substr(name, \(CopyRows.prefix.count + 1)), value FROM meta WHERE name GLOB '\(CopyRows.prefix)*'"
            )
            var rows: [CopyRow] = []
            while try statement.step() { rows.append(CopyRow(statement.text(0), statement.text(1))) }
            return rows
        }
    }
}
