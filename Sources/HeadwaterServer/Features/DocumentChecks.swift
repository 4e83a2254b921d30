import Ground
import JSON
import Sockets
import StateStore

/// The checks of documents before they are taken, on threads of their own.
final class DocumentChecks {
    private let library: DocumentLibrary
    private let runner: TrialRunner
    private let executor: LoopExecutor

    init(_ library: DocumentLibrary, _ runner: TrialRunner, _ executor: LoopExecutor) {
        (self.library, self.runner, self.executor) = (library, runner, executor)
    }

    /// The outcome of a check.
    struct Outcome: Sendable {
        /// The faults of the documents, by name.
        var faults: [String: [DocumentFault]] = [:]
        /// The faults that the documents make in others that are given them, by name.
        var faultsOfOthers: [String: [DocumentFault]] = [:]
        /// The outcomes of their tests, by name.
        var tests: [String: DocumentTests] = [:]
        /// The names of the variables that the documents migrate, by feature.
        var migrated: [String: [String]] = [:]
        /// The reasons that old values may not satisfy the documents, by name. They are among `faults`, unless the data
        /// itself is looked at.
        var stateFaults: [String: [DocumentFault]] = [:]
        /// The parts of the documents that may not do what their authors expect, by name.
        var warnings: [String: [DocumentFault]] = [:]

        /// Returns the outcome with faults that were found before the check, first.
        func adding(_ found: [String: [DocumentFault]]) -> Outcome {
            var outcome = self
            outcome.faults.merge(found) { own, found in
                found + own.filter { fault in !found.contains { $0.pointer == fault.pointer } }
            }
            return outcome
        }

        /// The problem of faulty documents; nil if all are good.
        func faultProblem(isSingle: Bool) -> Problem? {
            if !faults.isEmpty { return Self.problem(.invalid, faults, isSingle: isSingle) }
            if faultsOfOthers.isEmpty { return nil }
            let names = faultsOfOthers.keys.sorted().joined(separator: ", ")
            var problem = Self.problem(.conflict, faultsOfOthers, isSingle: false)
            problem.pointer = nil
            return Problem(.conflict, "\(names) could not be used any more: put them together", problem.extra)
        }

        /// The problem of documents that cannot be taken; nil if all can.
        func problem(isSingle: Bool) -> Problem? {
            if let problem = faultProblem(isSingle: isSingle) { return problem }
            if let excess = tests.values.compactMap(\.excess).first {
                return Problem(.trialTooLarge, ProblemText(excess))
            }
            let failed = tests.filter { !$0.value.failed.isEmpty }.mapValues { tests in
                tests.failed.map { DocumentFault("the test \"\($0.name)\" failed: \($0.detail)", at: $0.pointer) }
            }
            return failed.isEmpty ? nil : Self.problem(.invalid, failed, isSingle: isSingle)
        }

        /// All faults of a document, and the failures of its tests.
        func faults(of name: String) -> [DocumentFault] {
            let failed = (tests[name]?.failed ?? []).map {
                DocumentFault("the test \"\($0.name)\" failed: \($0.detail)", at: $0.pointer)
            }
            let excess = tests[name]?.excess.map { [DocumentFault($0, at: JSONPointer(["tests"]))] } ?? []
            return (faults[name] ?? []) + failed + excess
        }

        private static func problem(
            _ kind: ProblemType, _ faults: [String: [DocumentFault]], isSingle: Bool
        ) -> Problem {
            var errors: [JSON] = []
            var first: (detail: String, pointer: String, allowed: [String])?
            for (name, faults) in faults.sorted(by: { $0.key < $1.key }) {
                for fault in faults {
                    let pointer = "\(JSONPointer((isSingle ? [] : [name]) + fault.pointer.tokens))"
                    first = first ?? (fault.detail, pointer, fault.allowed)
                    var error = JSON.Object()
                    error["pointer"] = .string(pointer)
                    error["detail"] = .string(fault.detail)
                    if !fault.allowed.isEmpty { error["allowed"] = .array(fault.allowed.map { .string($0) }) }
                    errors.append(.object(error))
                }
            }
            let others = errors.count > 1 ? " (and \(errors.count - 1) more: see errors)" : ""
            var problem = Problem(
                kind, ProblemText((first?.detail ?? "") + others), at: first?.pointer, allowed: first?.allowed ?? [])
            problem.extra["errors"] = .array(errors)
            return problem
        }
    }

