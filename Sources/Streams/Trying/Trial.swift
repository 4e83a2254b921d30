public import JSON
import Reactive

/// A definition that is tried: run in virtual time with the inputs that it is given, so that what it delivers in hours is known at once.
public struct Trial: Sendable {
    private let program: Program
    private let inputs: [String: Course]
    /// The values that characters of marbles stand for.
    private let values: [Character: JSON]
    private let until: Duration

    static let members = ["definition", "inputs", "until", "values"]

    /// Reads what is to be tried: `definition`, and perhaps `inputs`, `until` and `values`. `find` has the definitions that it may refer to. A view
    /// is played from the input of its name.
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
        if let document = object["definition"] {
            let pointer = JSONPointer(["definition"])
            let (definition, mentions, wrong) = Definition.read(
                document, formulas: formulas, mustHaveID: false, allowsInputs: true, at: pointer)
            faults += wrong
            faults.add(Self.missing(mentions.inputs + mentions.views, in: object["inputs"]))
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
    }

    /// Runs it and tells what it delivered: `events`, each with the seconds at which it came, the `marble` of them, and the `step` of that: for how
    /// many seconds a character stands. Both are null where it cannot be drawn.
    public func run() -> JSON {
        let scheduler = VirtualScheduler()
        let graph = Graph(order: .asItComes)
        var events: [(at: Instant, event: Run.Event)] = []
        var hasEnded = false
        let feeds = Feeds(view: { _ in nil }, input: { name, scheduler in inputs[name]?.observable(on: scheduler) })
        let subscription = program.observable(on: scheduler, feeds, steps: Limits.trySteps).watch(
            in: graph,
            receive: { value in
                guard !hasEnded else { return }
                events.append((scheduler.now, .value(value)))
                guard events.count >= Limits.tryEvents else { return }
                hasEnded = true
                events.append((scheduler.now, .failure(StreamFailure("more than \(Limits.tryEvents) events are not told"))))
            },
            end: { end in
                guard !hasEnded else { return }
                hasEnded = true
                events.append((scheduler.now, Run.Event(end)))
            })
        let last = Instant.zero + until
        while !hasEnded, let next = scheduler.next, next <= last { scheduler.advance(to: next) }
        subscription.cancel()
        let drawing = drawing(of: events)
        return [
            "events": .array(events.map(Self.shown)), "marble": drawing.map { .string($0.marble) } ?? .null,
            "step": drawing.map { .number($0.step.seconds) } ?? .null,
        ]
    }

    private static func shown(_ at: Instant, _ event: Run.Event) -> JSON {
        let time = JSON.number(at.seconds)
        return switch event {
        case .value(let value): ["at": time, "value": value]
        case .end: ["at": time, "end": true]
        case .failure(let failure): ["at": time, "error": failure.problem]
        }
    }

    /// For how long a character of a marble may stand, the longest first.
    private static let steps: [Duration] = [.seconds(1), .milliseconds(100), .milliseconds(10), .milliseconds(1)]

    /// The events as a marble in the longest steps in which each is at a whole one, and there is room for all; none where a character cannot stand
    /// for a value.
    private func drawing(of events: [(at: Instant, event: Run.Event)]) -> (marble: String, step: Duration)? {
        var drawn: [(at: Instant, event: Marble.Event)] = []
        for (at, event) in events {
            switch event {
            case .value(let value):
                guard let character = character(for: value) else { return nil }
                drawn.append((at, .value(character)))
            case .end: drawn.append((at, .completion))
            case .failure: drawn.append((at, .failure))
            }
        }
        for step in Self.steps {
            if let marble = Self.marble(of: drawn, step) { return (marble, step) }
        }
        return nil
    }

    private static func marble(of events: [(at: Instant, event: Marble.Event)], _ step: Duration) -> String? {
        let unit = (Instant.zero + step).nanoseconds
        guard events.allSatisfy({ $0.at.nanoseconds % unit == 0 && $0.at.nanoseconds / unit < Limits.marbleCharacters }) else { return nil }
        let marble = Marble(events: events.map { (Int($0.at.nanoseconds / unit), $0.event) })
        let drawing = marble.drawing
        // Where there was no room, it would say something else.
        guard drawing.count <= Limits.marbleCharacters, let read = try? Marble(drawing), read == marble else { return nil }
        return drawing
    }

    /// The character that stands for a value: one of `values`, a text of one character, or a digit.
    private func character(for value: JSON) -> Character? {
        if let known = values.filter({ $0.value == value }).map(\.key).min() { return known }
        let text: String? =
            switch value {
            case .string(let text): text
            case .number: value.description
            default: nil
            }
        guard let text, text.count == 1, let character = text.first, !"-|#() ".contains(character), values[character] == nil else {
            return nil
        }
        return character
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
