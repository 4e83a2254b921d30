import Ground
import HTTP
import JSON
import Sockets
import StateStore

/// The handler of exports, and of the operations on the data directory. Its paths need the right `admin` for all spaces.
final class DirectoryHandler {
    private let operations: DirectoryOperations
    private let executor: LoopExecutor

    init(_ operations: DirectoryOperations, _ executor: LoopExecutor) {
        (self.operations, self.executor) = (operations, executor)
    }

    // MARK: Operations

    /// Answers with the operations, the last one first.
    func list(_ responder: Responder) {
        responder.answer(now: ["operations": .array(operations.all.map(\.json))])
    }

    /// Answers with an operation and its progress.
    func describe(_ id: String, _ responder: Responder) {
        guard let operation = found(id, responder) else { return }
        responder.answer(now: operation.json)
    }

    /// Starts the operation that a body names: `{"operation": "backup", "name": "monday"}`.
    func start(_ request: borrowing Request, _ responder: Responder) {
        guard let responder = responder.takingAction(bytes: request.body.count), ActionBody.isJSON(request, responder),
            let object = ActionBody.object(of: request, ["operation", "name"], responder)?.object
        else { return }
        let kinds = DirectoryOperation.OperationKind.allCases.map(\.rawValue)
        guard case .string(let word)? = object["operation"],
            let kind = DirectoryOperation.OperationKind(rawValue: word)
        else {
            return responder.answer(
                Problem(
                    .invalid, "operation is one of \(ProblemText(kinds.joined(separator: ", ")))", at: "/operation",
                    allowed: kinds))
        }
        var name: String?
        if kind.makesDirectory {
            // A name of a space is one of a directory too, and names none but one in the place of backups.
            guard case .string(let text)? = object["name"], SpaceName(text) != nil else {
                return responder.answer(
                    Problem(
                        .invalid,
                        "name is that of a new directory: a letter or a digit, then up to 127 letters, digits, dots, underscores or hyphens",
                        at: "/name"))
            }
            name = text
        } else if object["name"] != nil {
            return responder.answer(Problem(.invalid, "this operation makes no directory", at: "/name"))
        }
        do throws(DirectoryOperations.StartFault) {
            let operation = try operations.start(kind, name: name, by: responder.account.subject)
            if let audit = responder.context.audit {
                var event = responder.event(.action)
                event.action = "operations/\(kind.rawValue)"
                event.outcome = "ok"
                audit.write(event)
            }
            responder.answer(Status(202), "application/json", operation.json.written) { writer in
                writer.field("Location", "/v1/operations/\(operation.id)")
                writer.field("Cache-Control", "no-store")
            }
        } catch {
            responder.answer(Self.problem(error))
        }
    }

    /// Passes lines on to an import, and answers when they were read; with the last ones, when the import has ended.
    func take(_ request: borrowing Request, _ id: String, _ route: Route, _ responder: Responder) {
        guard let responder = responder.takingAction(bytes: request.body.count), let operation = found(id, responder)
        else { return }
        guard ActionBody.hasLines(request, responder) else { return }
        guard let intake = operations.intake(of: id) else {
            return responder.answer(Problem(.conflict, "this operation takes no lines: it is no import, or has ended"))
        }
        let next = intake.partCount + 1
        guard let text = route["part"], let part = Int(text), part == next else {
            var problem = Problem(.conflict, "part is the number of the next part: \(next)", at: "/part")
            problem.extra["next"] = .number(Decimal(next))
            return responder.answer(problem)
        }
        let owned = Returned(responder)
        let isTaken = intake.take(request.content ?? [], isLast: route["last"] == "1") { [executor] in
            executor.post { owned.take().answer(now: operation.json) }
        }
        if !isTaken {
            responder.answer(Problem(.conflict, "the part before is on its way: send this one after its answer"))
        }
    }

    private func found(_ id: String, _ responder: Responder) -> DirectoryOperation? {
        let operation = operations[id]
        if operation == nil {
            responder.answer(Problem(.noSuchPath, "there is no such operation, or it was long ago"))
        }
        return operation
    }

