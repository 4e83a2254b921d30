/// A course of events drawn as a line of characters, each a unit of time: `-` for nothing, `|` for the completion, `#` for a failure, `(` and
/// `)` around what happens at the instant of the opening one, and any other for a value. Spaces are for the eye.
package struct Marble: Equatable {
    /// One event of the course.
    package enum Mark: Hashable {
        case value(Character)
        case completion
        case failure
    }

    /// Something wrong with a drawing.
    package enum DrawingError: Error, Equatable {
        /// A parenthesis without its other.
        case unpaired(position: Int)
        /// Something after the end.
        case afterEnd(position: Int)
    }

    /// The events, each with the number of units before it.
    package let events: [(at: Int, event: Mark)]

    /// The course that `drawing` shows.
    package init(_ drawing: String) throws(DrawingError) {
        var events: [(at: Int, event: Mark)] = []
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
                let event: Mark = character == "|" ? .completion : character == "#" ? .failure : .value(character)
                hasEnded = event == .completion || event == .failure
                events.append((group?.time ?? time, event))
            }
            time += 1
        }
        if let group { throw .unpaired(position: group.position) }
        self.events = events
    }

    /// A course of events in the order of their times.
    package init(events: [(at: Int, event: Mark)]) {
        self.events = events
    }

    /// The drawing of this course; where a group is followed so closely that there is no room for its parentheses, later events are drawn later.
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

extension Marble.Mark {
    /// How it is drawn.
    package var character: Character {
        switch self {
        case .value(let character): character
        case .completion: "|"
        case .failure: "#"
        }
    }
}
