import JSON
import Reactive

/// The events of a trial, drawn as a marble.
struct MarbleDrawing {
    let marble: String
    /// The duration of a character.
    let step: Duration
    /// The values that are drawn as letters, by letter.
    let named: JSON.Object

    /// The possible durations of a character, the longest first.
    private static let steps: [Duration] = [.seconds(1), .milliseconds(100), .milliseconds(10), .milliseconds(1)]
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    /// Draws events in the longest step that puts each on a whole step and has room for all of them. A value is drawn
    /// as its character in `values`, as itself if it is one character, or as a free letter. Returns nil if there are
    /// too few letters, or if no step fits.
    init?(of events: [(at: Instant, event: StreamEvent)], _ values: [Character: JSON]) {
        var characters: [JSON: Character] = [:]
        for (character, value) in values.sorted(by: { $0.key < $1.key }) where characters[value] == nil {
            characters[value] = character
        }
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
        guard
            events.allSatisfy({
                $0.at.nanoseconds % unit == 0 && $0.at.nanoseconds / unit < StreamLimits.marbleCharacters
            })
        else { return nil }
        let marble = Marble(events: events.map { (Int($0.at.nanoseconds / unit), $0.event) })
        let drawing = marble.drawing
        // A drawing without room for its events would be read as other events.
        guard drawing.count <= StreamLimits.marbleCharacters, let read = try? Marble(drawing), read == marble else {
            return nil
        }
        return drawing
    }

    /// The character of a text of one character, or of a digit.
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