    private static func problem(_ fault: DirectoryOperations.StartFault) -> Problem {
        switch fault {
        case .noDirectory: Problem(.conflict, "the state of this server is in memory only: it has no directory")
        case .noPlace:
            Problem(.conflict, "this server has no directory for backups: start it with --backups DIR")
        case .tooMany:
            Problem(.busy, "too many operations run or wait: try again when one has ended", retryAfter: 5)
        }
    }

    // MARK: Exports

    /// Answers with the lines of an export. A fault before the first line is a problem; one after it cuts the answer off
    /// without its last line, so that an import refuses it.
    func export(_ route: Route, _ responder: Responder) {
        var space: SpaceName?
        if let text = route["space"] {
            space = SpaceName(text)
            guard space != nil else {
                return responder.answer(Problem(.invalid, "space is the name of a space", at: "/space"))
            }
        }
        guard let place = responder.takeStream() else { return }
        let pipe = LinePipe()
        let stream = Confined(ExportStart(pipe, place, responder, executor))
        do throws(DirectoryOperations.StartFault) {
            try operations.export(space, through: pipe) { [executor] result in
                executor.post { stream.value.take(result) }
            }
        } catch {
            responder.answer(Self.problem(error))
        }
    }

    /// The begin of an export: nothing is answered before it has lines, or has failed.
    private final class ExportStart {
        private let pipe: LinePipe
        private let place: StreamPlace
        private let responder: Responder
        private let executor: LoopExecutor
        private var reader: ExportReader?
        private var hasBegun = false

        init(_ pipe: LinePipe, _ place: StreamPlace, _ responder: Responder, _ executor: LoopExecutor) {
            (self.pipe, self.place, self.responder, self.executor) = (pipe, place, responder, executor)
        }

        func take(_ result: Result<Void, JournalFailure>) {
            switch result {
            case .success where hasBegun: reader?.noteNews()
            case .success: begin()
            case .failure(let failure) where hasBegun:
                responder.context.log.write(.warning, "an export was cut off", [("reason", failure.description)])
                reader?.fail()
            case .failure(let failure):
                hasBegun = true
                pipe.close()
                responder.answer(
                    failure.kind == .unusable
                        ? Problem(.noSuchSpace, ProblemText(failure.description)) : Problem(failure))
            }
        }

        private func begin() {
            hasBegun = true
            guard responder.isOpen else { return pipe.close() }
            let reader = ExportReader(
                pipe, responder.exchange.connection, place, responder.context.metrics
            ) { [executor] body in
                let owned = Returned(body)
                executor.post { owned.take()() }
            }
            self.reader = reader
            responder.stream(reader, "application/x-ndjson", isNegotiated: false)
        }
    }
}

/// The stream of one export. The thread of the export waits while its client takes nothing.
final class ExportReader: Subscriber, StreamSource {
    private let pipe: LinePipe
    private let metrics: Metrics
    /// Ends the stream, once the source has returned.
    private let endLater: (@escaping () -> Void) -> Void
    private var isEnding = false

    init(
        _ pipe: LinePipe, _ connection: Connection, _ place: StreamPlace, _ metrics: Metrics,
        endLater: @escaping (@escaping () -> Void) -> Void
    ) {
        (self.pipe, self.metrics, self.endLater) = (pipe, metrics, endLater)
        super.init(connection, place)
    }

    // A space before a line does not change it.
    var heartbeat: Piece? { Piece([UInt8(ascii: " ")]) }

    func next() -> Piece? {
        if hasEnded { return nil }
        if let chunk = pipe.take() { return Piece(chunk) }
        if pipe.isOver, !isEnding {
            isEnding = true
            endLater { [connection] in connection.endStream() }
        }
        return nil
    }

    /// Notes that there are lines, or that there will be no more.
    func noteNews() { connection.wake() }

    /// Cuts the stream off without its last line, by which an import knows that something is missing.
    func fail() { connection.endStream() }

    func left() {
        pipe.close()
        release()
        metrics.streams -= 1
    }
}
