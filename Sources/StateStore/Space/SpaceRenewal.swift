import Ground
import Reactive
import StateModel

/// The renewal of a large space whose state documents migrate: it is loaded anew, in slices, while it serves what the
/// documents before have. It performs no actions meanwhile, and makes no commits.
final class SpaceRenewal {
    /// The load that brings the new content.
    fileprivate(set) var load = 0
    /// The work that waits for the end, oldest first. All of it waits as long, so that whose time is over is the first.
    fileprivate var waiting = Fifo<(_ isRenewed: Bool) -> Void>()
}

extension Space {
    /// The time that a request waits for the renewal of its space.
    private static let renewalPatience = Duration.seconds(1)

    /// True while the space serves what earlier documents have.
    var isRenewing: Bool { renewal != nil }

    /// Begins a renewal if a catalog migrates large state. Returns false if the space can take the catalog at once.
    func beginRenewal(to catalog: FeatureCatalog) -> Bool {
        guard mayBuild, cache != nil, state.isHere, features.migratesLargeState(to: catalog) else { return false }
        let renewal = renewal ?? SpaceRenewal()
        self.renewal = renewal
        loadBeside(renewal)
        return true
    }

    /// Begins the renewal of `common` for documents that are coming. It ends when the store has taken them.
    func renewCommon() {
        let renewal = renewal ?? SpaceRenewal()
        self.renewal = renewal
        if state.isHere { loadBeside(renewal) } else { whenHere { _ in } }
    }

    /// Makes the replicas take the documents that are coming, once `common` has their form, or cannot have it.
    func shareRenewal(isHere: Bool) {
        guard let renewed, context.coming != nil || !isRenewing else { return }
        guard isHere else { return renewed() }
        whenDurable { [self] isDurable in
            // The commit of the node that owns it makes them take them elsewhere.
            if isDurable, !isMigrationRefused || context.owns(name) { renewed() }
        }
    }

    private func loadBeside(_ renewal: SpaceRenewal) {
        renewal.load = 0
        state.endRenewal()
        whenDurable { [self] _ in
            guard context.isOpen, self.renewal === renewal, renewal.load == 0 else { return }
            guard state.isHere, state.isDurable else {
                endRenewal()
                return isRenewing ? whenHere { _ in } : ()
            }
            renewal.load = state.beginRenewal()
            request(renewal.load)
        }
    }

    /// Begins a renewal again if it is that of a load which is not awaited any more, because the space has had another
    /// commit.
    func repeatRenewal(after load: Int) {
        guard let renewal, renewal.load == load else { return }
        if state.isHere { loadBeside(renewal) } else { endRenewal() }
    }

    /// Ends a renewal: the space has the present documents, or has lost its content, which is loaded with them.
    func endRenewal() {
        guard let ended = renewal else { return }
        state.endRenewal()
        ended.load = 0
        // That of `common` ends when the stores take the documents.
        if renewed != nil, context.coming != nil { return }
        renewal = nil
        while let body = ended.waiting.popFirst() { body(true) }
        if isDue { context.dueSpaces.add(self) }
    }

    /// Runs `body` once the space has the present documents, at once if it does. A renewal that takes long is not waited
    /// for: then `body` gets false.
    func whenRenewed(_ body: @escaping (_ isRenewed: Bool) -> Void) {
        guard let renewal else { return body(true) }
        renewal.waiting.append(body)
        let scheduler = context.executor.scheduler
        scheduler.set(
            Alarm(at: scheduler.now + Self.renewalPatience) { [context, weak renewal] _ in
                if context.isOpen, let body = renewal?.waiting.popFirst() { body(false) }
            })
    }

    /// Returns true if the values that the space serves during a renewal may be shown under some names of views and rules:
    /// the documents before have the views, and no rule that the reader is not asked for.
    func serves(_ names: [ViewKey]) -> Bool {
        guard isRenewing else { return true }
        let ruled = Set(names.filter { $0.kind == .rule }.map(\.known))
        return names.allSatisfy { name in
            if context.replica.cell(name) != nil { return true }
            guard features.view(name) != nil else { return false }
            return features.catalog.access(ofView: name)?.rule == nil || ruled.contains(name.known)
        }
    }
}
