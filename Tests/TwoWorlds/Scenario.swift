import JSON

/// The parts of a scenario that can be left out, to say which of them a difference comes from.
package struct Hazards: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A write of a private member equals the stored value in one world only.
    package static let equalWrites = Hazards(rawValue: 1)
    /// Eva writes a guess of a private member.
    package static let guesses = Hazards(rawValue: 2)
    /// A member is made private by a later edition, or a feature gets a rule.
    package static let laterPrivate = Hazards(rawValue: 4)
    package static let laterClosed = Hazards(rawValue: 8)
    /// A later edition takes `private`, or a rule, away, after everything was replaced.
    package static let formerlyPrivate = Hazards(rawValue: 16)
    package static let formerlyClosed = Hazards(rawValue: 32)
    /// Eva defines streams over guarded views whose changes by time are commits.
    package static let timedStreams = Hazards(rawValue: 64)
    /// Streams over guarded views are defined anew over open ones, or deleted.
    package static let redefinitions = Hazards(rawValue: 128)
    /// The initial values of private members differ.
    package static let initialValues = Hazards(rawValue: 256)
    /// The texts of rules differ.
    package static let rules = Hazards(rawValue: 512)

    package static let all = Hazards(rawValue: 1023)
}

/// A request of a person. Its texts can have markers.
struct Message: Sendable {
    var by: Person
    /// The road of the request, as `GET /v1/spaces/{space}/views`.
    let road: String
    var line: String
    var fields: [(name: String, value: String)] = []
    var body = ""
    /// True if the request carries no token.
    var isAnonymous = false
}

/// A step of a scenario, which both worlds perform.
struct Step: Sendable {
    enum Work: Sendable {
        /// A request that is answered at once.
        case send(Message)
        /// A stream or a long poll, which stays open until the step with its number closes it.
        case open(Message)
        case close(Int)
        /// Root puts an edition of a document, without the views that the server refuses.
        case deploy(DocumentPlan, edition: Int)
        case advance(milliseconds: Int)
        /// The receivers answer the deliveries under way.
        case answerDeliveries(status: Int)
    }

    /// The number of the step, which markers name.
    let number: Int
    let work: Work
    /// True if the step asks what mia sees, to show that the road has a difference at all.
    var isControl = false
}

/// What two worlds do, step by step.
package struct Scenario: Sendable {
    /// The seed that it was made from.
    package let seed: UInt64
    /// The rights of eva.
    package let standing: Standing
    let secrets: SecretTable
    var steps: [Step]
    /// The name of a feature that only callers with rights may know. It differs between the worlds.
    let hiddenFeature: String
}

extension Scenario: CustomStringConvertible {
    /// The steps and the secrets.
    package var description: String {
        "seed \(seed), eva is a \(standing.rawValue)\n"
            + steps.filter { !$0.isControl }.map { "\($0)" }.joined(separator: "\n")
            + secrets.description(of: steps.map { "\($0)" }.joined())
    }
}

extension Message: CustomStringConvertible {
    var description: String {
        let fields = fields.map { " [\($0.name): \($0.value)]" }.joined()
        return "\(isAnonymous ? "nobody" : by.rawValue): \(line)\(fields)\(body.isEmpty ? "" : " \(body)")"
    }
}

extension Step: CustomStringConvertible {
    var description: String {
        let words =
            switch work {
            case .send(let message): "\(message)"
            case .open(let message): "\(message), which stays open"
            case .close(let number): "the client of step \(number) closes it"
            case .deploy(let plan, let edition):
                "root: PUT /v1/features/\(plan.name) \(plan.json(edition: edition).text)"
            case .advance(let milliseconds): "\(milliseconds) ms pass"
            case .answerDeliveries(let status): "the receivers of hooks answer \(status)"
            }
        return "\(number). \(words)"
    }
}

extension JSON {
    /// The value as JSON text.
    var text: String {
        do {
            return String(decoding: try json(), as: UTF8.self)
        } catch {
            preconditionFailure("a plan cannot be written as JSON: \(error)")
        }
    }
}
