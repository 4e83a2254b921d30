import JSON
import Reactive

/// What an input delivers, and when: played from each subscription on.
struct Course: Sendable {
    /// One thing that happens, so long after the beginning.
    struct Event: Sendable {
        let after: Duration
        let event: Run.Event
    }

    let events: [Event]

    /// The observable that plays it. All its alarms are set when it begins, in their order.
    func observable(on scheduler: any Scheduler) -> Observable<JSON> {
        Observable { output in
            output.statefulness = .never
            for one in events {
                output.after(one.after, on: scheduler) {
                    switch one.event {
                    case .value(let value): output.emit(value)
                    case .end: output.finish(.completed)
                    case .failure(let failure): output.finish(.failed(failure))
                    }
                }
            }
        }
    }
}

extension Course {
    /// Reads a course: a list of events, or a marble whose characters may stand for values.
    init?(_ value: JSON, values: [Character: JSON], at place: Reading.Place, _ reading: inout Reading) {
        switch value {
        case .string(let drawing): self.init(drawing: drawing, values, at: place, &reading)
        case .array(let elements): self.init(elements, at: place, &reading)
        default:
            reading.note("an input is a list of events or a marble, not \(value.kind.words)", at: place)
            return nil
        }
    }

    private init?(drawing: String, _ values: [Character: JSON], at place: Reading.Place, _ reading: inout Reading) {
        guard drawing.utf8.count <= Limits.inputEvents else {
            reading.note("a marble has \(Limits.inputEvents) characters at the most", at: place)
            return nil
        }
        do throws(Marble.DrawingError) {
            events = try Marble(drawing).events.map { at, event in
                let told: Run.Event =
                    switch event {
                    case .value(let character): .value(values[character] ?? .string(String(character)))
                    case .completion: .end
                    case .failure: .failure(StreamFailure("the input failed"))
                    }
                return Event(after: .seconds(at), event: told)
            }
        } catch {
            let words =
                switch error {
                case .unpaired(let position): "the parenthesis at character \(position + 1) stands without its other"
                case .afterEnd(let position): "something comes after the end, at character \(position + 1)"
                }
            reading.note("the marble cannot be read: \(words)", at: place)
            return nil
        }
    }

    private init?(_ elements: [JSON], at place: Reading.Place, _ reading: inout Reading) {
        guard elements.count <= Limits.inputEvents else {
            reading.note("an input has \(Limits.inputEvents) events at the most, not \(elements.count)", at: place)
            return nil
        }
        let read = elements.enumerated().compactMap { Event($1, at: place.appending($0), &reading) }
        guard read.count == elements.count else { return nil }
        // What happens at the same time happens in the order in which it is listed.
        events = read.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element)
    }
}

extension Course.Event {
    private static let kinds = ["value", "end", "error"]

    init?(_ value: JSON, at place: Reading.Place, _ reading: inout Reading) {
        guard let object = reading.object(value, at: place, "an event") else { return nil }
        reading.refuseOthers(in: object, than: ["at"] + Self.kinds, at: place)
        guard let at = object["at"] else {
            reading.note("the event has no \"at\", the seconds from the beginning", at: place.appending("at"))
            return nil
        }
        guard case .number(let seconds) = at, seconds >= 0, seconds <= Decimal(Limits.trySeconds) else {
            reading.note("\"at\" must be a number of seconds from 0 to \(Limits.trySeconds), not \(at.shown)", at: place.appending("at"))
            return nil
        }
        after = seconds.duration
        switch (object["value"], object["end"], object["error"]) {
        case (let value?, nil, nil): event = .value(value)
        case (nil, .bool(true)?, nil): event = .end
        case (nil, nil, .string(let why)?): event = .failure(StreamFailure(why))
        case (nil, _?, nil):
            reading.note("\"end\" can only be true", at: place.appending("end"))
            return nil
        case (nil, nil, _?):
            reading.note("\"error\" must be a string that says why", at: place.appending("error"))
            return nil
        default:
            reading.note("an event is one of \"value\", \"end\" and \"error\"", at: place, allowed: Self.kinds)
            return nil
        }
    }
}
