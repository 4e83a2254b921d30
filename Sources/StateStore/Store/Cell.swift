import Reactive

/// Where views are: a space, or the replica of `common`.
protocol Place: AnyObject {
    /// What derived values are of just now.
    var moment: Moment { get }
    /// Whether what is of just now may be shown.
    var isShown: Bool { get }
    var graph: Graph { get }
    /// Keeps a frame back until it may be shown.
    func keepBack(_ frame: Frame, of cell: Cell)
    /// Has a watch told when everything of this moment has settled.
    func noteDirty(_ watch: Watch)
}

/// One view in one place, and what is known of its value.
final class Cell {
    let name: String
    private unowned let place: any Place
    private var view: any View
    private var subscription: Subscription?
    /// The value as it is, which may have to be kept back.
    private var latest: Frame?
    /// When `latest` was last known to be right, while nobody watches.
    private var checked: Moment?
    /// The value as it is shown.
    private(set) var shown: Frame?
    private var watches: [Watch] = []

    init(name: String, view: any View, in place: any Place) {
        self.name = name
        self.view = view
        self.place = place
    }

    var isWatched: Bool { !watches.isEmpty }

    /// The value as it is: known, or found out by a look that leaves nothing behind.
    func current() -> Frame {
        if subscription == nil, checked != place.moment || latest == nil {
            var isTold = false
            let look = view.watch(in: place.graph) {
                isTold = true
                self.take($0)
            }
            look.cancel()
            if !isTold { take(.success(Frame.null)) }
            checked = place.moment
        }
        return latest ?? Frame(value: .success(Frame.null), since: place.moment)
    }

    func add(_ watch: Watch) {
        watches.append(watch)
        guard subscription == nil else { return }
        subscription = view.watch(in: place.graph) { self.take($0) }
        if latest == nil { take(.success(Frame.null)) }
    }

    func remove(_ watch: Watch) {
        watches.removeAll { $0 === watch }
        guard watches.isEmpty else { return }
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
        if isWatched { subscription = view.watch(in: place.graph) { self.take($0) } }
    }

    private func take(_ value: Result<[UInt8], ViewFailure>) {
        if let latest, latest.value == value { return }
        let frame = Frame(value: value, since: place.moment)
        latest = frame
        if place.isShown { show(frame) } else { place.keepBack(frame, of: self) }
    }

    /// Shows a frame to those who watch.
    func show(_ frame: Frame) {
        shown = frame
        for watch in watches where watch.note(self, frame) { place.noteDirty(watch) }
    }
}
