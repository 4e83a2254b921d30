import HTTP

/// The events that tell readers the version of commits that did not change their values.
extension ViewBroadcaster {
    /// Sets the alarm for the progress of the space, once a second while a reader wants it.
    func setProgress() {
        guard !isProgressDue else { return }
        isProgressDue = true
        delivery.after(nanoseconds: Delivery.progressNanoseconds) { [weak self] in
            guard let self else { return }
            isProgressDue = false
            guard readers.contains(where: { $0.told != nil }) else { return }
            setProgress()
            tellProgress()
        }
    }

    private func tellProgress() {
        guard !isDirty, events.takeProgress(to: moment, of: views) else { return }
        for reader in readers where reader.told != nil { reader.wake() }
    }

    /// Returns the event with the newest moment for a reader that has received an earlier one.
    func progress(for reader: ViewReader) -> Piece? {
        guard let told = reader.told, let progress = events.progress, told < progress.moment else { return nil }
        reader.told = progress.moment
        delivery.metrics.frames += 1
        return progress.piece
    }
}
