package import Expressions
package import JSON
import Schemas
package import StateModel

/// The compiler of feature documents.
package struct FeatureCompiler: Sendable {
    /// A compiler for a host with these time zones.
    package init(zones: @escaping ZoneDatabase.ZoneReading) {
        ZoneDatabase.use(zones)
    }

    /// Compiles documents as `DocumentCompiler` describes.
    package func compile(
        _ documents: [String: JSON], beside others: [String: FeatureSummary], hiding: [String: LaterPrivacy]
    ) -> [String: Result<any FeatureDescription, DocumentFaults>] {
        var read: [String: (document: FeatureDocument, faults: FaultList)] = [:]
        for (name, json) in documents {
            var reader = DocumentReader()
            if json.byteCount(upTo: DocumentLimits.bytes) > DocumentLimits.bytes {
                reader.faults.add("the document has more than \(DocumentLimits.bytes) bytes", at: JSONPointer())
                read[name] = (FeatureDocument(), reader.faults)
                continue
            }
            var document = reader.document(json)
            if let later = hiding[name] { document.withhold(later) }
            if !document.name.isEmpty, document.name != name {
                reader.faults.add(
                    "the document is of the feature \(document.name), and its place is \(name)",
                    at: JSONPointer(["feature"]), allowed: [name])
            }
            read[name] = (document, reader.faults)
        }
        var results: [String: Result<any FeatureDescription, DocumentFaults>] = [:]
        var others = others
        let all = read.mapValues(\.document)
        for name in Self.ordered(all) {
            guard let (document, faults) = read[name] else { continue }
            let result = compile(document, faults, documents[name] ?? .null, all, others)
            results[name] = result
            if case .success(let feature) = result { others[name] = FeatureSummary(of: feature) }
        }
        return results
    }

    /// The names of documents, each after those that it is given.
    private static func ordered(_ documents: [String: FeatureDocument]) -> [String] {
        var ordered: [String] = []
        var seen: Set<String> = []
        func add(_ name: String) {
            guard let document = documents[name], seen.insert(name).inserted else { return }
            for other in document.given { add(other.name) }
            ordered.append(name)
        }
        for name in documents.keys.sorted() { add(name) }
        return ordered
    }

    private func compile(
        _ document: FeatureDocument, _ found: FaultList, _ json: JSON, _ documents: [String: FeatureDocument],
        _ others: [String: FeatureSummary]
    ) -> Result<any FeatureDescription, DocumentFaults> {
        compileParts(document, found, json, documents, others).map { $0 as any FeatureDescription }.mapError { faults in
            // A name can be in both lists.
            let others = document.faultsWhenPut.filter { !faults.all.contains($0) }
            return DocumentFaults(Array((faults.all + others).prefix(DocumentLimits.faults)))
        }
    }

    private func compileParts(
        _ document: FeatureDocument, _ found: FaultList, _ json: JSON, _ documents: [String: FeatureDocument],
        _ others: [String: FeatureSummary]
    ) -> Result<CompiledFeature, DocumentFaults> {
        var faults = found
        guard faults.isOpen else { return .failure(DocumentFaults(faults.all)) }
        var (document, faulty) = (document, FaultyParts(found.all, of: json))
        let given = given(document, documents, others, &faults)
        let isGiven = faults.all.count == found.all.count && faulty.givenIsKnown
        NameChecks.checkName(document, &faults)
        NameChecks.checkKeeping(document, &faults)
        if faulty.namesAreKnown {
            NameChecks.check(document, faulty, &faults)
            TestChecks.check(document, faulty, others, &faults)
        }
        guard faulty.typesAreKnown else { return .failure(DocumentFaults(faults.all)) }
        Self.leaveOut(faulty.names(in: "state"), isGiven: isGiven, of: &document, json, &faulty)
        let (indexes, searches) = IndexCompiler.indexes(document, &faults)
        let missing = document.indexNames.subtracting(indexes.map(\.index.name))
        if !missing.isEmpty { faulty.addParts(of: json, mentioning: missing) }
        var types = StateTypes(own: document.state.map(\.stateType), given: given, indexes: indexes)
        types.searches = searches
        types.definitions = DefinitionCompiler.definitions(
            document, types, without: faulty.names(in: "define"), &faults)
        if !types.definitions.faulty.isEmpty { faulty.addParts(of: json, mentioning: types.definitions.faulty) }
        let rule = ActionCompiler.rule(document.rules.act, types, &faults)
        let editRule = ActionCompiler.rule(document.rules.edit, types, &faults)
        var actions: [(part: WrittenAction, program: ActionProgram)] = []
        for part in document.actions where !faulty.contains(part.name, in: "actions") {
            var compiler = ActionCompiler(document, types, rule: rule)
            if let program = compiler.program(part, &faults) { actions.append((part, program)) }
        }
        let givenOthers = document.given.compactMap { others[$0.name] }
        var pipelineCompiler = PipelineCompiler(document, faulty, given: givenOthers)
        let pipelines = pipelineCompiler.views(besides: Self.rememberingCount(others, document.home))
        for fault in pipelineCompiler.faults.all { faults.add(fault) }
        let givenRules = givenOthers.compactMap { other in other.readRule.map { (other.name, $0) } }
        var viewCompiler = ViewCompiler(
            document, types, faulty, pipelines,
            givenRules: Dictionary(givenRules, uniquingKeysWith: { first, _ in first }))
        let views = viewCompiler.views(document.views, &faults)
        let programs = Dictionary(actions.map { ($0.part.name, $0.program) }, uniquingKeysWith: { first, _ in first })
        let schedules = ScheduleCompiler.schedules(document, types, programs, faulty, &faults)
        let migrations = MigrationCompiler.migrations(document, &faults)
        let sources = MigrationCompiler.sources(document, &faults)
        let replica = ReplicaCompiler.replica(document, types, rule: viewCompiler.readRuleOfAll, &faults)
        guard faults.all.isEmpty else { return .failure(DocumentFaults(faults.all)) }
        let clients = replica.map { replica in
            ClientParts(
                PredictionPlanner(replica: replica, document: document, types: types), actions, views)
        }
        return .success(
            CompiledFeature(
                document, json, actions: actions, actRule: rule.map { ActionProgram(document, rule: $0) },
                editRule: editRule.map { ActionProgram(document, rule: $0) }, views: views,
                migrations: migrations, sources: sources, readRule: viewCompiler.readRuleOfAll, schedules: schedules,
                indexes: indexes, replica: replica, clients: clients,
                reads: .of(views, rules: viewCompiler.ruleFormulas, actions, types),
                secretWarnings: SecretChecks.warnings(
                    of: document, types,
                    rules: [rule, editRule].compactMap(\.self) + viewCompiler.ruleFormulas
                        + actions.flatMap(\.program.rules))))
    }

    /// The number of views that remember in the documents with a home.
    private static func rememberingCount(_ others: [String: FeatureSummary], _ home: Scope) -> Int {
        others.values.reduce(0) { count, other in
            guard other.scope == home, let feature = other.description as? CompiledFeature else { return count }
            return count + feature.rememberingCount
        }
    }

    /// Leaves out the faulty state of a document, and the parts that mention it, or state of a feature that is not there.
    private static func leaveOut(
        _ names: Set<String>, isGiven: Bool, of document: inout FeatureDocument, _ json: JSON,
        _ faulty: inout FaultyParts
    ) {
        // Only views with `from` or `join` read given state without the word.
        var words = names.filter { $0.first?.isLetter ?? false }.union(isGiven ? [] : ["given", "from", "join"])
        guard !words.isEmpty else { return }
        document.state.removeAll { names.contains($0.name) }
        let indexes = names.compactMap { json["state"]?[$0]?["indexes"] }.flatMap { indexes -> [String] in
            if case .object(let object) = indexes { object.map(\.key) } else { [] }
        }
        words.formUnion(indexes)
        faulty.addParts(of: json, mentioning: words)
        func isKnown(_ rule: WrittenExpression) -> Bool { !FaultyParts.mentions(.string(rule.text), words) }
        document.rules.read = document.rules.read.flatMap { isKnown($0) ? $0 : nil }
        document.rules.act = document.rules.act.flatMap { isKnown($0) ? $0 : nil }
        document.rules.edit = document.rules.edit.flatMap { isKnown($0) ? $0 : nil }
    }

    /// Returns the state of the given features, and notes those that are not there.
    private func given(
        _ document: FeatureDocument, _ documents: [String: FeatureDocument], _ others: [String: FeatureSummary],
        _ faults: inout FaultList
    ) -> [(feature: String, state: [StateType])] {
        var given: [(feature: String, state: [StateType])] = []
        for name in document.given {
            let scope: Scope
            let state: [StateType]
            if name.name == document.name {
                faults.add("a feature reads its own state as state", at: name.pointer)
                continue
            } else if let other = documents[name.name] {
                (scope, state) = (other.home, other.state.map(\.stateType))
            } else if let other = others[name.name] {
                scope = other.scope
                let compiled = other.description as? CompiledFeature
                state =
                    compiled?.stateTypes
                    ?? other.state.map {
                        StateType(
                            label: $0.label, isTable: $0.isTable, type: ExpressionType(ofForeign: $0.schema),
                            privateParts: $0.privateParts)
                    }
            } else {
                let names = Set(documents.keys).union(others.keys).subtracting([document.name])
                faults.unknown("feature", name.name, names.sorted(), at: name.pointer)
                continue
            }
            if document.home == .common, scope == .space {
                faults.add(
                    "a feature in common cannot read \(name.name), which has a state in each space", at: name.pointer)
            }
            given.append((name.name, state))
        }
        return given
    }
}

