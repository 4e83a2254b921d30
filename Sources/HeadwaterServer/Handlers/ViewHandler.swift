import HTTP
import StateStore

/// Reads of views: once, with a wait, and as a stream.
final class ViewHandler {
    private let names: ViewNames
    private let delivery: Delivery
    private let lists: ListHandler

    init(_ names: ViewNames, _ delivery: Delivery, _ lists: ListHandler) {
        self.names = names
        self.delivery = delivery
        self.lists = lists
    }

    /// Reads one view.
    func read(
        _ request: borrowing Request, _ view: ViewKey, in space: SpaceName, _ route: Route, _ responder: Responder
    ) {
        if let form = ListFile.form(of: request) {
            guard names.has(view, in: space) else { return responder.answer(names.noView(view, in: space)) }
            guard let permit = names.permit([view], in: space, responder) else { return }
            return lists.read(permit, form, route, responder)
        }
        guard let mode = ReadMode(of: request, route, responder),
            let wishes = wishes(request, mode, route, responder)
        else { return }
        guard let broadcaster = broadcaster(of: route, in: space, responder, isSingle: true, { [view] }) else { return }
        read(request, broadcaster, mode, wishes, route, responder)
    }

    /// Reads the views of a broadcaster, which the route of the request has.
    func read(
        _ request: borrowing Request, _ broadcaster: ViewBroadcaster, _ route: Route, _ responder: Responder
    ) {
        if isSingle(route), let form = ListFile.form(of: request) {
            return lists.read(broadcaster.permit, form, route, responder)
        }
        guard let mode = ReadMode(of: request, route, responder),
            let wishes = wishes(request, mode, route, responder)
        else { return }
        read(request, broadcaster, mode, wishes, route, responder)
    }

    /// Reads the views of a broadcaster once `wait` calls back. Precondition: the request has no tag, and wants no stream.
    func read(
        _ request: borrowing Request, _ broadcaster: ViewBroadcaster, _ route: Route, _ responder: Responder,
        after wait: (@escaping () -> Void) -> Void
    ) {
        if isSingle(route), let form = ListFile.form(of: request) {
            return wait { [self] in lists.read(broadcaster.permit, form, route, responder) }
        }
        guard let mode = ReadMode(of: request, route, responder) else { return }
        let wantsPatch = wantsPatch(request)
        if wantsPatch { broadcaster.keepPatches() }
        wait { [self] in lookLater(broadcaster, nil, mode, responder, wantsPatch: wantsPatch) }
    }

    /// True if a target is that of one view.
    private func isSingle(_ route: Route) -> Bool {
        guard case .success(let resource) = route.resource else { return false }
        return resource.row.template == ResourceRow.ofViews.template
    }

    /// Reads the views that a request names, or all views of a space.
    func readSeveral(_ request: borrowing Request, of space: SpaceName, _ route: Route, _ responder: Responder) {
        guard let mode = ReadMode(of: request, route, responder),
            let wishes = wishes(request, mode, route, responder)
        else { return }
        if route.views.isEmpty, names.registry.hasRules {
            return readPermitted(request, of: space, mode, wishes, route, responder)
        }
        guard
            let broadcaster = broadcaster(
                of: route, in: space, responder, isSingle: false,
                { [names] in route.views.isEmpty ? names.all(in: space) : route.views })
        else { return }
        read(request, broadcaster, mode, wishes, route, responder)
    }

    /// Returns the broadcaster of a route, which keeps it unless it is one of instances: these are of use for some
    /// seconds only.
    private func broadcaster(
        of route: Route, in space: SpaceName, _ responder: Responder, isSingle: Bool, _ views: () -> [ViewKey]
    ) -> ViewBroadcaster? {
        if let broadcaster = route.broadcaster { return broadcaster }
        guard let found = broadcaster(views(), isSingle: isSingle, in: space, responder) else { return nil }
        if !found.isOfInstances, !found.permit.dependsOnReader, !route.hasPresence { route.broadcaster = found }
        return found
    }

    /// Returns the broadcaster of some views; answers 404 and returns nil if one of them does not exist.
    private func broadcaster(
        _ views: [ViewKey], isSingle: Bool, in space: SpaceName, _ responder: Responder
    ) -> ViewBroadcaster? {
        if let missing = views.first(where: { !names.has($0, in: space) }) {
            responder.answer(names.noView(missing, in: space))
            return nil
        }
        return names.permit(views, in: space, responder).map { delivery.broadcaster(for: $0, isSingle: isSingle) }
    }

    /// Reads all views of a space that their rules let the client read.
    private func readPermitted(
        _ request: borrowing Request, of space: SpaceName, _ mode: ReadMode, _ wishes: ViewReader.Wishes,
        _ route: Route, _ responder: Responder
    ) {
        guard let permit = names.permit(names.all(in: space), in: space, responder) else { return }
        let wantsPatch = wantsPatch(request)
        let lastTag = route.lastEventID(of: request)
        guard let known = known(request, route, responder) else { return }
        names.check(permit, leavingOut: true, responder) { [self] permit in
            let broadcaster = delivery.broadcaster(for: permit, isSingle: false)
            guard mode.isStream else {
                if wantsPatch { broadcaster.keepPatches() }
                return lookLater(broadcaster, known.tags, mode, responder, wantsPatch: wantsPatch)
            }
            guard let place = responder.takeStream() else { return }
            broadcaster.stream(responder, place, lastTag: lastTag, wishes)
        }
    }

