public import JSON
import Reactive

/// A definition that is tried: run in virtual time with the inputs that it is given, so that what it delivers in hours is known at once.
public struct Trial: Sendable {
    private let program: Program
    private let inputs: [String: Course]
    /// The values that characters of marbles stand for.
    private let values: [Character: JSON]
    private let until: Duration
    /// Where the definition names views.
    private let viewMentions: [(name: String, pointer: JSONPointer)]

    static let members = ["definition", "inputs", "until", "values"]

    /// Reads what is to be tried: `definition`, and perhaps `inputs`, `until` and `values`. `find` has the definitions that it may refer to.
    public init(_ body: JSON, formulas: Formulas = .cel, find: (String) throws(Faults) -> Definition?) throws(Faults) {
        var reading = Reading(formulas, allowsInputs: true)
        let place = Reading.Place(pointer: JSONPointer())
        guard let object = reading.object(body, at: place, "what is tried") else { throw Faults(all: reading.faults) }
        reading.refuseOthers(in: object, than: Self.members, at: place)
        values = Self.readValues(object["values"], at: place.appending("values"), &reading)
        until = Self.readUntil(object["until"], at: place.appending("until"), &reading)
        inputs = Self.readInputs(object["inputs"], values, at: place.appending("inputs"), &reading)
        var faults = reading.faults
        var program: Program?
        var viewMentions: [(name: String, pointer: JSONPointer)] = []
        if let document = object["definition"] {
            let pointer = JSONPointer(["definition"])
            let (definition, mentions, wrong) = Definition.read(
                document, formulas: formulas, mustHaveID: false, allowsInputs: true, at: pointer)
            faults += wrong
            faults.add(Self.missing(mentions.inputs, in: object["inputs"]))
            viewMentions = mentions.views
            do throws(Faults) {
                if let definition {
                    program = try Program(definition, at: pointer, find: find)
                } else {
                    for reference in mentions.references where try find(reference.id) == nil {
                        faults.add([Fault("there is no stream \"\(reference.id)\"", at: reference.pointer)])
                    }
                }
            } catch {
                faults.add(error.all)
            }
        } else {
            faults.append(Fault("there is no \"definition\" to be tried", at: JSONPointer(["definition"])))
        }
        guard faults.isEmpty, let program else { throw Faults(all: faults) }
        self.program = program
        self.viewMentions = viewMentions
    }

    /// The views that feed it, however far, and are not played from an input of their name.
    public var views: [String] { program.views.filter { inputs[$0] == nil }.sorted() }

    /// What is wrong with it where one of those is not there.
    public func lack(of view: String) -> Faults {
        let places = viewMentions.filter { $0.name == view }.map(\.pointer)
        return Faults(
            all: (places.isEmpty ? [JSONPointer(["definition"])] : places).map {
                Fault("there is no view \"\(view)\" in this space", at: $0)
            })
    }

    /// Runs it and tells what it delivered: `events`, each with the seconds at which it came, the `marble` of them, and the `step` of that: for how
    /// many seconds a character stands. Both are null where it cannot be drawn. Where letters had to be found for values, `values` says for which.
    /// A view is played from the input of its name, or else is `present`: what it is now, and stays. The try asks `goesOn` with each step whether it has
    /// time left. A try that hits a bound of its own, which a run has not, is thrown.
    public func run(present: [String: JSON] = [:], goesOn: @escaping () -> Bool = { true }) throws(TrialExcess) -> JSON {
        let scheduler = VirtualScheduler()
        let graph = Graph(order: .onArrival)
        var events: [(at: Instant, event: Run.Event)] = []
        var hasEnded = false
        var bytesLeft = Limits.tryBytes
        let allowance = Allowance(steps: Limits.trySteps, goesOn: goesOn)
        let feeds = Feeds(
            view: { name in inputs[name] == nil ? present[name].map { append([.just($0), .never()]) } : nil },
            input: { name, scheduler in inputs[name]?.observable(on: scheduler) })
        let subscription = program.observable(on: scheduler, feeds, allowance: allowance).watch(
            in: graph,
            receive: { value in
                guard !hasEnded else { return }
                bytesLeft = value.bytesLeft(of: bytesLeft)
                guard bytesLeft >= 0 else { return hasEnded = true }
                events.append((scheduler.now, .value(value)))
                guard events.count >= Limits.tryEvents else { return }
                hasEnded = true
                events.append((scheduler.now, .failure(StreamFailure("more than \(Limits.tryEvents) events are not told"))))
            },
            end: { end in
                guard !hasEnded else { return }
                hasEnded = true
                let event = Run.Event(end)
                if case .failure(let failure) = event, let value = failure.value { bytesLeft = value.bytesLeft(of: bytesLeft) }
                events.append((scheduler.now, event))
            })
        let last = Instant.zero + until
        while !hasEnded, let next = scheduler.next, next <= last { scheduler.advance(to: next) }
        subscription.cancel()
        if let excess = TrialExcess(of: allowance, bytesLeft: bytesLeft, at: scheduler.now) { throw excess }
        let drawing = Drawing(of: events, values)
        var answer = JSON.Object()
        answer["events"] = .array(events.map(Self.shown))
        answer["marble"] = drawing.map { .string($0.marble) } ?? .null
        answer["step"] = drawing.map { .number($0.step.seconds) } ?? .null
        if let named = drawing?.named, !named.isEmpty { answer["values"] = .object(named) }
        return .object(answer)
    }

    private static func shown(_ at: Instant, _ event: Run.Event) -> JSON {
        let time = JSON.number(at.seconds)
        return switch event {
        case .value(let value): ["at": time, "value": value]
        case .end: ["at": time, "end": true]
        case .failure(let failure): ["at": time, "error": failure.problem]
        }
    }
}

extension Trial {
    private static func readValues(_ value: JSON?, at place: Reading.Place, _ reading: inout Reading) -> [Character: JSON] {
        guard let value, let object = reading.object(value, at: place, "\"values\"") else { return [:] }
        var values: [Character: JSON] = [:]
        for member in object {
            guard let character = member.key.first, member.key.count == 1, !"-|#() ".contains(character) else {
                reading.note("a value is named by one character of a marble, none of - | # ( ) and space", at: place.appending(member.key))
                continue
            }
            values[character] = member.value
        }
        return values
    }

    private static func readUntil(_ value: JSON?, at place: Reading.Place, _ reading: inout Reading) -> Duration {
        guard let value else { return .seconds(Limits.trySecondsByDefault) }
        guard case .number(let seconds) = value, seconds >= 0, seconds <= Decimal(Limits.trySeconds) else {
            reading.note("\"until\" must be a number of seconds from 0 to \(Limits.trySeconds), not \(value.shown)", at: place)
            return .zero
        }
        return seconds.duration
    }

    private static func readInputs(
        _ value: JSON?, _ values: [Character: JSON], at place: Reading.Place, _ reading: inout Reading
    ) -> [String: Course] {
        guard let value, let object = reading.object(value, at: place, "\"inputs\"") else { return [:] }
        var inputs: [String: Course] = [:]
        for member in object { inputs[member.key] = Course(member.value, values: values, at: place.appending(member.key), &reading) }
        return inputs
    }

    /// What is to be played and is not among the inputs.
    private static func missing(_ named: [(name: String, pointer: JSONPointer)], in inputs: JSON?) -> [Fault] {
        var names: [String] = []
        if case .object(let object)? = inputs { names = object.map(\.key) }
        return named.filter { !names.contains($0.name) }.map { name, pointer in
            Fault("there is no input \"\(name)\" to be played", at: pointer, allowed: names)
        }
    }
}
