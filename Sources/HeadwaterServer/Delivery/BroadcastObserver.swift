import StateStore

/// An observer of a broadcaster's view: it is told that the values have moved, and looks at them itself.
protocol BroadcastObserver: AnyObject {
    /// Its index among the observers.
    var place: Int { get set }
    /// The values have changed, or the view was refused or is there again.
    func broadcasterMoved()
}

extension ViewBroadcaster {
    /// The time for which a view stays watched after its last observer that takes patches, because the client of a lost
    /// connection comes back.
    private static let returnNanoseconds: Int64 = 60_000_000_000

    /// Begins to watch for an observer.
    func add(_ observer: any BroadcastObserver, wantsPatches: Bool) {
        startWatching()
        observer.place = observers.count
        observers.append(observer)
        guard wantsPatches else { return }
        keepPatches()
        patchReaderCount += 1
    }

    /// Removes an observer, in O(1).
    func remove(_ observer: any BroadcastObserver, wantsPatches: Bool) {
        guard observer.place < observers.count, observers[observer.place] === observer else { return }
        let last = observers.removeLast()
        if last !== observer {
            observers[observer.place] = last
            last.place = observer.place
        }
        if wantsPatches {
            patchReaderCount -= 1
            keepPatches()
            returnEnd = delivery.now + Self.returnNanoseconds
        }
        noteUse()
    }

    /// Returns the encoded patch of a single view from the value of a step to the current one; nil if there is none that
    /// is shorter than the value.
    func patch(after step: Int) -> [UInt8]? { events.patch(after: step, of: views) }
}
