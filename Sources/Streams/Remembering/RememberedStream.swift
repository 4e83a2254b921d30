import JSON
import Reactive
package import StateModel

/// A remembering stream of a space: its tree of nodes, and its memory.
///
/// Its value is a function of its memory, and its memory changes only in commits of the space. The memory has the
/// entries `begin` (the version of the definition, of a view of a feature also the identity of its pipeline, and the
/// protection of the sources), `value` (the value shown, unless another entry holds it), `end`, and those of the nodes.
package final class RememberedStream {
    private let program: StreamProgram
    private let memory: Memory
    /// The steps of the stream alone: what others take must not show in its value.
    private let budget = StepBudget(stepsInACommit: StreamLimits.stepsInACommit)
    private let context: CompilationContext
    private let root: PipelineNode
    private var views: [ViewNode] = []
    private var folds: [ChangesNode] = []
    private var timed = TimedNodes()
    /// The value shown; null before the first one.
    private(set) var value: JSON = .null
    /// The end of the stream, if it has ended.
    private(set) var end: End?
    /// True if the value or the end has changed since it was shown.
    var isChanged = false
    /// The protection of the sources.
    private let protection: SourceProtection

    private static let beginKey = "begin"
    private static let valueKey = "value"
    private static let endKey = "end"

    /// A stream with the memory that the space has of it.
    package init(_ program: StreamProgram, _ memory: Memory, _ views: SpaceViews) {
        protection = SourceProtection(of: program, in: views)
        self.program = program
        self.memory = memory
        let run = RunContext(program.pipelines, VirtualScheduler(), budget, ExternalSources { _ in nil }, isKept: true)
        context = CompilationContext(run, stream: program.main.id)
        root = program.main.pipeline.node(MemorySlot(memory: memory, path: ""), in: context)
        if !memory.isEmpty { resume() }
        note()
    }

    deinit {
        context.run.close()
        root.stop()
    }

    private func slot(_ key: String) -> MemorySlot { MemorySlot(memory: memory, path: key) }

    /// Returns true if the documents are those of the stream.
    func has(_ other: StreamProgram) -> Bool { program.documents == other.documents }

    // MARK: The memory

    private func resume() {
        if let kept = slot(Self.endKey).value {
            end = StreamFailure(kept).map { .failed($0) } ?? .completed
        } else {
            root.resume()
        }
        value = slot(Self.valueKey).value?.element ?? root.latest ?? .null
    }

    /// Finds the nodes that need more than their sources.
    private func note() {
        guard end == nil else { return }
        root.forEachOpen { node in
            switch node {
            case let node as ViewNode: views.append(node)
            case let node as ChangesNode: folds.append(node)
            default: break
            }
        }
        timed = TimedNodes(of: root)
    }

    /// Begins with an empty memory, in the commit that makes the version. `identity` is that of the program, for a
    /// definition that is no state of the space. With `takesFirst` the commit counts, because the definition is older.
    package func begin(at version: Int, of identity: String? = nil, takesFirst: Bool = false) {
        var begin: JSON.Object = JSON.Object()
        begin["version"] = .number(Decimal(version))
        begin["pipeline"] = identity.map { .string($0) }
        protection.record(in: &begin)
        slot(Self.beginKey).value = .object(begin)
        isChanged = true
        for fold in folds { fold.takesFirst = takesFirst }
    }

    /// Returns the identity of the program that a memory was begun with; nil if it has none.
    static func identity(of memory: Memory) -> String? {
        MemorySlot(memory: memory, path: beginKey).value?["pipeline"]?.text
    }

    /// Returns true if a memory came from sources that were less open than the present ones: from places that are private
    /// now, or from behind a rule that is not there any more.
    static func isExposed(_ memory: Memory, of program: StreamProgram, in views: SpaceViews) -> Bool {
        SourceProtection(of: program, in: views).exposes(MemorySlot(memory: memory, path: beginKey).value)
    }

    /// Records the present protection of the sources. What the stream remembers from now on came from behind it.
    private func recordProtection() {
        guard case .object(var begin)? = slot(Self.beginKey).value, !protection.isRecorded(in: .object(begin)) else {
            return
        }
        protection.record(in: &begin)
        slot(Self.beginKey).value = .object(begin)
    }

    /// The names of its views.
    var viewNames: [String] { views.map(\.name) }

    /// Follows the views.
    package func connect(_ space: SpaceViews, in graph: Graph) {
        for view in views { view.connect(space, in: graph) }
    }

    /// Delivers the value, or the failure.
    func deliver(to output: Observable<JSON>) {
        if case .failed(let error)? = end { return output.finish(.failed(error)) }
        output.emit(value)
    }

    // MARK: Computing

    /// Gives the stream its steps in a commit: an equal share of those of all definitions.
    package func refill(shareOf definitions: Int) {
        budget.refill(StreamLimits.stepsInACommit / max(1, definitions))
    }

    /// The time of the earliest alarm; nil if there is none.
    var due: Timestamp? { end == nil ? timed.due.map { Timestamp($0) } : nil }

    /// Takes a commit of the space.
    package func remember(_ change: OwnChange) {
        guard end == nil else { return }
        recordProtection()
        for fold in folds { fold.note(change) }
        step(StreamMoment(now: Instant(change.at), change))
    }

    /// Lets the alarms go off that are due by `time`; those of one instant in the order in which they were set.
    package func elapse(to time: Timestamp) {
        while let due, due <= time {
            let steps = budget.remaining
            timed.noteDue()
            step(StreamMoment(now: Instant(due)))
            // An alarm that goes off costs a step. One that nothing takes would stay due for ever.
            if budget.remaining >= steps { return }
        }
    }

    private func step(_ moment: StreamMoment) {
        let events = root.step(moment)
        if budget.shortage != nil { return finish(.failed(budget.failure)) }
        guard !events.isEmpty else { return check() }
        for event in events {
            switch event {
            case .value(let value):
                self.value = value
                isChanged = true
            case .end(let end): return finish(end)
            }
        }
        if root.latest == nil { slot(Self.valueKey).value = .optional(value) } else { memory[Self.valueKey] = nil }
        check()
    }

    /// Checks the size of the memory.
    private func check() {
        guard memory.size > StreamLimits.memoryBytes else { return }
        value = .null
        finish(
            .failed(
                StreamFailure("the stream remembers more than \(StreamLimits.memoryBytes) bytes", of: context.stream)))
    }

    private func finish(_ end: End) {
        self.end = end
        isChanged = true
        root.stop()
        for key in Array(memory.keys) where key != Self.beginKey { memory[key] = nil }
        if case .failed(let error) = end {
            slot(Self.endKey).value = StreamFailure(error).record
        } else {
            slot(Self.valueKey).value = .optional(value)
            slot(Self.endKey).value = [:]
        }
    }
}

