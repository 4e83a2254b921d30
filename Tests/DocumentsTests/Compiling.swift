@testable import Hosting
import JSON
import StateStore

@testable import Documents

/// Parses JSON.
func parse(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

/// The faults of a document, one line each.
struct Faults: Error, CustomStringConvertible {
    let all: [DocumentFault]
    var description: String { all.map { "\($0.pointer): \($0.detail)" }.joined(separator: "\n") }
}

/// Compiles documents that are there together, by their names.
func compile(_ documents: [String: JSON]) throws -> [String: any FeatureDescription] {
    var features: [String: any FeatureDescription] = [:]
    for (name, result) in FeatureCompiler().compile(documents, beside: [:]) {
        switch result {
        case .success(let feature): features[name] = feature
        case .failure(let faults): throw Faults(all: faults.all)
        }
    }
    return features
}

/// Returns the faults of a document, as pointer and words.
func faults(_ json: JSON) -> [String] {
    var name = ""
    if case .string(let text)? = json["feature"] { name = text }
    switch FeatureCompiler().compile([name: json], beside: [:])[name] {
    case .failure(let faults)?: return faults.all.map { "\($0.pointer): \($0.detail)" }
    default: return []
    }
}

/// A server of documents, on virtual time.
final class DocumentServer {
    let server: TrialServer
    let features: [String: any FeatureDescription]

    convenience init(_ documents: JSON...) throws {
        try self.init(documents, MemoryJournal(), SimulatedExecutor(from: TrialServer.start))
    }

    init(_ documents: [JSON], _ journal: MemoryJournal, _ executor: SimulatedExecutor) throws {
        var named: [String: JSON] = [:]
        for document in documents {
            if case .string(let name)? = document["feature"] { named[name] = document }
        }
        features = try compile(named)
        let registry = try Registry([]).describing(features.values.map { DeployedFeature($0) })
        server = try TrialServer(registry, journal: journal, on: executor)
    }

    /// Performs an action, as `feature/action`.
    @discardableResult
    func act(_ action: String, _ input: JSON = [:], in space: String? = nil, by subject: String = "") throws -> JSON {
        let names = action.split(separator: "/").map(String.init)
        switch try server.perform(names[0], names[1], input, in: space, by: Caller(subject)) {
        case .success(let answer): return answer.result.isEmpty ? .null : try JSON(parsing: answer.result)
        case .failure(.rejected(let rejection)): throw rejection
        case .failure(let refusal): throw refusal
        }
    }

    /// Returns the rejection of an action.
    func refusal(_ action: String, _ input: JSON = [:]) -> Rejection? {
        do {
            try act(action, input)
            return nil
        } catch {
            return error as? Rejection
        }
    }

    func view(_ name: String, in space: String? = nil) throws -> JSON { try server.view(name, in: space) }
}