    /// Checks documents that are to be put beside the present ones, then calls `then` with the outcome on this loop; or
    /// answers why they cannot be checked now.
    func check(
        _ documents: [String: JSON], beside present: DeployedDocuments, _ responder: Responder,
        comparesState: Bool = true, rehearses: Bool = false, _ then: @escaping (Outcome) -> Void
    ) {
        run(responder, then) { [library] goesOn in
            let all = present.documents.merging(documents) { _, new in new }
            return Self.outcome(
                of: documents, among: all, beside: present, library, comparesState: comparesState,
                rehearses: rehearses, goesOn: goesOn)
        }
    }

    /// Checks documents that are to be put beside the present ones, and prepares their features, so that the loops have
    /// only to take them. Then calls `then` on this loop with the outcome and the change that puts them; or answers why
    /// they cannot be checked now.
    func check(
        _ documents: [String: JSON], texts: [String: String], beside present: DeployedDocuments, _ responder: Responder,
        _ then: @escaping (Outcome, DocumentChange) -> Void
    ) {
        run(responder, { (found: (Outcome, DocumentChange)) in then(found.0, found.1) }) { [library] goesOn in
            let all = present.documents.merging(documents) { _, new in new }
            let outcome = Self.outcome(
                of: documents, among: all, beside: present, library, comparesState: true, goesOn: goesOn)
            let change = DocumentChange(
                documents.mapValues { $0 }, migrated: outcome.migrated, texts: texts, to: present)
            if outcome.problem(isSingle: true) == nil { library.prepare(change.applied(to: present)) }
            return (outcome, change)
        }
    }

    /// Runs a check on a thread of its own, then calls `then` with what it returns on this loop.
    private func run<Found: Sendable>(
        _ responder: Responder, _ then: @escaping (Found) -> Void,
        _ check: @escaping @Sendable (_ goesOn: @Sendable () -> Bool) -> Found
    ) {
        let owned = Confined((responder: responder, then: then))
        runner.run(for: responder) { [executor] turn in
            // The turn belongs to this thread, which runs the tests too.
            nonisolated(unsafe) let turn = turn
            let found = check { turn.goesOn() }
            executor.post {
                if owned.value.responder.isOpen { owned.value.then(found) }
            }
        }
    }

