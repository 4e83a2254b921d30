import HTTP
import Reactive
import Sockets
import StateStore

/// What happens to a request whose client may send it.
enum RequestCourse {
    /// This node handles it now.
    case here
    /// This node handles it after a wait.
    case later(RequestWait)
    /// This node handles it after `whenFresh`, or after `later`. It names no version, and wants no stream.
    case whenFresh(SpaceName)
    /// It is answered, now or later.
    case taken
}

/// The course of a read, as the head of its request decides it for good: in a cluster of one that names no versions, on one
/// server of one whose versions are shown.
enum ReadPlan {
    /// The node handles it now.
    case near
    /// The node handles it once it has everything that was answered of the space.
    case fresh(SpaceName)
}

/// The versions that tags of requests name. A client that has seen a version is shown that one or a later one; a request
/// waits until the store of its loop shows it.
final class NamedVersions {
    let shownWaits: ShownWaits
    private let store: Store
    private let viewTags: ViewTags
    private let executor: LoopExecutor
    private let journal: any Journal

    init(_ delivery: Delivery, _ journal: any Journal, on executor: LoopExecutor) {
        (store, viewTags, shownWaits) = (delivery.store, delivery.tags, delivery.shownWaits)
        (self.journal, self.executor) = (journal, executor)
    }

    // MARK: Tags

    /// Returns true if a request wants events.
    static func isStream(_ request: borrowing Request, _ route: Route) -> Bool {
        route.wantsEvents || request.field(.accept)?.contains("text/event-stream") ?? false
    }

    /// Returns true if a request may have a tag in `If-None-Match`, `since` or `at`.
    static func mayBeNamed(by request: borrowing Request, _ route: Route) -> Bool {
        request.has(.ifNoneMatch) || route.since != nil || route.at != nil
    }

    /// The tags of a request in `If-None-Match`, `since` and `at`.
    static func tags(of request: borrowing Request, _ route: Route) -> [String] {
        var tags = [route.since, route.at].compactMap { $0 }
        if let value = request.field(.ifNoneMatch), let known = EntityTags(value) { tags += known.tags }
        return tags
    }

    /// The moment that tags name: the highest versions of the present lives.
    func moment(in space: SpaceName, of tags: [String]) -> Moment {
        guard !tags.isEmpty else { return .beginning }
        var (version, common) = (0, 0)
        let (mark, lives) = (viewTags.mark(of: viewTags.lives(of: space)), journal.lives)
        for text in tags.flatMap({ EntityTags(tag: $0).tags }) {
            // Versions of another life say nothing of this one.
            if let tag = SpaceTag(text), tag.isGood(for: space, in: lives) {
                version = max(version, tag.version)
            } else if let tag = ViewTag(text), tag.isOf(mark) {
                version = max(version, tag.versions.version)
                common = max(common, tag.versions.common ?? 0)
            }
        }
        return space == .common ? Moment(version: 0, common: version) : Moment(version: version, common: common)
    }

    // MARK: One server

    /// Decides what happens to a request on a server that is no node of a cluster. A stream goes on with an id of any
    /// version. Requests with one head share `plan`.
    func course(
        of request: borrowing Request, _ resource: Resource, _ route: Route, _ responder: Responder,
        _ plan: inout ReadPlan?
    ) -> RequestCourse {
        let space = resource.row.reads == .common ? .common : resource.space
        guard let space, request.method == .get || request.method == .head, !Self.isStream(request, route)
        else { return .here }
        if let hasAll = responder.exchange.waitOutcome {
            // A space that cannot be loaded is refused with its own reason.
            guard !hasAll, store.shown(of: space) != nil else { return .here }
            responder.answer(.behind)
            return .taken
        }
        if case .near? = plan { return .here }
        let moment = moment(in: space, of: Self.tags(of: request, route))
        guard !shownWaits.shows(moment, in: space) else {
            // It stays so: versions never go back within a life, and a tag says nothing of another one.
            plan = .near
            return .here
        }
        let deadline = executor.loop.now + ShownWaits.patience.wholeNanoseconds
        return .later { [shownWaits] end in shownWaits.wait(for: moment, in: space, until: deadline) { end($0) } }
    }
}
