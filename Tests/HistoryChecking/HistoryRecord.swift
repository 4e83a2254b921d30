import JSON

/// One observation of a client, in the order in which the clients made them. Times are of one clock.
package enum HistoryRecord: Hashable, Sendable {
    /// The outcome of an action as the client saw it.
    package enum Outcome: String, Hashable, Sendable {
        /// Answered with success: the commit is there once.
        case ok
        /// Answered with a problem that says that nothing was changed.
        case refused
        /// No answer, or one that says that the outcome is unknown.
        case unknown
    }

    /// The content of a space: how often it has each element, and the value of its register.
    package struct Content: Hashable, Sendable {
        package let version: Int
        package let elements: [String: Int]
        package let register: String?

        package init(version: Int, elements: [String: Int], register: String? = nil) {
            self.version = version
            self.elements = elements
            self.register = register
        }
    }

    /// The addition of an element, which no other operation adds. `version` is that of the answer.
    case add(space: String, element: String, begin: Int64, end: Int64, Outcome, version: Int?)
    /// A write of a register with a value, which no other operation writes.
    case write(space: String, value: String, begin: Int64, end: Int64, Outcome, version: Int?)
    /// A look at a space. A fresh one shows all that was answered before it began.
    case look(space: String, begin: Int64, end: Int64, isFresh: Bool, Content)
    /// An event of one stream: the version of the space that it shows.
    case event(stream: String, space: String, version: Int)
    /// A row of one reader of `changes`, which began after `since` of the first row.
    case change(reader: String, space: String, version: Int)
    /// A number that the outside has received from an effect.
    case effect(space: String, number: String)
    /// The content of a space on one node, at the end.
    case final(node: String, space: String, Content)

    /// Reads one line of JSON.
    package init(line: String) throws {
        let json = try JSON(parsing: Array(line.utf8))
        func text(_ name: String) throws -> String {
            guard case .string(let text)? = json[name] else { throw HistoryFault("no text \"\(name)\" in \(line)") }
            return text
        }
        func whole(_ json: JSON?) -> Int64? {
            if case .number(let number)? = json { number.int64 } else { nil }
        }
        func number(_ name: String) throws -> Int64 {
            guard let number = whole(json[name]) else { throw HistoryFault("no number \"\(name)\" in \(line)") }
            return number
        }
        func outcome() throws -> Outcome {
            guard let outcome = Outcome(rawValue: try text("outcome")) else {
                throw HistoryFault("no outcome in \(line)")
            }
            return outcome
        }
        func content() throws -> Content {
            var elements: [String: Int] = [:]
            if case .object(let members)? = json["elements"] {
                for member in members { elements[member.key] = Int(whole(member.value) ?? 0) }
            }
            var register: String?
            if case .string(let text)? = json["register"] { register = text }
            return Content(version: Int(try number("version")), elements: elements, register: register)
        }
        let version = whole(json["version"]).map { Int($0) }
        switch try text("op") {
        case "add":
            self = .add(
                space: try text("space"), element: try text("element"), begin: try number("begin"),
                end: try number("end"), try outcome(), version: version)
        case "write":
            self = .write(
                space: try text("space"), value: try text("value"), begin: try number("begin"), end: try number("end"),
                try outcome(), version: version)
        case "look":
            self = .look(
                space: try text("space"), begin: try number("begin"), end: try number("end"),
                isFresh: json["fresh"] != .bool(false), try content())
        case "event":
            self = .event(stream: try text("stream"), space: try text("space"), version: Int(try number("version")))
        case "change":
            self = .change(reader: try text("reader"), space: try text("space"), version: Int(try number("version")))
        case "effect": self = .effect(space: try text("space"), number: try text("number"))
        case "final": self = .final(node: try text("node"), space: try text("space"), try content())
        case let word: throw HistoryFault("no operation \"\(word)\"")
        }
    }
}

/// A line that is no observation.
package struct HistoryFault: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
