import HTTP

/// One request that waits until the values of a broadcaster change.
final class ViewPoll: Waiter, TokenReader {
    private let responder: Responder
    private let broadcaster: ViewBroadcaster
    /// The tag that the client has sent.
    private let known: RepeatedTag
    /// The values that the client wants a patch for; nil if it wants the new values.
    let base: DeltaBase?
    /// The seconds that the request may wait, which its answer repeats.
    let seconds: Int
    /// Its index among the polls of the broadcaster.
    var place = 0
    private var use: TokenUse?

    init(
        _ responder: Responder, _ broadcaster: ViewBroadcaster, _ known: RepeatedTag, base: DeltaBase?, seconds: Int
    ) {
        self.responder = responder
        self.broadcaster = broadcaster
        self.known = known
        self.base = base
        self.seconds = seconds
    }

    func begin() {
        use = responder.wait(self, seconds: seconds)
    }

    /// Ends the wait with the answer that `body` gives.
    func end(_ body: (Responder) -> Void) {
        use?.end()
        body(responder)
    }

    func waited() {
        broadcaster.remove(self)
        end { broadcaster.answerUnchanged($0, known, wait: seconds) }
    }

    func left() {
        broadcaster.remove(self)
        use?.end()
    }

    func tokenWithdrawn() { waited() }
}