/// The checks of the names in tests.
enum TestChecks {
    static func check(
        _ document: FeatureDocument, _ faulty: FaultyParts, _ others: [String: FeatureSummary],
        _ faults: inout FaultList
    ) {
        let actions = faulty.names(in: "actions").union(document.actions.map(\.name)).sorted()
        let views = faulty.names(in: "views").union(document.views.map(\.name)).sorted()
        for test in document.tests {
            for (step, pointer) in test.steps {
                switch step {
                case .act(let action, _, let space, _, _, _):
                    check(action, actions, of: document.name, others, at: pointer.appending("act"), &faults)
                    self.space(space, at: pointer.appending("space"), &faults)
                case .expect(let values, let space, _):
                    for member in values { view(member.key, views, of: document.name, at: pointer, &faults) }
                    self.space(space, at: pointer.appending("space"), &faults)
                case .after: break
                }
            }
        }
    }

    private static func check(
        _ action: String, _ own: [String], of feature: String, _ others: [String: FeatureSummary],
        at pointer: JSONPointer,
        _ faults: inout FaultList
    ) {
        let names = action.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard names.count == 2, names[0] != feature else {
            if !own.contains(names.last ?? "") { faults.unknown("action", action, own, at: pointer) }
            return
        }
        guard let other = others[names[0]] else { return }
        if !other.actions.contains(names[1]) {
            faults.unknown("action", action, other.actions.map { "\(other.name)/\($0)" }, at: pointer)
        }
    }

    private static func view(
        _ name: String, _ labels: [String], of feature: String, at pointer: JSONPointer, _ faults: inout FaultList
    ) {
        let view = ViewKey(name)
        guard view.feature.isEmpty || view.feature == feature else { return }
        if !labels.contains(view.label) {
            faults.unknown(
                "view", name, labels.map { "\(feature).\($0)" }, at: pointer.appending("expect").appending(name))
        }
    }

    private static func space(_ name: String?, at pointer: JSONPointer, _ faults: inout FaultList) {
        if let name, SpaceName(name) == nil {
            faults.add("\(name.prefix(64)) cannot be the name of a space", at: pointer)
        }
    }
}