    /// Returns the tags that a request names; answers 422 and returns nil if they cannot be read.
    private func known(_ request: borrowing Request, _ route: Route, _ responder: Responder) -> KnownTags? {
        // A tag may come with the quotation marks of its ETag.
        if let since = route.since { return KnownTags(EntityTags(tag: since)) }
        return KnownTags(of: request, .ifNoneMatch, responder)
    }

    private func read(
        _ request: borrowing Request, _ broadcaster: ViewBroadcaster, _ mode: ReadMode, _ wishes: ViewReader.Wishes,
        _ route: Route, _ responder: Responder
    ) {
        if mode.isStream {
            guard let place = responder.takeStream() else { return }
            let lastTag = route.lastEventID(of: request)
            return broadcaster.stream(responder, place, lastTag: lastTag, wishes)
        }
        let wantsPatch = wantsPatch(request)
        if wantsPatch { broadcaster.keepPatches() }
        // A client that waits for one change after the other names the current tag.
        let isFresh = broadcaster.isFresh && broadcaster.refusal == nil
        if isFresh, !broadcaster.isGone, route.since == nil, let known = broadcaster.knownTag(of: request) {
            return answerUnchanged(broadcaster, known, mode, responder, wantsPatch: wantsPatch)
        }
        guard let known = known(request, route, responder) else { return }
        if isFresh {
            look(broadcaster, known.tags, mode, responder, wantsPatch: wantsPatch)
        } else {
            lookLater(broadcaster, known.tags, mode, responder, wantsPatch: wantsPatch)
        }
    }

    /// Returns true if the request takes a patch from the values that it names (RFC 3229).
    @inline(__always)
    private func wantsPatch(_ request: borrowing Request) -> Bool {
        guard request.has(.aIM), let value = request.field(.aIM) else { return false }
        return InstanceManipulations.accept(QueryParameters.delta, in: value)
    }

    /// Returns the wishes of a request for a stream. If it cannot have the presence that it wants, answers why, and returns
    /// nil.
    private func wishes(
        _ request: borrowing Request, _ mode: ReadMode, _ route: Route, _ responder: Responder
    ) -> ViewReader.Wishes? {
        guard mode.isStream || route.hasPresence else { return ViewReader.Wishes() }
        var wishes = ViewReader.Wishes(wantsProgress: route.isOn("progress"), wantsPatches: route.wantsPatches)
        if route.hasPresence {
            do throws(PresenceFault) {
                wishes.presence = try PresenceParameters.request(
                    route, isStream: mode.isStream, names.registry, responder)
            } catch {
                responder.answer(error.problem)
                return nil
            }
        }
        if !wishes.wantsPatches, !request.is(.accept, "text/event-stream"), let value = request.field(.accept) {
            wishes.wantsPatches = Acceptance(value).names(
                "text", "event-stream", with: "delta=\(QueryParameters.delta)")
        }
        return wishes
    }

    /// Looks as soon as the values are current.
    private func lookLater(
        _ broadcaster: ViewBroadcaster, _ known: EntityTags?, _ mode: ReadMode, _ responder: Responder,
        wantsPatch: Bool
    ) {
        broadcaster.whenFresh(for: responder.isOpen) { [self] refusal in
            guard responder.isOpen else { return }
            if let refusal { return responder.answer(Problem(refusal)) }
            look(broadcaster, known, mode, responder, wantsPatch: wantsPatch)
        }
    }

    private func look(
        _ broadcaster: ViewBroadcaster, _ known: EntityTags?, _ mode: ReadMode, _ responder: Responder,
        wantsPatch: Bool
    ) {
        guard let known, !broadcaster.isGone else { return broadcaster.answer(responder, wait: mode.seconds) }
        if let current = broadcaster.knownTag(among: known) {
            return answerUnchanged(broadcaster, current, mode, responder, wantsPatch: wantsPatch)
        }
        let base = wantsPatch ? broadcaster.base(among: known) : nil
        broadcaster.answer(responder, base: base, wait: mode.seconds)
    }

    /// Lets a client wait that has the current values, or answers 304 if it would not wait.
    private func answerUnchanged(
        _ broadcaster: ViewBroadcaster, _ known: RepeatedTag, _ mode: ReadMode, _ responder: Responder,
        wantsPatch: Bool
    ) {
        if case .wait(let seconds) = mode, seconds > 0 {
            broadcaster.wait(responder, known, wantsPatch: wantsPatch, seconds: seconds)
        } else {
            broadcaster.answerUnchanged(responder, known, wait: mode.seconds)
        }
    }
}
