import Hosting
import HTTP
import Reactive
import StateStore
import Streams

/// The handler of stream runs: it runs a stream for one client, or lets the client join a shared run.
final class RunHandler {
    private let store: Store
    private let delivery: Delivery
    private let definitions: Definitions
    private let names: ViewNames
    private let scheduler: any Scheduler
    private let sharedRuns = SharedRuns()

    init(_ definitions: Definitions, _ names: ViewNames, _ delivery: Delivery, _ scheduler: any Scheduler) {
        self.definitions = definitions
        self.names = names
        self.delivery = delivery
        self.scheduler = scheduler
        store = delivery.store
    }

    func run(_ request: borrowing Request, _ asked: StreamRequest) {
        let responder = asked.responder
        if let value = request.field(.accept), Acceptance(value).quality(of: "text", "event-stream") == 0 {
            return responder.answer(
                Problem(.notAcceptable, "a run is available as text/event-stream only", allowed: ["text/event-stream"]))
        }
        // 204 keeps a browser, which reconnects after the end of a run, from playing it once more.
        if asked.route.lastEventID(of: request) == StreamReader.endTag {
            return responder.answerNothing()
        }
        let isShared = asked.route["shared"].map { $0 != "false" && $0 != "0" } ?? false
        guard let place = responder.takeStream() else { return }
        definitions.withLibrary(of: asked.space, responder) { [self] library in
            do throws(DefinitionFaults) {
                guard let program = try library.program(asked.id) else { return asked.answerMissing() }
                names.check(program, named: "streams.\(asked.id)", in: asked.space, asked.responder) { [self] permit in
                    run(program, permit, asked, place, isShared: isShared)
                }
            } catch {
                responder.answer(Problem(Rejection(error)))
            }
        }
    }

    private func run(
        _ program: StreamProgram, _ permit: ReadPermit, _ asked: StreamRequest, _ place: StreamPlace, isShared: Bool
    ) {
        guard asked.responder.isOpen else { return }
        let reader = StreamReader(delivery, asked.responder.exchange.connection, place) { [self] in
            permit.holds(by: names.registry) && names.mayReadCommits(of: program, asked.responder)
        }
        asked.responder.stream(reader, isNegotiated: false)
        reader.hold(store.watchRules(of: permit) { [weak reader] in reader?.refuse($0) })
        let sources = ExternalSources(store, permit, for: program)
        let receive: (StreamEvent) -> Void = { [weak reader] in reader?.hear($0) }
        if isShared {
            let key = "\(asked.space)/\(asked.id)"
            reader.hold(sharedRuns.join(key, program, on: scheduler, sources: sources, receive: receive))
        } else {
            reader.hold(StreamRun(program, on: scheduler, sources: sources, receive: receive))
        }
    }
}
