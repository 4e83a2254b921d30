import Sockets

/// A reference to the live streams of a loop, for other loops.
final class LivePeer: Sendable {
    private let home: LoopHome
    private let place: OnLoop<Place>

    private final class Place {
        weak var live: LiveLoop?
        init(_ live: LiveLoop) { self.live = live }
    }

    init(_ live: LiveLoop, on home: LoopHome) {
        self.home = home
        place = OnLoop(Place(live))
    }

    /// Runs a job on the loop, after all jobs that were posted before.
    func post(_ job: @escaping @Sendable (LiveLoop) -> Void) {
        home.post { [place] in if let live = place.value.live { job(live) } }
    }
}
