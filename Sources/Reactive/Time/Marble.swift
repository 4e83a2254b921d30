/// A timeline of events drawn as characters, each one unit of time: `-` for nothing, `|` for completion, `#` for a
/// failure. `(` and `)` group events at the instant of the opening parenthesis. Any other character is a value. Spaces
/// are ignored.
package struct Marble: Equatable {
    /// One event of the timeline.
    package enum MarbleEvent: Hashable {
        case value(Character)
        case completion
        case failure
    }

    /// An error in a drawing.
    package enum DrawingError: Error, Equatable {
        /// A parenthesis without its counterpart.
        case unpaired(position: Int)
        /// An event after the end.
        case afterEnd(position: Int)
    }

    /// The events, each with its time in units.
    package let events: [(at: Int, event: MarbleEvent)]

    /// Parses a drawing.
    package init(_ drawing: String) throws(DrawingError) {
        var events: [(at: Int, event: MarbleEvent)] = []
        var time = 0
        var group: (position: Int, time: Int)?
        var hasEnded = false
        for (position, character) in drawing.enumerated() where character != " " {
            switch character {
            case "-": break
            case "(":
                guard group == nil else { throw .unpaired(position: position) }
                group = (position, time)
            case ")":
                guard group != nil else { throw .unpaired(position: position) }
                group = nil
            default:
                guard !hasEnded else { throw .afterEnd(position: position) }
                let event: MarbleEvent =
                    character == "|" ? .completion : character == "#" ? .failure : .value(character)
                hasEnded = event == .completion || event == .failure
                events.append((group?.time ?? time, event))
            }
            time += 1
        }
        if let group { throw .unpaired(position: group.position) }
        self.events = events
    }

    /// Creates a timeline from events in the order of their times.
    package init(events: [(at: Int, event: MarbleEvent)]) {
        self.events = events
    }

    /// The drawing of this timeline. If an event follows a group so closely that the parentheses leave no room, it is
    /// drawn later.
    package var drawing: String {
        var drawing = ""
        var index = events.startIndex
        while index < events.endIndex {
            let time = events[index].at
            let end = events[index...].firstIndex { $0.at != time } ?? events.endIndex
            while drawing.count < time { drawing.append("-") }
            let characters = events[index..<end].map(\.event.character)
            drawing += characters.count == 1 ? String(characters) : "(\(String(characters)))"
            index = end
        }
        return drawing
    }

    package static func == (one: Marble, other: Marble) -> Bool {
        one.events.elementsEqual(other.events) { $0 == $1 }
    }
}

extension Marble.MarbleEvent {
    /// The character for this event.
    package var character: Character {
        switch self {
        case .value(let character): character
        case .completion: "|"
        case .failure: "#"
        }
    }
}
