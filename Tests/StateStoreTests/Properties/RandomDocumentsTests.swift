import JSON
import ScriptedDocuments
import StateStore
import Testing

/// Random documents come, change and go. Each registry is made after the one before, and compared with one that is made
/// of the same documents alone.
struct RandomDocumentsTests {
    private static let names = ["alpha", "beta", "gamma", "delta", "board"]
    private let program: Registry

    init() throws {
        program = try Registry([
            Feature("board", BoardState.init, BoardService.init) { BoardViewModel($0, Tally()) }, .documents(),
        ])
    }

    /// A document of a feature: the feature that it is given comes before it, so that no circle is made.
    private func document(of index: Int, _ dice: inout Randomness) -> JSON {
        let isCommon = Int.random(in: 0..<3, using: &dice) == 0
        var document = JSON.Object()
        document["label"] = .string("\(Int.random(in: 0..<3, using: &dice))")
        if isCommon { document["home"] = "common" }
        if Int.random(in: 0..<3, using: &dice) == 0 { document["views"] = ["label", "total"] }
        if index > 0, !isCommon, Bool.random(using: &dice) {
            document["given"] = .string(Self.names[Int.random(in: 0..<index, using: &dice)])
        }
        return .object(document)
    }

    /// All that clients and facts name of a registry, without the places of features.
    private func shown(_ registry: Registry) -> [String] {
        var lines: [String] = []
        let keys = Self.names.flatMap { name in ["", "~2", "~3"].map { "\(name).total\($0)" } }
        for key in keys {
            guard let place = registry.catalog.variable(key) else { continue }
            let blueprint = registry.catalog.blueprints(in: place.feature.scope)[place.feature.index]
            lines.append("\(key) is \(blueprint.variables[place.index].name) in \(place.feature.scope)")
        }
        for name in Self.names {
            for view in ["total", "label", "larger", "larger?than=1", "sum", "list"] {
                let homes = [SpaceName.main, .common].filter { registry.hasView(ViewKey("\(name).\(view)"), in: $0) }
                lines.append("\(name).\(view) in \(homes)")
            }
            for action in ["add", "note", "change"] {
                let id = registry.action(feature: name, name: action)
                lines.append("\(name)/\(action) in \(id.map { "\($0.scope)" } ?? "none")")
                guard let id else { continue }
                let blueprint = registry.catalog.blueprints(in: id.scope)[id.featureIndex]
                lines.append("performed by \(blueprint.name), \(id.edition == blueprint.edition)")
            }
            lines.append("\(name) \(registry.has(name)) \(registry.source(ofFeature: name) == nil)")
        }
        lines += registry.features.map { "\($0.feature) \($0.scope) \($0.labels)" }
        lines += registry.variables.map { "\($0.name) \($0.scope)" }
        return lines
    }

    // Law DEPLOY6
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `features follow from their documents alone, whatever was there before`(_ seed: UInt64) throws {
        var dice = Randomness(seed: seed)
        let compiler = ScriptedCompiler()
        var documents: [String: JSON] = [:]
        var generations: [String: Int] = [:]
        var descriptions: [String: any FeatureDescription] = [:]
        var latest = program
        for _ in 0..<30 {
            let index = Int.random(in: 0..<4, using: &dice)
            let name = Self.names[index]
            let (before, old) = (documents, descriptions)
            documents[name] = Int.random(in: 0..<4, using: &dice) == 0 ? nil : document(of: index, &dice)
            if documents[name] == nil, before[name] != nil { generations[name, default: 1] += 1 }
            let results = compiler.compile(documents, beside: program.summaries, hiding: [:])
            var described: [String: any FeatureDescription] = [:]
            for (name, result) in results {
                guard case .success(let new) = result else { continue }
                // A description that is the same is kept, as the library does it.
                described[name] = documents[name] == before[name] ? descriptions[name] ?? new : new
            }
            let deployed = described.map { DeployedFeature($1, generation: generations[$0] ?? 1) }
            let fresh: Registry
            do {
                fresh = try program.describing(deployed)
            } catch {
                // A feature in common cannot be given one of each space.
                #expect(throws: RegistrationFault.self) { try latest.describing(deployed) }
                documents = before
                continue
            }
            let next = try latest.describing(deployed)
            #expect(shown(next) == shown(fresh))
            // What has not changed, and is given nothing that has, is the same blueprint.
            let changed = next.catalog.changes(from: latest.catalog)
            for (name, description) in described where description.given.isEmpty {
                let isSame = old[name] === description
                #expect(changed.contains(name) == !isSame, "\(name)")
            }
            (latest, descriptions) = (next, described)
        }
    }
}
