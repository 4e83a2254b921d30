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

    /// The versions that a tag names, or that a value is of; nil where it says nothing of one.
    package struct Versions: Hashable, Sendable, CustomStringConvertible {
        package var version: Int?
        package var common: Int?

        package init(_ version: Int?, _ common: Int? = nil) {
            (self.version, self.common) = (version, common)
        }

        package var description: String {
            [version, common].map { $0.map { "\($0)" } ?? "-" }.joined(separator: ".")
        }
    }

    /// What a client was shown of a space: values that say of which versions they are, and the versions beside them.
    package struct Shown: Hashable, Sendable {
        /// The client, which moves between the nodes and does one thing after the other.
        package let client: String
        package let space: String
        /// The kind of request, and the node, for messages.
        package let place: String
        package let begin: Int64
        package let versions: Versions
        /// The versions that the request has named.
        package let asked: Versions
        /// True for a fresh read.
        package let isFresh: Bool
        /// The versions that the values are of, by the name of the view.
        package let values: [String: Versions]

        package init(
            client: String, space: String, place: String, begin: Int64, versions: Versions,
            asked: Versions = Versions(nil), isFresh: Bool = true, values: [String: Versions]
        ) {
            (self.client, self.space, self.place, self.begin) = (client, space, place, begin)
            (self.versions, self.asked, self.isFresh, self.values) = (versions, asked, isFresh, values)
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
    /// What a client was shown, in an answer or an event.
    case show(Shown)
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
        func versions(_ json: JSON?) throws -> Versions {
            guard let json, json != .null else { return Versions(nil) }
            guard case .array(let pair) = json, pair.count == 2 else { throw HistoryFault("no versions in \(line)") }
            return Versions(whole(pair[0]).map { Int($0) }, whole(pair[1]).map { Int($0) })
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
        case "show":
            var values: [String: Versions] = [:]
            if case .object(let members)? = json["values"] {
                for member in members { values[member.key] = try versions(member.value) }
            }
            self = .show(
                Shown(
                    client: try text("client"), space: try text("space"), place: try text("place"),
                    begin: try number("begin"), versions: try versions(json["versions"]),
                    asked: try versions(json["asked"]), isFresh: json["fresh"] != .bool(false), values: values))
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
