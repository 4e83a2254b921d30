package import JSON
import Reactive
package import StateModel

/// A run of a definition in virtual time with given inputs: the events of hours are known at once.
package struct StreamTrial: Sendable {
    private let program: StreamProgram
    private let inputs: [String: InputSchedule]
    /// The values of the characters of marbles.
    private let values: [Character: JSON]
    private let until: Duration
    /// The places where the definition names views.
    private let viewMentions: [(name: String, pointer: JSONPointer)]

    static let members = ["definition", "inputs", "until", "values"]

    /// Reads a request: `definition`, and optionally `inputs`, `until` and `values`. `find` returns stored definitions.
    package init(
        _ body: JSON, formulas: Formulas = .cel, find: (String) throws(DefinitionFaults) -> StreamDefinition?
    ) throws(DefinitionFaults) {
        var reader = DefinitionReader(formulas, .all, allowsInputs: true)
        let place = DocumentPlace(pointer: JSONPointer())
        guard let object = reader.object(body, at: place, "the trial") else {
            throw DefinitionFaults(all: reader.faults)
        }
        reader.refuseOthers(in: object, than: Self.members, at: place)
        values = Self.readValues(object["values"], at: place.appending("values"), &reader)
        until = Self.readUntil(object["until"], at: place.appending("until"), &reader)
        inputs = Self.readInputs(object["inputs"], values, at: place.appending("inputs"), &reader)
        var faults = reader.faults
        var program: StreamProgram?
        var viewMentions: [(name: String, pointer: JSONPointer)] = []
        if let document = object["definition"] {
            let pointer = JSONPointer(["definition"])
            let (definition, mentions, wrong) = StreamDefinition.read(
                document, formulas: formulas, mustHaveID: false, allowsInputs: true, at: pointer)
            faults += wrong
            faults.add(Self.missing(mentions.inputs, in: object["inputs"]))
            viewMentions = mentions.views
            do throws(DefinitionFaults) {
                if let definition {
                    program = try StreamProgram(definition, at: pointer, find: find)
                } else {
                    for reference in mentions.references where try find(reference.id) == nil {
                        faults.add([DefinitionFault("there is no stream \"\(reference.id)\"", at: reference.pointer)])
                    }
                }
            } catch {
                faults.add(error.all)
            }
        } else {
            faults.append(DefinitionFault("there is no \"definition\" in the trial", at: JSONPointer(["definition"])))
        }
        guard faults.isEmpty, let program else { throw DefinitionFaults(all: faults) }
        self.program = program
        self.viewMentions = viewMentions
    }

    /// The views that feed the trial, except those with an input of their name.
    package var views: [String] { program.views.filter { inputs[$0] == nil }.sorted() }

    /// The faults of a trial if one of these views does not exist.
    package func lack(of view: String) -> DefinitionFaults {
        let places = viewMentions.filter { $0.name == view }.map(\.pointer)
        return DefinitionFaults(
            all: (places.isEmpty ? [JSONPointer(["definition"])] : places).map {
                DefinitionFault("there is no view \"\(view)\" in this space", at: $0)
            })
    }

    /// The fault of a trial whose view has a faulty parameter.
    package func fault(of view: String, _ fault: ParameterFault) -> DefinitionFaults {
        let place = viewMentions.first { $0.name == view }?.pointer ?? JSONPointer(["definition", "view"])
        return DefinitionFaults(all: [DefinitionFault(fault, of: place)])
    }

    /// Runs the trial and returns its `events`, each with its time in seconds, their `marble`, and the `step` of a
    /// character in seconds. Both are null if the events cannot be drawn. `values` has the letters that stand for
    /// values.
    ///
    /// A view plays the input of its name, or else keeps its value in `present`. `goesOn` returns false when the time
    /// is over. Throws if the trial exceeds a bound that runs do not have.
    package func run(present: [String: JSON] = [:], goesOn: @escaping () -> Bool = { true }) throws(TrialExcess) -> JSON
    {
        var events: [(at: Instant, event: StreamEvent)] = []
        var hasEnded = false
        var bytesLeft = StreamLimits.trialBytes
        let budget = StepBudget(steps: StreamLimits.trialSteps, goesOn: goesOn)
        func hear(_ event: StreamEvent, at now: Instant) {
            guard !hasEnded else { return }
            var spoken: JSON?
            switch event {
            case .value(let value): spoken = value
            case .failure(let failure): spoken = failure.value
            case .end: break
            }
            if let spoken { bytesLeft = spoken.bytesLeft(of: bytesLeft) }
            guard case .value = event else {
                hasEnded = true
                return events.append((now, event))
            }
            guard bytesLeft >= 0 else { return hasEnded = true }
            events.append((now, event))
            guard events.count >= StreamLimits.trialEvents else { return }
            hasEnded = true
            let words = "more than \(StreamLimits.trialEvents) events are not delivered"
            events.append((now, .failure(StreamFailure(words))))
        }
        let schedule = { (name: String) in
            inputs[name] ?? present[name].map { InputSchedule(present: $0) }
        }
        let end = Instant.zero + until
        let last =
            program.canBeKept
            ? TriedTree(program, budget, schedule).run(until: end, while: { !hasEnded }, hear)
            : Self.run(program, budget, schedule, until: end, while: { !hasEnded }, hear)
        if let excess = TrialExcess(of: budget, bytesLeft: bytesLeft, at: last) { throw excess }
        let drawing = MarbleDrawing(of: events, values)
        var answer = JSON.Object()
        answer["events"] = .array(events.map(Self.shown))
        answer["marble"] = drawing.map { .string($0.marble) } ?? .null
        answer["step"] = drawing.map { .number($0.step.seconds) } ?? .null
        if let named = drawing?.named, !named.isEmpty { answer["values"] = .object(named) }
        return .object(answer)
    }

    /// Runs a stream that no space can keep, as the runs of it are. Returns the time of the last event.
    private static func run(
        _ program: StreamProgram, _ budget: StepBudget, _ schedule: @escaping (String) -> InputSchedule?,
        until end: Instant, while goesOn: () -> Bool, _ hear: @escaping (StreamEvent, Instant) -> Void
    ) -> Instant {
        let scheduler = VirtualScheduler()
        let sources = ExternalSources(
            view: { _ in nil }, input: { name, scheduler in schedule(name)?.observable(on: scheduler) })
        let subscription = program.observable(on: scheduler, sources, budget: budget).watch(
            in: Graph(order: .onArrival), receive: { hear(.value($0), scheduler.now) },
            end: { hear(StreamEvent($0), scheduler.now) })
        while goesOn(), let next = scheduler.next, next <= end { scheduler.advance(to: next) }
        subscription.cancel()
        return scheduler.now
    }

    private static func shown(_ at: Instant, _ event: StreamEvent) -> JSON {
        let time = JSON.number(at.seconds)
        return switch event {
        case .value(let value): ["at": time, "value": value]
        case .end: ["at": time, "end": true]
        case .failure(let failure): ["at": time, "error": failure.problem]
        }
    }
}

