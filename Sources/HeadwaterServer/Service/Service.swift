import Glibc
import HTTP
import JSON
import Outgoing
import Sockets
import SQLiteJournal
import StateStore
import Synchronization

/// The whole server: what all loops have in common.
final class Service: Sendable {
    let registry: Registry
    let keeper: any JournalWriter
    let stores: Stores
    let homes: [LoopHome]
    let gate: Gate
    let log: Log
    let outgoing: Outgoing
    let laboratory: Laboratory
    /// Places in the list of spaces that clients are told.
    let cursors = Cursors()
    /// What `/v1` says.
    let index: Asset
    private let measured: MeasuredJournal?
    private let started = Double(Timestamp.now.microseconds) / 1e6
    private let isDraining = Atomic<Bool>(false)
    private let isUnwritable = Atomic<Bool>(false)
    private let probe = Probe()
    private let desks = Lock<[OnLoop<Desk>]>([])

    init(
        registry: Registry, keeper: any JournalWriter, stores: Stores, homes: [LoopHome], gate: Gate, log: Log, outgoing: Outgoing,
        laboratory: Laboratory,
        measured: MeasuredJournal?
    ) {
        self.registry = registry
        self.keeper = keeper
        self.stores = stores
        self.homes = homes
        self.gate = gate
        self.log = log
        self.outgoing = outgoing
        self.laboratory = laboratory
        self.measured = measured
        index = Asset("application/json", Index.json(of: registry).written)
        measured?.watch { [weak self] in self?.note($0) }
    }

    /// Notes who answers on each loop, in their order.
    func begin(with desks: [Desk]) {
        let owned = desks.map { OnLoop($0) }
        self.desks.with { $0 = owned }
    }

    /// The views that can be read in a space.
    func viewNames(in space: SpaceName) -> [String] {
        registry.views.map(\.name).filter { registry.hasView($0, in: space) }
    }

    // MARK: Readiness

    func noteDraining() {
        isDraining.store(true, ordering: .relaxed)
    }

    func noteCannotWrite(_ reason: String? = nil) {
        guard !isUnwritable.exchange(true, ordering: .relaxed) else { return }
        log.write(.error, "nothing can be kept just now", reason.map { [("reason", $0)] } ?? [])
    }

    /// Acts on the condition of the journal.
    private func note(_ condition: JournalCondition) {
        switch condition {
        case .well: noteCanWrite()
        case .neglected(let failure): log.write(.warning, "maintenance of the journal fails", [("reason", failure.description)])
        case .suspended(let failure): noteCannotWrite(failure.description)
        case .lost(let failure):
            log.write(.error, "the server ends: commits cannot be made durable", [("reason", failure.description)])
            // At once, so that nothing is acknowledged any more.
            _exit(1)
        }
    }

    func noteCanWrite() {
        guard isUnwritable.load(ordering: .relaxed) else { return }
        if isUnwritable.exchange(false, ordering: .relaxed) { log.write(.info, "commits are kept again") }
    }

    func answerReadiness(_ desk: Desk, _ exchange: Exchange) {
        if isDraining.load(ordering: .relaxed) {
            return desk.answer(exchange, Problem(.notReady, "the server is shutting down", retryAfter: 1))
        }
        guard isUnwritable.load(ordering: .relaxed) else { return desk.answerText(exchange, "ready\n") }
        // It is tried, since nobody may come any more to try it with an action.
        let asking = OnLoop(Asking(desk, exchange))
        let home = homes[desk.index]
        home.alarms.after(nanoseconds: Probe.patienceNanoseconds) { asking.value.answer(.none) }
        probe.ask(keeper, on: home) { [self] result in
            if case .success = result { noteCanWrite() }
            home.post { asking.value.answer(result) }
        }
    }

    /// A request for the readiness, which is answered once: with what was found out, or with 503 where that takes too long.
    private final class Asking {
        private let desk: Desk
        private var exchange: Exchange?

        init(_ desk: Desk, _ exchange: Exchange) {
            self.desk = desk
            self.exchange = exchange
        }

        func answer(_ result: Result<Void, JournalFailure>?) {
            guard let exchange = exchange.take(), exchange.isOpen else { return }
            switch result {
            case .success: desk.answerText(exchange, "ready\n")
            case .failure: desk.answer(exchange, Problem(.notReady, "commits cannot be written; the server's log says why", retryAfter: 2))
            case nil: desk.answer(exchange, Problem(.notReady, "commits cannot be written: the journal does not answer", retryAfter: 2))
            }
        }
    }

    // MARK: Metrics

    /// Gathers what all loops have counted, and answers with it.
    func answerMetrics(_ desk: Desk, _ exchange: Exchange) {
        let desks = desks.with { $0 }
        let asking = OnLoop((desk: desk, exchange: exchange))
        let home = homes[desk.index]
        let gathered = Lock((missing: desks.count, count: Count()))
        for (other, place) in zip(desks, homes) {
            place.post { [self] in
                let count = other.value.count
                let total = gathered.with { gathered in
                    gathered.count.add(count)
                    gathered.missing -= 1
                    return gathered.missing == 0 ? gathered.count : nil
                }
                guard let total else { return }
                home.post { [self] in
                    let (desk, exchange) = asking.value
                    answer(total, desk, exchange)
                }
            }
        }
    }

    private func answer(_ count: Count, _ desk: Desk, _ exchange: Exchange) {
        var exposition = Exposition()
        exposition.add(count)
        exposition.add(
            "headwater_journal_batch_commits", "Commits that were kept at once.", measured?.batches ?? Histogram(Histogram.counts))
        exposition.begin("headwater_journal_sync_failures_total", .counter, "Syncs of the journal that failed.")
        exposition.add("headwater_journal_sync_failures_total", [], Double(measured?.syncFailures ?? 0))
        exposition.begin("headwater_outgoing_requests_total", .counter, "Requests to other servers, by whom and what came of them.")
        for count in outgoing.counts {
            exposition.add(
                "headwater_outgoing_requests_total", [("target", count.target), ("outcome", count.outcome)], Double(count.requests))
        }
        ProcessFigures.add(to: &exposition, since: started)
        exchange.answer(.ok, "text/plain; version=0.0.4; charset=utf-8", Array(exposition.text.utf8)) { writer in
            writer.field("Cache-Control", "no-store")
            desk.addOriginFields(exchange.connection, &writer)
        }
    }

    // MARK: Tokens

    /// Takes other tokens, and ends what those that are gone read.
    func replace(tokens: [Token]) {
        gate.replace(tokens: tokens)
        for (desk, home) in zip(desks.with { $0 }, homes) { home.post { desk.value.endReadingOfWithdrawn() } }
    }
}