    /// Checks documents among all that are to be there.
    static func outcome(
        of documents: [String: JSON], among all: [String: JSON], beside present: DeployedDocuments,
        _ library: DocumentLibrary, comparesState: Bool, rehearses: Bool = false, goesOn: @Sendable () -> Bool
    ) -> Outcome {
        var outcome = Outcome()
        let before = library.compile(present.documents)
        let results = library.compile(all)
        var descriptions: [String: any FeatureDescription] = [:]
        for (name, result) in results {
            switch result {
            case .success(let description):
                descriptions[name] = description
                if documents[name] != nil, !description.warnings.isEmpty {
                    outcome.warnings[name] = description.warnings
                }
                guard let document = documents[name], document != present[name] else { break }
                let faults = description.faultsWhenPut
                if !faults.isEmpty { outcome.faults[name] = faults }
            case .failure(let faults) where documents[name] != nil: outcome.faults[name] = faults.all
            case .failure(let faults):
                // A document that could not be used before is no reason to refuse another.
                if case .success? = before[name] { outcome.faultsOfOthers[name] = faults.all }
            }
        }
        guard outcome.faults.isEmpty, outcome.faultsOfOthers.isEmpty else { return outcome }
        do throws(RegistrationFault) {
            try library.check(descriptions, beside: present)
        } catch {
            let name =
                documents.keys.sorted().first { error.description.hasPrefix("\($0) ") } ?? documents.keys.sorted()[0]
            outcome.faults[name] = [DocumentFault(error.description, at: JSONPointer())]
            return outcome
        }
        if comparesState {
            for name in documents.keys {
                guard let new = descriptions[name], let last = present.last(name),
                    let old = before[name].flatMap({ try? $0.get() }) ?? library.description(of: last, name)
                else { continue }
                var faults = new.faults(after: old)
                var labels = migrated(new, documents[name], after: old, last)
                // Values of variables that no document has declared meanwhile wait in the spaces.
                for (label, document) in present.left(name).sorted(by: { $0.key < $1.key }) {
                    guard new.state.contains(where: { $0.label == label }),
                        let old = library.description(of: document, name)
                    else { continue }
                    faults += new.faults(after: old)
                    labels += migrated(new, documents[name], after: old, document)
                }
                labels += moved(new, after: old, present, name)
                if !faults.isEmpty { outcome.stateFaults[name] = faults }
                if !faults.isEmpty, !rehearses { outcome.faults[name] = faults }
                var known: Set<String> = []
                outcome.migrated[name] = labels.filter { known.insert($0).inserted }
            }
        }
        for name in documents.keys.sorted() where outcome.faults.isEmpty {
            outcome.tests[name] = library.test(descriptions, of: name, goesOn: goesOn)
        }
        return outcome
    }

    /// The names of the variables that a document computes from those of the one before: those with an expression for it
    /// that the one before did not declare in the same way.
    private static func migrated(
        _ new: any FeatureDescription, _ document: JSON?, after old: any FeatureDescription, _ last: JSON
    ) -> [String] {
        new.state.filter { state in
            guard state.migrate != nil, let before = old.state.first(where: { $0.label == state.label }) else {
                return false
            }
            return document?["state"]?[state.label] != last["state"]?[state.label] || before.schema != state.schema
        }.map(\.label)
    }

    /// The names of the state that a document renames, makes of other rows, seeds or drops. Names that are not stored are
    /// left out.
    private static func moved(
        _ new: any FeatureDescription, after old: any FeatureDescription, _ present: DeployedDocuments, _ name: String
    ) -> [String] {
        let stored = Set(old.state.map(\.label)).union(present.left(name).keys)
        let labels = Set(new.state.map(\.label))
        var moved = new.drops.filter { stored.contains($0) && !labels.contains($0) }
        for part in new.state {
            let before = old.state.first { $0.label == part.label }
            if let was = part.was, before == nil, stored.contains(was) { moved.append(part.label) }
            if let source = part.source, before == nil, stored.contains(source.table) || labels.contains(source.table) {
                moved.append(part.label)
            }
            guard let before else { continue }
            if part.rename != nil, before.schema != part.schema { moved.append(part.label) }
            if part.seedsAlways, part.initialRows.keys.contains(where: { before.initialRows[$0] == nil }) {
                moved.append(part.label)
            }
        }
        return moved
    }

    /// The documents that are given a feature.
    func users(of name: String, among documents: DeployedDocuments) -> [String] {
        library.compile(documents.documents).compactMap { user, result in
            guard case .success(let description) = result, description.given.contains(name) else { return nil }
            return user
        }.sorted()
    }

    /// Returns true if a document declares state.
    func hasState(_ name: String, in documents: DeployedDocuments) -> Bool {
        if !documents.left(name).isEmpty { return true }
        return switch library.compile(documents.documents)[name] {
        case .success(let description)?: !description.state.isEmpty
        case .failure?: true
        case nil: false
        }
    }
}
