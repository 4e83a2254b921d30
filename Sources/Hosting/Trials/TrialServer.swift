import JSON
import StateStore

/// The features of a trial in stores of their own: nothing is kept, and no request leaves the process.
final class TrialServer {
    private let registry: Registry
    private let executor: SimulatedExecutor
    package let stores: Stores

    /// The time when a trial begins: 2026-01-01 00:00:00 UTC.
    static let start = Timestamp(seconds: 1_767_225_600)

    init(
        _ registry: Registry, journal: MemoryJournal = MemoryJournal(),
        on executor: SimulatedExecutor = SimulatedExecutor(from: TrialServer.start)
    ) throws(JournalFailure) {
        self.registry = registry
        self.executor = executor
        stores = try Stores(
            registry, executors: [executor], writer: InlineJournalWriter(journal), seed: 1,
            clock: { executor.now })
        executor.run()
    }

    /// The time.
    var now: Timestamp { executor.now }

    /// Advances the clock. Returns false if `goesOn` did before the end.
    package func advance(_ duration: Duration, while goesOn: () -> Bool) -> Bool {
        executor.advance(duration, while: goesOn)
    }

    /// Performs an action. Without a space it is performed where its feature has its state.
    func perform(
        _ feature: String, _ action: String, _ input: JSON, in space: String?, by caller: Caller
    ) throws -> Result<Answer, Refusal> {
        guard let id = registry.action(feature: feature, name: action) else { return .failure(.noSuchAction) }
        let isCommon = id.scope == .common
        let space = try Self.space(space ?? (isCommon ? "common" : "test"))
        var result: Result<Answer, Refusal>?
        stores[0].perform(
            Call(id, input: try input.json(), caller: caller), in: space
        ) { result = $0 }
        executor.run()
        guard let result else { throw TrialFailure("the action was not answered") }
        return result
    }

    /// Returns the value of a view as the server reads it.
    func view(_ name: String, in space: String?) throws -> JSON { try view(name, in: space, by: .server).get() }

    /// Returns the value of a view as a caller reads it who may read all spaces, or the rule's refusal.
    func view(
        _ name: String, in space: String?, by caller: Caller
    ) throws -> Result<JSON, RefusedProblem> {
        let view = ViewKey(name)
        let isCommon = registry.view(named: view.base)?.scope == .common
        let space = try Self.space(space ?? (isCommon ? "common" : "test"))
        var result: Result<ViewSnapshot, Refusal>?
        let reader = caller == .server ? Reader.server : Reader(caller, Permissions([.init(.act, in: [.any])]))
        let permit = try ReadPermit.issue([view], in: space, to: reader, by: stores[0].registry)
        stores[0].read(permit) { result = $0 }
        executor.run()
        switch result {
        case .success(let snapshot)?:
            switch snapshot.views.first?.frame.value {
            case .success(let value)?: return .success(try JSON(parsing: value.bytes))
            case .failure(let failure)?: throw TrialFailure("\(name) has failed: \(failure)")
            case nil: throw TrialFailure("the view \(name) was not answered")
            }
        case .failure(.forbidden(let forbidden))?:
            var rule: String?
            stores[0].findRule(refusing: view, in: space, to: reader) { rule = $0 }
            executor.run()
            return .failure(RefusedProblem(.forbidden(view: forbidden), rule: rule))
        case .failure(.noSuchView)? where registry.view(named: view.base) != nil:
            throw TrialFailure("\(name) depends on its reader, or it needs parameters: give the step a token")
        case .failure(.noSuchView)?: throw TrialFailure("there is no view \(name)")
        case .failure(let refusal)?: throw TrialFailure("\(name) cannot be read: \(refusal)")
        case nil: throw TrialFailure("the view \(name) was not answered")
        }
    }

    private static func space(_ name: String) throws -> SpaceName {
        guard let space = SpaceName(name) else {
            throw TrialFailure("\(name.prefix(64)) cannot be the name of a space")
        }
        return space
    }
}

/// The reason that a step of a test failed.
struct TrialFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
