package import JSON
package import Reactive
package import StateModel

/// A definition and all that it refers to, checked together and ready to run.
package struct StreamProgram: Sendable {
    package let main: StreamDefinition
    /// The definitions that it refers to, directly or not, by id.
    let definitions: [String: StreamDefinition]
    let pipelines: [String: Pipeline]

    /// Collects a definition and all that it refers to with `find`. Throws the faults of unknown and circular
    /// references, and of a program that is too large. `pointer` is the place of the definition in its document.
    package init(
        _ main: StreamDefinition, at pointer: JSONPointer = JSONPointer(),
        find: (String) throws(DefinitionFaults) -> StreamDefinition?
    ) throws(DefinitionFaults) {
        self.main = main
        var search = ReferenceSearch()
        for reference in main.references {
            try search.follow(reference.id, from: main.id.map { [$0] } ?? [], at: reference.pointer, find)
        }
        definitions = search.found
        pipelines = definitions.mapValues(\.pipeline)
        guard search.faults.isEmpty else { throw DefinitionFaults(all: search.faults) }
        var survey = SizeCounter(pipelines)
        let size = survey.size(of: main.pipeline)
        if size.nodes > StreamLimits.nodes || size.inARow > StreamLimits.nodesInARow {
            throw DefinitionFaults(all: [
                DefinitionFault(
                    "with all its references the stream has \(size.nodes) nodes, \(size.inARow) of them in a row; "
                        + "\(StreamLimits.nodes) are the most, and \(StreamLimits.nodesInARow) in a row", at: pointer)
            ])
        }
    }

    /// True if live views alone feed the program, directly or through references.
    package var isLive: Bool {
        main.pipeline.isLive && definitions.values.allSatisfy { $0.pipeline.isLive }
    }

    /// The names of the views that feed the program.
    package var views: Set<String> {
        Set(([main] + definitions.values).flatMap { $0.views.map(\.name) })
    }

    /// The text that is the same for programs with equal documents.
    var identity: String {
        var object = JSON.Object()
        for (id, document) in documents { object[id] = document }
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        JSON.object(object).ordered.write(to: &writer)
        return Digest(writer.bytes).tag
    }

    /// The documents of the program. Two programs are the same if these are equal.
    var documents: [String: JSON] {
        var documents = definitions.mapValues(\.document)
        documents[""] = main.document
        return documents
    }

    /// Compiles the program to an observable that restarts with each subscription. Without a budget for the whole run,
    /// the steps at each instant are limited.
    func observable(
        on scheduler: any Scheduler, _ sources: ExternalSources, budget given: StepBudget? = nil
    ) -> Observable<JSON> {
        Observable { output in
            guard let graph = unsafe output.graph else { return }
            let budget = given ?? StepBudget(steps: StreamLimits.stepsAtOnce, eachTurnOf: graph, clock: scheduler)
            let context = CompilationContext(RunContext(pipelines, scheduler, budget, sources), stream: main.id)
            budget.exhausted = { [unowned budget, weak output] in
                guard let output else { return }
                let failure = budget.failure
                // The turn that follows keeps the observable, which may lose its last listener before.
                graph.whenIdle { if output.isActive { output.finish(.failed(failure)) } }
            }
            output.undo = {
                budget.exhausted = nil
                context.forgetShared()
                context.run.close()
            }
            output.listen(
                to: main.pipeline.observable(in: context), receive: { output.emit($0) }, end: { output.finish($0) })
        }
    }

    /// The values of the program over views of a space.
    func observable(over views: SpaceViews) -> Observable<JSON> {
        observable(on: views.scheduler, ExternalSources { views[$0] })
    }

    /// The value of the program over views of a space: null before the first one.
    package func value(over views: SpaceViews) -> Observable<JSON> {
        // The last value of a turn is the value of the view.
        combineLatest([append([.just(.null), observable(over: views)])]).map { $0[0] }
    }

    /// The search for the definitions that a definition refers to.
    private struct ReferenceSearch {
        var found: [String: StreamDefinition] = [:]
        var faults: [DefinitionFault] = []

        /// Follows a reference. A fault further on is reported at the place in the first document that leads there.
        mutating func follow(
            _ id: String, from path: [String], at pointer: JSONPointer,
            _ find: (String) throws(DefinitionFaults) -> StreamDefinition?
        ) throws(DefinitionFaults) {
            if let start = path.firstIndex(of: id) {
                let circle = (path[start...] + [id]).joined(separator: " → ")
                return faults.append(
                    DefinitionFault("the streams refer to each other in a cycle: \(circle)", at: pointer))
            }
            guard path.count < StreamLimits.definitions, found[id] == nil else { return }
            guard let definition = try find(id) else {
                return faults.append(DefinitionFault("there is no stream \"\(id)\"", at: pointer))
            }
            for reference in definition.references { try follow(reference.id, from: path + [id], at: pointer, find) }
            found[id] = definition
        }
    }
}

extension JSON {
    /// The value with the members of all objects in the order of their names.
    fileprivate var ordered: JSON {
        switch self {
        case .array(let elements): return .array(elements.map(\.ordered))
        case .object(let object):
            var ordered = JSON.Object()
            for member in object.sorted(by: { $0.key < $1.key }) { ordered[member.key] = member.value.ordered }
            return .object(ordered)
        default: return self
        }
    }
}
