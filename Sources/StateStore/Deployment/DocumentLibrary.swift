internal import Platform
package import JSON

/// The features of a program and of the documents that `common` holds. All executors share one library, so that a
/// document is compiled once.
package final class DocumentLibrary: Sendable {
    /// The features that follow from documents.
    package struct Deployment: Sendable {
        /// The documents.
        let documents: DeployedDocuments
        /// All features.
        package let registry: Registry
        /// The descriptions of the documents that can be used, by name.
        package let descriptions: [String: any FeatureDescription]
        /// The faults of the documents that this program cannot use, by name. These features are not there.
        package let faults: [String: DocumentFaults]
    }

    private typealias Results = [String: Result<any FeatureDescription, DocumentFaults>]

    /// The spaces of one feature that are listed as problems at most.
    private static let problemsLimit = 1_000

    /// Documents that were compiled together.
    private struct CompiledDocuments {
        let documents: [String: JSON]
        let hiding: [String: LaterPrivacy]
        let results: Results
        /// The features of the documents without faults, as others see them.
        let summaries: [String: FeatureSummary]
    }

    private struct Contents {
        /// The reasons that features cannot take their state, by feature and space.
        var problems: [String: [SpaceName: String]] = [:]
        /// The documents of the latest deployment, to which the problems belong.
        var latestDocuments: [String: JSON] { latestDeployed.documents }
        /// The rows of the latest deployment.
        var latestDeployed = DeployedDocuments()
        /// The documents of migrations.
        var migrating: [(document: JSON, description: (any FeatureDescription)?)] = []
        /// The compiled documents that were there, or were to be there, last.
        var compiled: [CompiledDocuments] = []
        /// The deployments that were made last.
        var made: [(hiding: [String: LaterPrivacy], deployment: Deployment)] = []
        /// The registry made last, from which the next one takes the places of features.
        var latest: Registry
        /// The deployment of documents that are about to come, and the registry after which it was made.
        var prepared: (after: Registry, deployment: Deployment)?

        /// Returns a deployment that was made. One that a rehearsal has made is not that of the present, even if its
        /// documents have become the present ones.
        func made(_ documents: DeployedDocuments, _ hiding: [String: LaterPrivacy], isPast: Bool) -> Deployment? {
            guard isPast || documents == latestDeployed else { return nil }
            return made.last { $0.deployment.documents == documents && $0.hiding == hiding }?.deployment
        }

        /// The deployment that was prepared for documents; nil if others have come meanwhile.
        func prepared(
            _ documents: DeployedDocuments, _ hiding: [String: LaterPrivacy], isPast: Bool
        ) -> Deployment? {
            guard !isPast, hiding.isEmpty, let (registry, deployment) = prepared, registry === latest,
                deployment.documents == documents
            else { return nil }
            return deployment
        }

        /// The private parts of the present documents that differ from earlier ones.
        func privacy(later documents: DeployedDocuments) -> [String: LaterPrivacy] {
            DocumentLibrary.privacy(of: latest, latestDocuments, beside: documents)
        }
    }

    private static let limit = 8

    /// The private parts of features whose documents are not among others.
    private static func privacy(
        of registry: Registry, _ own: [String: JSON], beside documents: DeployedDocuments
    ) -> [String: LaterPrivacy] {
        var parts: [String: LaterPrivacy] = [:]
        for scope in [Scope.space, .common] {
            for blueprint in registry.catalog.blueprints(in: scope) where blueprint.isDescribed {
                guard own[blueprint.name] != documents.documents[blueprint.name] else { continue }
                for variable in blueprint.variables where variable.privateParts != .none {
                    parts[blueprint.name, default: LaterPrivacy()].state[variable.label] =
                        variable.type.changesByEntry ? variable.privateParts[nil] : variable.privateParts
                }
                for action in blueprint.withheldInputs.keys {
                    parts[blueprint.name, default: LaterPrivacy()].inputs[action] =
                        registry.privateInput(of: "\(blueprint.name)/\(action)")
                }
            }
        }
        return parts
    }

    /// The features of the program.
    package let program: Registry
    private let compiler: (any DocumentCompiler)?
    private let contents: Lock<Contents>

    /// A library of a program that takes no documents has no compiler.
    package init(_ program: Registry, _ compiler: (any DocumentCompiler)?) {
        self.program = program
        self.compiler = compiler
        contents = Lock(Contents(latest: program))
    }

    /// Compiles documents that are to be there together. A document that has not changed, and is given no document that
    /// has, keeps its description.
    /// Those of a past version do not count for this.
    package func compile(
        _ documents: [String: JSON], isPast: Bool = false
    ) -> [String: Result<any FeatureDescription, DocumentFaults>] {
        compile(documents, isPast: isPast, hiding: [:])
    }

    private func compile(_ documents: [String: JSON], isPast: Bool, hiding: [String: LaterPrivacy]) -> Results {
        let known = contents.with { contents in contents.compiled }
        if let same = known.last(where: { $0.documents == documents && $0.hiding == hiding }) { return same.results }
        // What has not changed since the last ones stays.
        var (results, summaries): (Results, [String: FeatureSummary]) = ([:], [:])
        if let last = known.last {
            (results, summaries) = (last.results, last.summaries)
            var changed = last.results.keys.filter {
                summaries[$0] == nil || documents[$0] != last.documents[$0] || hiding[$0] != last.hiding[$0]
            }
            func isChanged(_ name: String) -> Bool {
                summaries[name] == nil && (documents[name] != nil || last.documents[name] != nil)
            }
            while !changed.isEmpty {
                for name in changed { (results[name], summaries[name]) = (nil, nil) }
                changed = summaries.filter { $0.value.description?.given.contains(where: isChanged) ?? false }.map(
                    \.key)
            }
        }
        let changed = documents.filter { results[$0.key] == nil }
        if !changed.isEmpty, let compiler {
            let others = summaries.merging(program.summaries) { _, own in own }
            for (name, result) in compiler.compile(changed, beside: others, hiding: hiding) {
                results[name] = result
                if case .success(let description) = result { summaries[name] = FeatureSummary(of: description) }
            }
        }
        let compiled = CompiledDocuments(documents: documents, hiding: hiding, results: results, summaries: summaries)
        contents.with { contents in
            // The last entry is that of the present.
            contents.compiled.insert(compiled, at: isPast ? 0 : contents.compiled.count)
            if contents.compiled.count > Self.limit { contents.compiled.removeFirst() }
        }
        return results
    }

    /// True if the program takes documents.
    var hasDocuments: Bool { compiler != nil }

    /// Returns the features of the newest documents. What earlier ones call private is private too.
    func latest(hiding earlier: DeployedDocuments?) -> Registry {
        let (registry, documents) = contents.with { contents in (contents.latest, contents.latestDeployed) }
        guard let earlier, !privacy(of: earlier, beside: documents).isEmpty else { return registry }
        return deployment(of: documents, isPast: true, hiding: earlier).registry
    }

    /// Returns the private parts of earlier documents that are not among others.
    private func privacy(
        of earlier: DeployedDocuments, beside documents: DeployedDocuments
    ) -> [String: LaterPrivacy] {
        Self.privacy(
            of: deployment(of: earlier, isPast: true).registry, earlier.documents, beside: documents)
    }

    /// Returns the features that follow from documents; `isPast` is true for documents of a past version. What the present
    /// ones and those in `earlier` call private is private in these, too.
    package func deployment(
        of documents: DeployedDocuments, isPast: Bool = false, hiding earlier: DeployedDocuments? = nil
    ) -> Deployment {
        let before = earlier.map { privacy(of: $0, beside: documents) } ?? [:]
        let (hiding, known) = contents.with { contents in
            let hiding: [String: LaterPrivacy] = isPast ? contents.privacy(later: documents) : [:]
            let all = hiding.merging(before) { $0.union($1) }
            return (all, contents.made(documents, all, isPast: isPast))
        }
        if let known { return known }
        let results = compile(documents.documents, isPast: isPast, hiding: hiding)
        let migrations = migrations(in: documents, results)
        return contents.with { contents in
            if let same = contents.made(documents, hiding, isPast: isPast) { return same }
            let deployment =
                contents.prepared(documents, hiding, isPast: isPast)
                ?? Self.deployment(of: documents, results, migrations, after: contents.latest)
            if !isPast {
                contents.latest = deployment.registry
                contents.prepared = nil
                // A space that another document cannot migrate is found again when it is loaded.
                contents.problems = contents.problems.filter {
                    contents.latestDocuments[$0.key] == documents.documents[$0.key]
                }
                contents.latestDeployed = documents
            }
            contents.made.append((hiding, deployment))
            if contents.made.count > Self.limit { contents.made.removeFirst() }
            return deployment
        }
    }

    /// Makes the features that follow from documents which are about to replace the present ones.
    package func prepare(_ documents: DeployedDocuments) {
        let results = compile(documents.documents)
        let migrations = migrations(in: documents, results)
        let latest = latest
        let deployment = Self.deployment(of: documents, results, migrations, after: latest)
        contents.with { contents in contents.prepared = (latest, deployment) }
    }

    /// Throws if features cannot be registered together.
    package func check(
        _ descriptions: [String: any FeatureDescription], beside present: DeployedDocuments
    ) throws(RegistrationFault) {
        let features = descriptions.map { DeployedFeature($1, generation: present.generation(of: $0)) }
        _ = try latest.describing(features)
    }

    /// Returns the features that would follow from other documents beside the present ones.
    package func registry(with documents: [String: JSON], beside present: DeployedDocuments) -> Registry {
        let results = compile(present.documents.merging(documents) { _, new in new })
        let migrations = migrations(in: present, results)
        return contents.with { contents in
            Self.deployment(of: present, results, migrations, after: contents.latest).registry
        }
    }

    /// Notes the reason that a feature cannot take its state in a space; nil if it can.
    func noteProblem(of feature: String, in space: SpaceName, _ reason: String?) {
        contents.with { contents in
            if reason == nil {
                contents.problems[feature]?[space] = nil
            } else if contents.problems[feature, default: [:]].count < Self.problemsLimit {
                contents.problems[feature, default: [:]][space] = reason
            }
        }
    }

    /// Returns true if a feature cannot take its state in a space.
    func hasProblem(of feature: String, in space: SpaceName) -> Bool {
        contents.with { contents in contents.problems[feature]?[space] != nil }
    }

    /// The reasons that a feature cannot take its state, by space. A space that sleeps is found when it is loaded.
    package func problems(of feature: String) -> [(space: SpaceName, reason: String)] {
        contents.with { contents in contents.problems[feature] ?? [:] }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The description of a document that was there; nil if it cannot be used any more.
    package func description(of document: JSON, _ name: String) -> (any FeatureDescription)? {
        migrating(document, name, [:])
    }

    /// The migrations of the features that have some, oldest first.
    private func migrations(in documents: DeployedDocuments, _ results: Results) -> [String: [StateMigration]] {
        var migrations: [String: [StateMigration]] = [:]
        for name in documents.migrating where results[name] != nil {
            migrations[name] = documents.migrations(of: name).map { step in
                StateMigration(
                    edition: step.edition, labels: step.labels, migrating(step.document, name, results),
                    after: migrating(step.before, name, results))
            }
        }
        return migrations
    }

    /// Compiles a document of a migration beside the present ones; nil if it cannot be used any more.
    private func migrating(_ document: JSON, _ name: String, _ results: Results) -> (any FeatureDescription)? {
        let known = contents.with { contents in contents.migrating.first { $0.document == document } }
        if let known { return known.description }
        var others = program.summaries
        for (other, result) in results where other != name {
            if case .success(let description) = result { others[other] = FeatureSummary(of: description) }
        }
        let result = compiler?.compile([name: document], beside: others)[name]
        let description = try? result?.get()
        contents.with { contents in contents.migrating.append((document, description)) }
        return description
    }

    /// The features of the newest documents.
    package var latest: Registry { contents.with { contents in contents.latest } }

    /// The newest documents, by name.
    var latestDocuments: [String: JSON] { contents.with { contents in contents.latestDocuments } }

    /// Runs the tests of a document among compiled ones.
    package func test(
        _ documents: [String: any FeatureDescription], of name: String, goesOn: @Sendable () -> Bool
    ) -> DocumentTests {
        compiler?.test(documents, of: name, beside: program, goesOn: goesOn) ?? DocumentTests(passed: 0)
    }

    private static func deployment(
        of documents: DeployedDocuments, _ results: Results, _ migrations: [String: [StateMigration]],
        after latest: Registry
    ) -> Deployment {
        var descriptions: [String: any FeatureDescription] = [:]
        var faults: [String: DocumentFaults] = [:]
        for (name, result) in results {
            switch result {
            case .success(let description): descriptions[name] = description
            case .failure(let found): faults[name] = found
            }
        }
        while true {
            let features = descriptions.values.map {
                DeployedFeature(
                    $0, generation: documents.generation(of: $0.name), migrations: migrations[$0.name] ?? [])
            }
            do throws(RegistrationFault) {
                return Deployment(
                    documents: documents,
                    registry: try latest.describing(features, removedWithRules: documents.removedWithRules),
                    descriptions: descriptions, faults: faults)
            } catch {
                // A newer program took the document. Features that are given one that is not there are not there either.
                let names = descriptions.keys.sorted()
                let culprit = names.first { error.description.hasPrefix("\($0) ") } ?? names[0]
                descriptions[culprit] = nil
                faults[culprit] = DocumentFaults([DocumentFault(error.description, at: JSONPointer())])
            }
        }
    }
}
