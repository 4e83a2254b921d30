internal import StateStore

/// The writes of a copy.
extension BatchWriter {
    /// Returns what `append` would return.
    func fits(_ commits: [CommitRecord]) throws(JournalFailure) -> [AppendResult] {
        var versions: [SpaceName: Int] = [:]
        var rejected: Set<SpaceName> = []
        var results: [AppendResult] = []
        for record in commits {
            let version: Int
            if let known = versions[record.space] {
                version = known
            } else {
                version = try head(of: record.space)?.version ?? 0
            }
            if !rejected.contains(record.space), record.version == version + (record.facts.isEmpty ? 0 : 1) {
                versions[record.space] = record.version
                results.append(.kept)
            } else {
                versions[record.space] = version
                rejected.insert(record.space)
                results.append(.moved(to: version))
            }
        }
        return results
    }

    /// Stores steps and rows in one transaction. Returns the lives after the deletions among the steps.
    func apply(_ steps: [CopyStep], rows: [CopyRow], _ lives: LifeTable) throws(JournalFailure) -> LifeTable {
        let places: LogPlaces
        if let known = self.places { places = known } else { places = try LogPlaces(connection) }
        self.places = places
        if entryAnswers == nil { entryAnswers = try EntryAnswers(connection) }
        defer { entry = nil }
        return try together { () throws(JournalFailure) in
            var lives = lives
            for step in steps {
                let seq = newestSeq
                switch step {
                case .commits(let commits, let place):
                    entry = place?.number
                    guard try append(next: commits) else {
                        throw JournalFailure(
                            .damaged, "the copy \(connection.path) does not fit the log of the cluster")
                    }
                    try places.note(place, after: seq, upTo: newestSeq)
                case .forget(let space, let place):
                    let next = lives.forgetting(space)
                    if try remove(space, lives, next) { lives = next }
                    try places.note(place, after: seq, upTo: newestSeq)
                }
            }
            for row in rows { try put(row) }
            return lives
        }
    }
}
