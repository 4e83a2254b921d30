import Ground
import HTTP
import JSON
import ReplicatedJournal
import Sockets
import StateStore

/// The handler of health, readiness and metrics.
final class OperationsHandler {
    private let availability: Availability
    private let probe: Probe
    private let gatherer: MetricsGatherer
    private let journalWriter: any JournalWriter
    private let executor: LoopExecutor
    private let cluster: ClusterFront?
    private let findComponents: () -> [Component]

    private var components: [Component] { findComponents() }

    init(
        _ availability: Availability, _ probe: Probe, _ gatherer: MetricsGatherer, _ journalWriter: any JournalWriter,
        _ executor: LoopExecutor, _ cluster: ClusterFront? = nil, components: @escaping () -> [Component]
    ) {
        findComponents = components
        self.cluster = cluster
        self.availability = availability
        self.probe = probe
        self.gatherer = gatherer
        self.journalWriter = journalWriter
        self.executor = executor
    }

    /// Answers that the server lives; with `isWhole` the state of each component.
    func answerHealth(isWhole: Bool, _ responder: Responder) {
        guard isWhole else { return responder.answer(now: "text/plain; charset=utf-8", Array("ok\n".utf8)) }
        let components = components + (cluster.map { [Self.component(of: $0)] } ?? [])
        var told = JSON.Object()
        for component in components { told[component.name] = component.json }
        let isWell = components.allSatisfy(\.isWell)
        responder.answer(now: ["status": isWell ? "ok" : "degraded", "components": .object(told)])
    }

    /// The state of a component.
    struct Component {
        let name: String
        let isWell: Bool
        let details: [(name: String, value: JSON)]

        var json: JSON {
            var object = JSON.Object()
            object["status"] = isWell ? "ok" : "degraded"
            for detail in details { object[detail.name] = detail.value }
            return .object(object)
        }
    }

    private static func component(of front: ClusterFront) -> Component {
        let faults = front.journal.status.faults.map { JSON.string($0.description) }
        return Component(name: "cluster", isWell: faults.isEmpty, details: [("faults", .array(faults))])
    }

    /// Answers whether the server can do what `?for=` names, and without it whether it can do everything. An administrator
    /// learns which documents of the directory are not served.
    func answerReadiness(_ route: Route, isAdmin: Bool, _ responder: Responder) {
        let uses: [NodeFault.Use]
        if let name = route["for"] {
            guard let use = NodeFault.Use(rawValue: name) else {
                let names = NodeFault.Use.allCases.map(\.rawValue)
                return responder.answer(
                    Problem(.invalid, "for is one of \(ProblemText(names.joined(separator: ", ")))", allowed: names))
            }
            uses = [use]
        } else {
            uses = NodeFault.Use.allCases
        }
        if availability.isDraining {
            return responder.answer(Problem(.notReady, "the server is shutting down", retryAfter: 1))
        }
        if availability.lacksCommon { return responder.answer(.damagedCommon(nil)) }
        let faults = (cluster?.journal.status.faults ?? []).filter { fault in uses.contains { fault.hinders($0) } }
        guard faults.isEmpty else {
            let text = faults.map(\.description).joined(separator: "; ")
            return responder.answer(Problem(.notReady, ProblemText(text), retryAfter: 2))
        }
        guard availability.isUnwritable, uses.contains(.actions) else {
            return Self.answerReady(responder, availability, isAdmin: isAdmin)
        }
        // The probe writes, because perhaps no client sends an action any more.
        let owned = Confined(responder)
        // The first answer counts: an exchange is answered once.
        executor.alarms.after(nanoseconds: Probe.patienceNanoseconds) { [availability] in
            Self.answer(nil, owned.value, availability, isAdmin: isAdmin)
        }
        probe.ask(journalWriter, on: executor) { [availability, executor] result in
            if case .success = result { availability.noteCanWrite() }
            executor.post { Self.answer(result, owned.value, availability, isAdmin: isAdmin) }
        }
    }

    /// Answers with the result of a probe, or with nil that the journal has not answered in time.
    private static func answer(
        _ result: Result<Void, JournalFailure>?, _ responder: Responder, _ availability: Availability, isAdmin: Bool
    ) {
        switch result {
        case .success: answerReady(responder, availability, isAdmin: isAdmin)
        case .failure:
            responder.answer(Problem(.notReady, "commits cannot be written; the server's log says why", retryAfter: 2))
        case nil:
            responder.answer(
                Problem(.notReady, "commits cannot be written: the journal does not answer", retryAfter: 2))
        }
    }

    /// Says that the server is ready, and names damaged spaces and documents that are not served: the others are.
    private static func answerReady(_ responder: Responder, _ availability: Availability, isAdmin: Bool) {
        var lines = ["ready"]
        if let damage = availability.damage { lines.append(damage) }
        if isAdmin {
            for document in availability.unservedDocuments {
                lines.append("\(document.feature) is not served: \(document.reason)")
            }
        }
        responder.answer(now: "text/plain; charset=utf-8", Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    func answerMetrics(_ responder: Responder) {
        let owned = Confined(responder)
        gatherer.gather(for: executor) { text in
            owned.value.answer(now: "text/plain; version=0.0.4; charset=utf-8", Array(text.utf8))
        }
    }
}
