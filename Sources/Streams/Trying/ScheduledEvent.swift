import JSON
import Reactive

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
