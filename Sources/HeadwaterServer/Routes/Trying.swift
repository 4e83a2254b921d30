import HTTP
import JSON
import Sockets
import StateStore
import Streams

/// Tries of definitions that are not kept, in virtual time.
extension Desk {
    /// A try, and who is to be told what comes of it.
    private struct Trying {
        let trial: StreamTrial
        let exchange: Exchange
        let account: Account
        let rate: Rate?
    }

    func tryStream(in space: SpaceName, _ request: borrowing Request, _ exchange: Exchange, _ account: Account) {
        guard let rate = takeAction(exchange, account), hasJSON(request, exchange) else { return }
        let document: JSON
        do {
            document = try JSON(parsing: bytes(of: request.body) ?? [])
        } catch {
            return answer(exchange, Problem(Rejection(error)))
        }
        withLibrary(of: space, exchange) { [self] library in
            let trial: StreamTrial
            do throws(DefinitionFaults) {
                trial = try library.trial(document)
            } catch {
                return answer(exchange, Problem(Rejection(error)))
            }
            let trying = Trying(trial: trial, exchange: exchange, account: account, rate: rate)
            guard !trial.views.isEmpty else { return run(trying, present: [:]) }
            store.read(trial.views, in: space) { [self] result in
                switch result {
                case .failure(.noSuchView(let view)): answer(exchange, Problem(Rejection(trial.lack(of: view))))
                case .failure(let refusal): answer(exchange, Problem(refusal))
                case .success(let reading):
                    do {
                        var present: [String: JSON] = [:]
                        for (view, frame) in reading.views { present[view] = try frame.tree() }
                        run(trying, present: present)
                    } catch {
                        answer(exchange, Problem(.viewFailed, "a view that feeds it has failed: \(error)"))
                    }
                }
            }
        }
    }

    private func run(_ trying: Trying, present: [String: JSON]) {
        guard trying.exchange.isOpen else { return }
        let owned = OnLoop((desk: self, trying: trying))
        let trial = trying.trial
        do throws(Laboratory.Refusal) {
            try service.laboratory.run(for: service.gate.isClosed ? trying.account : nil) { [home] turn in
                let result = Result { () throws(TrialExcess) in try trial.run(present: present, goesOn: turn.goesOn).written }
                home.post { owned.value.desk.sendResult(result, owned.value.trying) }
            }
        } catch .tooManyOfAccount {
            let count = Laboratory.triesOfAccountLimit
            answer(trying.exchange, Problem(.tooMany, "this token has \(count) tries under way: wait for one to end", retryAfter: 1))
        } catch {
            let count = Laboratory.triesLimit
            answer(trying.exchange, Problem(.busy, "\(count) tries are under way: try again when one has ended", retryAfter: 1))
        }
    }

    private func sendResult(_ result: Result<[UInt8], TrialExcess>, _ trying: Trying) {
        let addFields: (inout FieldWriter) -> Void = { if let rate = trying.rate { Self.addRateFields(rate, &$0) } }
        switch result {
        case .failure(let excess): answer(trying.exchange, Problem(.tryTooLarge, excess.description), addFields)
        case .success(let content):
            trying.exchange.answer(.ok, "application/json", content) { [self] writer in
                writer.field("Cache-Control", "no-store")
                addFields(&writer)
                addOriginFields(trying.exchange.connection, &writer)
            }
        }
    }
}
