import JSON
import Reactive

/// The rows in memory only, as the nodes of a cluster share them.
extension Space {
    /// True if a view is watched.
    var isWatched: Bool { subscriberCount > 0 }

    /// The claim under which rows in memory only may change or be read here; nil if another node may own the space.
    var sureClaim: Int? {
        guard let claim = context.ownership?.claim(of: name), claim.isSure else { return nil }
        return claim.number
    }

    /// Ends the rows of an earlier owner, when they are first used under a claim of this node. The rows of present clients
    /// stay until their processes have announced them. Precondition: the content is here, and no turn is under way.
    func takeOver(_ claim: Int) {
        guard unkeptClaim != claim else { return }
        unkeptClaim = claim
        // New rows come after those of all earlier owners.
        let term = context.ownership?.claim(of: name)?.term ?? 0
        unkeptChanges = max(unkeptChanges, FirstAdding.changes(before: term))
        presentClients.removeAll()
        guard hasUnkeptRows else { return }
        let present = features.presentRows
        var transaction = graph.draft()
        features.clearUnkept(exceptPresence: true, in: &transaction)
        publishUnkept()
        for row in present {
            let grace = context.registry.catalog.presence(row.table)?.outline.grace ?? .zero
            presentClients.expect(row) { endAlarm(of: row, after: max(grace, Self.announcementTime)) }
        }
        context.unkeptChanged?(name, nil)
    }

    /// Forgets the clients that are present, because another node owns the space. The news may be older than the present
    /// claim of this node.
    func giveUpRows() {
        guard let claim = unkeptClaim, context.ownership?.claim(of: name)?.number != claim else { return }
        unkeptClaim = nil
        presentClients.removeAll()
        if !isWatched { clearRows() }
    }

    /// Takes rows, or changes of rows, of the owner of the space.
    func takeRows(_ facts: [Fact], isWhole: Bool) {
        guard state.isHere, !facts.isEmpty || isWhole && hasUnkeptRows else { return }
        var transaction = graph.draft()
        if isWhole { features.clearUnkept(in: &transaction) }
        for fact in facts { features.takeUnkept(fact, in: &transaction) }
        publishUnkept()
    }

    /// Removes all rows, because nobody here reads them.
    func clearRows() {
        guard state.isHere, hasUnkeptRows else { return }
        takeRows([], isWhole: true)
        noteUse()
    }

    /// Publishes the draft, which changes only what is in memory. The caller notes the use of the space.
    func publishUnkept() {
        graph.dropUnchanged()
        unkeptChanges += 1
        graph.publish()
        hasUnkeptRows = features.hasUnkeptRows
    }
}