extension StreamFailure {
    /// The failure as the memory keeps it.
    fileprivate var record: JSON {
        var object = JSON.Object()
        object["detail"] = .string(description)
        object["value"] = value
        object["stream"] = stream.map { .string($0) }
        object["pointer"] = pointer.map { .string("\($0)") }
        return .object(object)
    }

    /// The failure that the memory keeps; nil for a completion.
    fileprivate init?(_ record: JSON) {
        guard case .string(let detail)? = record["detail"] else { return nil }
        self.init(
            detail, value: record["value"], at: record["pointer"]?.text.flatMap { JSONPointer(text: $0) },
            of: record["stream"]?.text)
    }
}

extension JSON {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}

/// The protection of the sources of a program in a space: the private places that they do not see, and the rules that
/// guard them. A memory records it, because it outlives the definitions of its sources.
struct SourceProtection {
    private let hidden: Set<String>
    private let guards: Set<String>
    /// True if the sources exist.
    private let isWhole: Bool

    private static let hiddenKey = "hidden"
    private static let guardsKey = "guards"

    init(of program: StreamProgram, in views: SpaceViews) {
        let derivation = program.derivation
        hidden = views.hiddenPlaces(behind: derivation.views, derivation.actions)
        guards = views.guards(behind: derivation.views, derivation.actions)
        isWhole = views.hasSources(derivation.views, derivation.actions)
    }

    /// Writes the protection into the record of a memory.
    func record(in record: inout JSON.Object) {
        record[Self.hiddenKey] = hidden.isEmpty ? nil : Self.list(hidden)
        record[Self.guardsKey] = Self.list(guards)
    }

    /// Returns true if the record of a memory has this protection.
    func isRecorded(in record: JSON) -> Bool {
        Self.names(record[Self.hiddenKey]) ?? [] == hidden && Self.names(record[Self.guardsKey]) == guards
    }

    /// Returns true if a memory with a record came from places that are private now, or from behind a rule that is gone.
    ///
    /// A memory without a record of rules is that of an earlier release. It may have come from behind any rule, unless its
    /// sources are there and have none.
    func exposes(_ record: JSON?) -> Bool {
        guard hidden.isSubset(of: Self.names(record?[Self.hiddenKey]) ?? []) else { return true }
        guard let recorded = Self.names(record?[Self.guardsKey]) else { return !isWhole || !guards.isEmpty }
        return !recorded.isSubset(of: guards)
    }

    private static func list(_ names: Set<String>) -> JSON { .array(names.sorted().map { .string($0) }) }

    private static func names(_ list: JSON?) -> Set<String>? {
        guard case .array(let elements)? = list else { return nil }
        return Set(elements.compactMap { if case .string(let name) = $0 { name } else { nil } })
    }
}