extension StreamTrial {
    private static func readValues(
        _ value: JSON?, at place: DocumentPlace, _ reader: inout DefinitionReader
    ) -> [Character: JSON] {
        guard let value, let object = reader.object(value, at: place, "\"values\"") else { return [:] }
        var values: [Character: JSON] = [:]
        for member in object {
            guard let character = member.key.first, member.key.count == 1, !"-|#() ".contains(character) else {
                reader.note(
                    "a value is named by one character of a marble, but - | # ( ) and space",
                    at: place.appending(member.key))
                continue
            }
            values[character] = member.value
        }
        return values
    }

    private static func readUntil(_ value: JSON?, at place: DocumentPlace, _ reader: inout DefinitionReader) -> Duration
    {
        guard let value else { return .seconds(StreamLimits.trialSecondsByDefault) }
        guard case .number(let seconds) = value, seconds >= 0, seconds <= Decimal(StreamLimits.trialSeconds) else {
            reader.note(
                "\"until\" must be a number of seconds from 0 to \(StreamLimits.trialSeconds), not \(value.shown)",
                at: place)
            return .zero
        }
        return seconds.duration
    }

    private static func readInputs(
        _ value: JSON?, _ values: [Character: JSON], at place: DocumentPlace, _ reader: inout DefinitionReader
    ) -> [String: InputSchedule] {
        guard let value, let object = reader.object(value, at: place, "\"inputs\"") else { return [:] }
        var inputs: [String: InputSchedule] = [:]
        for member in object {
            inputs[member.key] = InputSchedule(member.value, values: values, at: place.appending(member.key), &reader)
        }
        return inputs
    }

    /// Returns the faults of named inputs that are not given.
    private static func missing(_ named: [(name: String, pointer: JSONPointer)], in inputs: JSON?) -> [DefinitionFault]
    {
        var names: [String] = []
        if case .object(let object)? = inputs { names = object.map(\.key) }
        return named.filter { !names.contains($0.name) }.map { name, pointer in
            DefinitionFault("there is no input \"\(name)\" in the trial", at: pointer, allowed: names)
        }
    }
}

extension DefinitionLibrary {
    /// Reads a request for a trial, ready to run.
    package func trial(_ body: JSON) throws(DefinitionFaults) -> StreamTrial {
        try StreamTrial(body, formulas: formulas, find: definition(_:))
    }
}

/// The trial of a stream that a space can keep: its nodes are those of the space, and its memory is volatile.
final class TriedTree {
    private let context: CompilationContext
    private let root: PipelineNode
    private let budget: StepBudget

    init(_ program: StreamProgram, _ budget: StepBudget, _ inputs: @escaping (String) -> InputSchedule?) {
        self.budget = budget
        let run = RunContext(program.pipelines, VirtualScheduler(), budget, ExternalSources { _ in nil })
        run.inputs = inputs
        context = CompilationContext(run, stream: program.main.id)
        root = program.main.pipeline.node(MemorySlot(memory: Memory("~trial"), path: ""), in: context)
    }

    deinit {
        context.run.close()
        root.stop()
    }

    /// Runs until a time, as long as `goesOn` returns true. Returns the time of the last event.
    func run(
        until end: Instant, while goesOn: () -> Bool, _ hear: (StreamEvent, Instant) -> Void
    ) -> Instant {
        var now = Instant.zero
        step(at: now, hear)
        let timed = TimedNodes(of: root)
        while goesOn(), let due = timed.due, due <= end {
            now = max(now, due)
            timed.noteDue()
            step(at: now, hear)
        }
        return now
    }

    private func step(at now: Instant, _ hear: (StreamEvent, Instant) -> Void) {
        for event in root.step(StreamMoment(now: now)) {
            switch event {
            case .value(let value): hear(.value(value), now)
            case .end(let end): if budget.shortage == nil { hear(StreamEvent(end), now) }
            }
        }
        if budget.shortage != nil { hear(.failure(budget.failure), now) }
    }
}
