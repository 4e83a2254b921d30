import JSON
import Reactive

/// One view in one place, and what is known of its value.
final class Cell {
    let name: String
    // A place has its cells, and an onlooker leaves both before its watch lets go of the store.
    private unowned(unsafe) let place: any Place
    private var view: any View
    private var subscription: Subscription?
    /// The value as it is, which may have to be kept back.
    private var latest: Frame?
    /// When `latest` was last known to be right, while nobody watches.
    private var checked: Moment?
    /// When the view failed, if it did; it has to be watched anew to have a value again.
    private var failed: Moment?
    /// The value as it was shown last.
    private var shown: Frame?
    private var onlookers: [Onlooker] = []
    /// The number of onlookers whose frames are to have trees.
    private var treeReaders = 0

    init(name: String, view: any View, in place: any Place) {
        self.name = name
        self.view = view
        self.place = place
    }

    func isIn(_ place: any Place) -> Bool { self.place === place }

    /// The value as it is: known, or found out by a look that leaves nothing behind.
    func current() -> Frame {
        if subscription == nil, checked != place.moment || latest == nil {
            subscribe()
            stop()
        }
        return latest ?? Frame(value: .success(Frame.null), since: place.moment)
    }

    func add(_ onlooker: Onlooker) {
        onlookers.append(onlooker)
        if onlooker.wantsTrees { treeReaders += 1 }
        if subscription == nil { subscribe() }
    }

    func remove(_ onlooker: Onlooker) {
        guard let index = onlookers.firstIndex(where: { $0 === onlooker }) else { return }
        onlookers.remove(at: index)
        if onlooker.wantsTrees { treeReaders -= 1 }
        if onlookers.isEmpty { stop() }
    }

    private func subscribe() {
        var isTold = false
        failed = nil
        subscription = view.watch(in: place.graph) { [unowned self] value, tree in
            isTold = true
            take(value, tree)
        }
        if !isTold { take(.success(Frame.null)) { .null } }
    }

    private func stop() {
        guard subscription != nil else { return }
        subscription?.cancel()
        subscription = nil
        checked = place.moment
    }

    /// Goes on with another instance of the view, after its space was made anew. What was never shown is forgotten.
    func rebind(to view: any View) {
        subscription?.cancel()
        subscription = nil
        self.view = view
        latest = shown
        checked = nil
        if !onlookers.isEmpty { subscribe() }
    }

    /// Watches a view that has failed anew, where something has changed since.
    func retry() {
        guard let failed, subscription != nil else { return }
        guard failed != place.moment else { return place.noteFailed(self) }
        self.failed = nil
        // The one before is let go of when this is done: that makes a turn, after which failed views are looked at again.
        let previous = subscription
        subscription = view.watch(in: place.graph) { [unowned self] in take($0, $1) }
        previous?.cancel()
    }

    private func take(_ value: Result<[UInt8], ViewFailure>, _ tree: () throws(JSONError) -> JSON) {
        if case .failure = value {
            failed = place.moment
            if !onlookers.isEmpty { place.noteFailed(self) }
        }
        if let latest, latest.has(value) { return }
        // A value that has bytes has a tree; if not, the frame reads its bytes.
        let frame = Frame(value: value, since: place.moment, tree: treeReaders > 0 ? try? tree() : nil)
        if latest?.since == frame.since { place.noteBeat() }
        latest = frame
        if place.isShown { show(frame) } else { place.keepBack(.frame(frame, self)) }
    }

    /// Shows a value to those who watch.
    func show(_ frame: Frame) {
        shown = frame
        for onlooker in onlookers { onlooker.hear(frame, of: self) }
    }
}
