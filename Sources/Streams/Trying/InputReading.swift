import JSON
import Reactive

extension InputSchedule {
    /// Reads a list of events, or a marble whose characters may stand for values.
    init?(_ value: JSON, values: [Character: JSON], at place: DocumentPlace, _ reader: inout DefinitionReader) {
        switch value {
        case .string(let drawing): self.init(drawing: drawing, values, at: place, &reader)
        case .array(let elements): self.init(elements, at: place, &reader)
        default:
            reader.note("an input is a list of events or a marble, not \(value.kind.words)", at: place)
            return nil
        }
    }

    private init?(
        drawing: String, _ values: [Character: JSON], at place: DocumentPlace, _ reader: inout DefinitionReader
    ) {
        guard drawing.utf8.count <= StreamLimits.inputEvents else {
            reader.note("a marble has \(StreamLimits.inputEvents) characters at most", at: place)
            return nil
        }
        do throws(Marble.DrawingError) {
            self.init(
                try Marble(drawing).events.map { at, event in
                    let told: Event<JSON> =
                        switch event {
                        case .value(let character): .value(values[character] ?? .string(String(character)))
                        case .completion: .end(.completed)
                        case .failure: .end(.failed(StreamFailure("the input failed")))
                        }
                    return ScheduledEvent(after: .seconds(at), event: told)
                })
        } catch {
            let words =
                switch error {
                case .unpaired(let position): "the parenthesis at character \(position + 1) has no counterpart"
                case .afterEnd(let position): "nothing may come after the end, at character \(position + 1)"
                }
            reader.note("the marble cannot be read: \(words)", at: place)
            return nil
        }
    }

    private init?(_ elements: [JSON], at place: DocumentPlace, _ reader: inout DefinitionReader) {
        guard elements.count <= StreamLimits.inputEvents else {
            reader.note("an input has \(StreamLimits.inputEvents) events at most, not \(elements.count)", at: place)
            return nil
        }
        let read = elements.enumerated().compactMap { ScheduledEvent($1, at: place.appending($0), &reader) }
        guard read.count == elements.count else { return nil }
        // Events of the same time keep their order in the list.
        self.init(
            read.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }.map(\.element))
    }
}

extension ScheduledEvent {
    private static let kinds = ["value", "end", "error"]

    init?(_ value: JSON, at place: DocumentPlace, _ reader: inout DefinitionReader) {
        guard let object = reader.object(value, at: place, "an event") else { return nil }
        reader.refuseOthers(in: object, than: ["at"] + Self.kinds, at: place)
        guard let at = object["at"] else {
            reader.note("the event has no \"at\", the seconds from the beginning", at: place.appending("at"))
            return nil
        }
        guard case .number(let seconds) = at, seconds >= 0, seconds <= Decimal(StreamLimits.trialSeconds) else {
            reader.note(
                "\"at\" must be a number of seconds from 0 to \(StreamLimits.trialSeconds), not \(at.shown)",
                at: place.appending("at"))
            return nil
        }
        after = seconds.duration
        switch (object["value"], object["end"], object["error"]) {
        case (let value?, nil, nil): event = .value(value)
        case (nil, .bool(true)?, nil): event = .end(.completed)
        case (nil, nil, .string(let why)?): event = .end(.failed(StreamFailure(why)))
        case (nil, _?, nil):
            reader.note("\"end\" can only be true", at: place.appending("end"))
            return nil
        case (nil, nil, _?):
            reader.note("\"error\" must be a string: the reason", at: place.appending("error"))
            return nil
        default:
            reader.note("an event is one of \"value\", \"end\" and \"error\"", at: place, allowed: Self.kinds)
            return nil
        }
    }
}
