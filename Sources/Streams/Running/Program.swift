public import JSON
import Reactive

/// A definition and all that it refers to, checked as a whole: it can run.
public struct Program: Sendable {
    let main: Definition
    /// What it refers to, by id, however far.
    let definitions: [String: Definition]

    /// A definition with what it refers to, as `find` has it. References that lead nowhere or in a circle are thrown, and what is too large as a
    /// whole. `pointer` is where the definition stands in its document.
    public init(_ main: Definition, at pointer: JSONPointer = JSONPointer(), find: (String) throws(Faults) -> Definition?) throws(Faults) {
        self.main = main
        var search = Search()
        for reference in main.references {
            try search.follow(reference.id, from: main.id.map { [$0] } ?? [], at: reference.pointer, find)
        }
        definitions = search.found
        guard search.faults.isEmpty else { throw Faults(all: search.faults) }
        var survey = Survey(definitions)
        let extent = survey.extent(of: main.pipeline)
        if extent.nodes > Limits.nodes || extent.inARow > Limits.nodesInARow {
            throw Faults(all: [
                Fault(
                    "with all that it refers to it comes to \(extent.nodes) nodes, \(extent.inARow) of them in a row; "
                        + "\(Limits.nodes) are the most, and \(Limits.nodesInARow) in a row", at: pointer)
            ])
        }
    }

    /// Whether all that feeds it, however far, is live views.
    public var isLive: Bool {
        main.pipeline.isLive && definitions.values.allSatisfy { $0.pipeline.isLive }
    }

    /// The names of the views that feed it.
    public var views: Set<String> {
        Set(([main] + definitions.values).flatMap { $0.views.map(\.name) })
    }

    /// The documents that make it, by which it can be told from another.
    var documents: [String: JSON] {
        var documents = definitions.mapValues(\.document)
        documents[""] = main.document
        return documents
    }

    /// The observable of it, which begins anew each time it is started. Without an `allowance` for all of a run, the steps at each
    /// instant are limited.
    func observable(on scheduler: any Scheduler, _ feeds: Feeds, allowance given: Allowance? = nil) -> Observable<JSON> {
        Observable { output in
            guard let graph = unsafe output.graph else { return }
            let allowance = given ?? Allowance(steps: Limits.stepsAtOnce, eachTurnOf: graph, clock: scheduler)
            let stage = Stage(Stage.Run(self, scheduler, allowance, feeds), stream: main.id)
            allowance.exhausted = { [unowned allowance, weak output] in
                guard let output else { return }
                let failure = allowance.failure
                // The turn that follows keeps the observable, which may lose its last listener before.
                graph.whenIdle { if output.isActive { output.finish(.failed(failure)) } }
            }
            output.undo = {
                allowance.exhausted = nil
                stage.close()
            }
            output.listen(to: main.pipeline.observable(in: stage), receive: { output.emit($0) }, end: { output.finish($0) })
        }
    }

    /// The search for what a definition refers to.
    private struct Search {
        var found: [String: Definition] = [:]
        var faults: [Fault] = []

        /// Follows a reference. What is wrong further on is told of the place in the first document that leads there.
        mutating func follow(
            _ id: String, from path: [String], at pointer: JSONPointer, _ find: (String) throws(Faults) -> Definition?
        ) throws(Faults) {
            if let start = path.firstIndex(of: id) {
                let circle = (path[start...] + [id]).joined(separator: " → ")
                return faults.append(Fault("the streams refer to each other in a circle: \(circle)", at: pointer))
            }
            guard path.count < Limits.definitions, found[id] == nil else { return }
            guard let definition = try find(id) else {
                return faults.append(Fault("there is no stream \"\(id)\"", at: pointer))
            }
            for reference in definition.references { try follow(reference.id, from: path + [id], at: pointer, find) }
            found[id] = definition
        }
    }
}
