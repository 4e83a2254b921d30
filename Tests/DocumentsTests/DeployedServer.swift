@testable import Hosting
import Platform
import JSON
import ServerReads
import StateStore

@testable import Documents

/// A server on virtual time whose documents come and change while it runs.
final class DeployedServer {
    private let executor: SimulatedExecutor
    let stores: Stores
    private let registry: Registry
    /// The warnings of the log.
    var warnings: [String] { noted.with { $0 } }
    private let noted = Lock<[String]>([])

    init(
        _ journal: MemoryJournal, after seconds: Int = 0, compiler: any DocumentCompiler = FeatureCompiler()
    ) throws {
        let executor = SimulatedExecutor(from: TrialServer.start)
        executor.advance(.seconds(seconds))
        self.executor = executor
        registry = try Registry([.documents()])
        stores = try Stores(
            registry, library: DocumentLibrary(registry, compiler), executors: [executor],
            writer: InlineJournalWriter(journal), seed: 1, clock: { executor.now },
            log: FeatureLog(info: { _ in }, warning: { [noted] words in noted.with { $0.append(words) } }))
        executor.run()
    }

    func advance(_ seconds: Int) { executor.advance(.seconds(seconds)) }

    /// Puts documents.
    func put(_ documents: String..., migrating: [String: [String]] = [:]) throws {
        var named: [String: JSON?] = [:]
        for text in documents {
            let document = try parse(text)
            if case .string(let name)? = document["feature"] { named[name] = document }
        }
        let change = DocumentChange(named, migrated: migrating, to: stores[0].documents)
        try perform(change.call(by: ""), in: .common)
    }

    @discardableResult
    func act(_ action: String, _ input: JSON = [:], in space: SpaceName? = nil) throws -> Answer {
        let space = try space ?? Self.main()
        let parts = action.split(separator: "/").map(String.init)
        return try perform(Call(feature: parts[0], action: parts[1], input: try input.json()), in: space)
    }

    @discardableResult
    private func perform(_ call: Call, in space: SpaceName) throws -> Answer {
        var result: Result<Answer, Refusal>?
        stores[0].perform(call, in: space) { result = $0 }
        executor.run()
        guard let result else { throw TrialFailure("the action was not answered") }
        return try result.get()
    }

    private static func main() throws -> SpaceName {
        guard let name = SpaceName("main") else { throw TrialFailure("there is no such space") }
        return name
    }

    func view(_ name: String, in space: SpaceName? = nil) throws -> JSON {
        let space = try space ?? Self.main()
        var result: Result<ViewSnapshot, Refusal>?
        stores[0].read([name], in: space) { result = $0 }
        executor.run()
        guard let snapshot = try result?.get(), let frame = snapshot.views.first?.frame else {
            throw TrialFailure("the view was not answered")
        }
        return try JSON(parsing: frame.value.get().bytes)
    }
}
