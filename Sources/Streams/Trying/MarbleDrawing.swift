import JSON
import Reactive

/// What a try has delivered, drawn as a marble.
struct MarbleDrawing {
    let marble: String
    /// For how long a character stands.
    let step: Duration
    /// The values for which letters had to be found, by those.
    let named: JSON.Object

    /// For how long a character may stand, the longest first.
    private static let steps: [Duration] = [.seconds(1), .milliseconds(100), .milliseconds(10), .milliseconds(1)]
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    /// The events in the longest steps in which each is at a whole one, and there is room for all. A value is drawn as the character that `values`
    /// has for it, as itself where it is one character, else as a letter that stands for nothing else; nil where there are too few of those, or
    /// too few characters for all the time.
    init?(of events: [(at: Instant, event: StreamEvent)], _ values: [Character: JSON]) {
        var characters: [JSON: Character] = [:]
        for (character, value) in values.sorted(by: { $0.key < $1.key }) where characters[value] == nil { characters[value] = character }
        let told = events.compactMap { if case .value(let value) = $0.event { value } else { nil } }
        var taken = Set(values.keys)
        for value in told where characters[value] == nil {
            guard let character = Self.character(of: value), taken.insert(character).inserted else { continue }
            characters[value] = character
        }
        var free = Self.letters.filter { !taken.contains($0) }[...]
        var named = JSON.Object()
        for value in told where characters[value] == nil {
            guard let letter = free.popFirst() else { return nil }
            characters[value] = letter
            named[String(letter)] = value
        }
        let drawn: [(at: Instant, event: Marble.MarbleEvent)] = events.map { at, event in
            switch event {
            case .value(let value): (at, characters[value].map { .value($0) } ?? .failure)
            case .end: (at, .completion)
            case .failure: (at, .failure)
            }
        }
        for step in Self.steps {
            guard let marble = Self.marble(of: drawn, step) else { continue }
            (self.marble, self.step, self.named) = (marble, step, named)
            return
        }
        return nil
    }

    private static func marble(of events: [(at: Instant, event: Marble.MarbleEvent)], _ step: Duration) -> String? {
        let unit = (Instant.zero + step).nanoseconds
        guard events.allSatisfy({ $0.at.nanoseconds % unit == 0 && $0.at.nanoseconds / unit < StreamLimits.marbleCharacters }) else { return nil }
        let marble = Marble(events: events.map { (Int($0.at.nanoseconds / unit), $0.event) })
        let drawing = marble.drawing
        // Where there was no room, it would say something else.
        guard drawing.count <= StreamLimits.marbleCharacters, let read = try? Marble(drawing), read == marble else { return nil }
        return drawing
    }

    /// The character that a value is by itself: a text of one, or a digit.
    private static func character(of value: JSON) -> Character? {
        let text: String? =
            switch value {
            case .string(let text): text
            case .number: value.description
            default: nil
            }
        guard let text, text.count == 1, let character = text.first, !"-|#() ".contains(character) else { return nil }
        return character
    }
}
