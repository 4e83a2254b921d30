import Ground
import HTTP
import JSON
import Sockets
import StateStore
import Streams

/// The handler of trials: it runs a definition in virtual time and does not store it.
final class TrialHandler {
    private let store: Store
    private let views: ViewNames
    private let definitions: Definitions
    private let runner: TrialRunner
    private let executor: LoopExecutor

    init(
        _ definitions: Definitions, _ views: ViewNames, _ store: Store, _ runner: TrialRunner, _ executor: LoopExecutor
    ) {
        self.views = views
        self.definitions = definitions
        self.store = store
        self.runner = runner
        self.executor = executor
    }

    func run(_ request: borrowing Request, in space: SpaceName, _ responder: Responder) {
        guard let (document, responder) = ActionBody.json(of: request, responder) else { return }
        definitions.withLibrary(of: space, responder) { [self] library in
            do throws(DefinitionFaults) {
                run(try library.trial(document), in: space, responder)
            } catch {
                responder.answer(Problem(Rejection(error)))
            }
        }
    }

    /// Reads the views that feed a trial, and runs it.
    private func run(_ trial: StreamTrial, in space: SpaceName, _ responder: Responder) {
        guard !trial.views.isEmpty else { return run(trial, present: [:], responder) }
        // The trial names its views as it is written, the store in the one form of each name.
        var names: [ViewKey: [String]] = [:]
        for view in trial.views {
            do throws(ParameterFault) {
                names[try store.viewName(ViewKey(view)), default: []].append(view)
            } catch {
                return responder.answer(Problem(Rejection(trial.fault(of: view, error))))
            }
        }
        guard let permit = views.permit(names.keys.sorted(), in: space, responder) else { return }
        store.read(permit) { [self] result in
            switch result {
            case .failure(.noSuchView(let view)):
                responder.answer(Problem(Rejection(trial.lack(of: names[ViewKey(view)]?.first ?? view))))
            case .failure(let refusal): responder.answer(Problem(refusal))
            case .success(let reading):
                do {
                    var present: [String: JSON] = [:]
                    for (view, frame) in reading.views {
                        for name in names[view] ?? [] { present[name] = try frame.tree() }
                    }
                    run(trial, present: present, responder)
                } catch {
                    responder.answer(Problem(.viewFailed, "a view that the trial reads has failed: \(error)"))
                }
            }
        }
    }

    private func run(_ trial: StreamTrial, present: [String: JSON], _ responder: Responder) {
        guard responder.isOpen else { return }
        let owned = Confined(responder)
        runner.run(for: responder) { [executor] turn in
            let result = Result { () throws(TrialExcess) in
                try trial.run(present: present, goesOn: turn.goesOn).written
            }
            executor.post { Self.send(result, owned.value) }
        }
    }

    private static func send(_ result: Result<[UInt8], TrialExcess>, _ responder: Responder) {
        switch result {
        case .failure(let excess): responder.answer(Problem(.trialTooLarge, ProblemText(excess.description)))
        case .success(let content): responder.answer(now: "application/json", content)
        }
    }
}
