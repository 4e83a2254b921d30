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
            do throws(Faults) {
                let pointer = JSONPointer(["definition"])
                let definition = try Definition(document, formulas: formulas, mustHaveID: false, allowsInputs: true, at: pointer)
                faults += Self.missing(definition.inputs + definition.views, in: object["inputs"])
                program = try Program(definition, at: pointer, find: find)
            } catch {
                faults += error.all
            }
        } else {
            faults.append(Fault("there is no \"definition\" to be tried", at: JSONPointer(["definition"])))
        }
        guard faults.isEmpty, let program else { throw Faults(all: faults) }
        self.program = program
    }

    /// Runs it and tells what it delivered: `events`, each with the seconds at which it came, and the `marble` of them or null.
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
        return ["events": .array(events.map(Self.shown)), "marble": marble(of: events).map { .string($0) } ?? .null]
    }

    private static func shown(_ at: Instant, _ event: Run.Event) -> JSON {
        let time = JSON.number(at.seconds)
        return switch event {
        case .value(let value): ["at": time, "value": value]
        case .end: ["at": time, "end": true]
        case .failure(let failure): ["at": time, "error": failure.problem]
        }
    }

    /// The events as a marble, where each is at a whole second and a value that one character can stand for, and there is room for all.
    private func marble(of events: [(at: Instant, event: Run.Event)]) -> String? {
        var drawn: [(at: Int, event: Marble.Event)] = []
        for (at, event) in events {
            guard let second = at.seconds.int64, second < Limits.marbleCharacters else { return nil }
            switch event {
            case .value(let value):
                guard let character = character(for: value) else { return nil }
                drawn.append((Int(second), .value(character)))
            case .end: drawn.append((Int(second), .completion))
            case .failure: drawn.append((Int(second), .failure))
            }
        }
        let marble = Marble(events: drawn)
        let drawing = marble.drawing
        // Where there was no room, it would say something else.
        guard let read = try? Marble(drawing), read == marble else { return nil }
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
