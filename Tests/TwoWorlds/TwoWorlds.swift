import JSON
import ServiceInProcess

/// The run of a scenario in two worlds, which differ in nothing but the secrets.
package struct TwoWorlds {
    /// A difference between what eva got in the two worlds.
    package struct Difference: Sendable, CustomStringConvertible {
        package let road: String
        /// The request that got the answers, and its step.
        package let request: String
        package let step: Int
        /// The step that caused them.
        package let cause: String
        /// Its number.
        let causeNumber: Int
        package let answers: [String]

        /// The request, and the parts of both answers around the first place where they differ.
        package var description: String {
            var texts = answers.map { $0.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? "" }
            if texts[0] == texts[1] { texts = answers }
            let common = zip(texts[0].utf8, texts[1].utf8).prefix { $0 == $1 }.count
            let parts = texts.map { text in
                let start = max(0, common - Self.partBytes / 4)
                let part = String(decoding: text.utf8.dropFirst(start).prefix(Self.partBytes), as: UTF8.self)
                return part.split(whereSeparator: \.isNewline).joined(separator: " | ")
            }
            return """
                \(road)
                  request of step \(step): \(request.prefix(Self.partBytes))
                  at the step: \(cause.prefix(Self.partBytes))
                  first world:  \(answers[0].prefix { !$0.isNewline }) … \(parts[0])
                  second world: \(answers[1].prefix { !$0.isNewline }) … \(parts[1])
                """
        }

        private static let partBytes = 600
    }

    private let scenario: Scenario
    /// The differences that eva saw, in order.
    package private(set) var differences: [Difference] = []
    /// The roads on which mia saw one, in a space that eva reads.
    package private(set) var shownRoads: Set<String> = []
    /// The roads of eva's requests, and the names of their parameters by road.
    package private(set) var askedRoads: [String: Set<String>] = [:]
    /// The number of answers that were compared.
    package private(set) var comparedCount = 0
    /// The views that the server refused, of all.
    package private(set) var refusedViews: [String] = []
    package private(set) var viewsCount = 0
    /// The steps of others after which the worlds had other versions or statuses. Eva can see that.
    package private(set) var divergences: [String] = []
    /// The statuses of eva's answers.
    package private(set) var statuses: [String: Int] = [:]

    /// Runs a scenario.
    package init(_ scenario: Scenario) throws {
        self.scenario = scenario
        let worlds = [try World(0, scenario), try World(1, scenario)]
        for step in scenario.steps {
            if case .deploy(let plan, let edition) = step.work {
                try deploy(plan, edition, step, worlds)
                continue
            }
            note(step)
            let first = try worlds[0].perform(step, worlds[0].answers)
            let second = try worlds[1].perform(step, worlds[0].answers)
            compare(first, second, step)
            if !step.isControl { noteDeliveries(first, second) }
            noteDivergence(first, second, step)
        }
    }

    /// Runs the scenario of a seed.
    package static func run(seed: UInt64, standing: Standing? = nil, hazards: Hazards = .all) throws -> TwoWorlds {
        try TwoWorlds(Scenario(seed: seed, standing: standing, hazards: hazards))
    }

    private mutating func note(_ step: Step) {
        let message: Message
        switch step.work {
        case .send(let sent): message = sent
        case .open(let opened): message = opened
        default: return
        }
        guard message.by == .eva else { return }
        let query = message.line.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let names = query.split(separator: "&").map { String($0.prefix { $0 != "=" }) }
        askedRoads[message.road, default: []].formUnion(names)
    }

    // MARK: Deployment

    /// Puts a document, without the views that the server refuses: the check is not about what a document may say.
    private mutating func deploy(_ plan: DocumentPlan, _ edition: Int, _ step: Step, _ worlds: [World]) throws {
        var plan = plan
        viewsCount += plan.views.count
        for _ in 0..<6 {
            let text = plan.json(edition: edition).text
            let answers = try worlds.map { try $0.deploy(text, named: plan.name, step: step.number, [:]) }
            if answers[0].contains(" 200 ") || answers[0].contains(" 201 ") { break }
            let refused = plan.views.filter { answers[0].contains("/views/\($0.name)") }
            guard !refused.isEmpty else {
                refusedViews.append("\(plan.name): \(answers[0])")
                break
            }
            refusedViews += refused.map { "\($0.content) \(answers[0].split(separator: "\r\n").last ?? "")" }
            plan.views.removeAll { view in refused.contains { $0.name == view.name } }
        }
        let first = try worlds[0].perform(step, [:])
        compare(first, try worlds[1].perform(step, [:]), step)
    }

    // MARK: Comparison

    private mutating func compare(_ first: [World.Received], _ second: [World.Received], _ step: Step) {
        let person: Person = step.isControl ? .mia : .eva
        let (first, second) = (Self.joined(first, by: person), Self.joined(second, by: person))
        let keys = first.map(\.key) + second.map(\.key).filter { key in !first.contains { $0.key == key } }
        for key in keys {
            let (one, other) = (first.first { $0.key == key }, second.first { $0.key == key })
            guard let known = (one ?? other)?.received else { continue }
            let texts = [Self.normalized(one?.text ?? "nothing"), Self.normalized(other?.text ?? "nothing")]
            comparedCount += 1
            if person == .eva, known.road != Road.deliveries.name {
                statuses["\(known.road) \(texts[0].dropFirst(9).prefix(3))", default: 0] += 1
            }
            guard texts[0] != texts[1] else { continue }
            if person == .mia {
                shownRoads.insert(known.road)
            } else {
                differences.append(
                    Difference(
                        road: known.road, request: known.request, step: known.step, cause: "\(step)",
                        causeNumber: step.number, answers: texts))
            }
        }
    }

    /// Notes that what mia's hooks delivered differs.
    private mutating func noteDeliveries(_ first: [World.Received], _ second: [World.Received]) {
        let texts = [first, second].map { all in
            all.filter { $0.by == .mia && $0.road == Road.deliveries.name }.map(\.text)
        }
        if texts[0] != texts[1] { shownRoads.insert(Road.deliveries.name) }
    }

    private mutating func noteDivergence(_ first: [World.Received], _ second: [World.Received], _ step: Step) {
        guard !step.isControl, case .send(let message) = step.work, message.by != .eva, message.line.hasPrefix("P"),
            let one = first.first(where: { $0.step == step.number }),
            let other = second.first(where: { $0.step == step.number })
        else { return }
        let heads = [one.text, other.text].map { text in
            text.prefix(12) + (text.firstRange(of: "\"version\":").map { text[$0.upperBound...].prefix(4) } ?? "")
        }
        if heads[0] != heads[1] { divergences.append("\(step): \(heads[0]) and \(heads[1])") }
    }

    private struct Keyed {
        let key: String
        let received: World.Received
        var text: String
    }

    /// What a person got, once for each request.
    private static func joined(_ all: [World.Received], by person: Person) -> [Keyed] {
        var found: [Keyed] = []
        for received in all where received.by == person {
            let key = "\(received.step) \(received.road) \(received.request)"
            if let index = found.firstIndex(where: { $0.key == key }) {
                found[index].text += received.text
            } else {
                found.append(Keyed(key: key, received: received, text: received.text))
            }
        }
        return found
    }

    /// Returns an answer without the parts that differ by chance: the time of day, the number of the server in the ids of
    /// requests, the time to reconnect after, the figures of the process, and the texts that stand for hidden names in lists
    /// of spaces. The size of a space's state is shown by design.
    private static func normalized(_ text: String) -> String {
        text.replacing(/Date: [^\r\n]*/, with: "Date: #")
            .replacing(/X-Request-Id: [0-9a-f]+-/, with: "X-Request-Id: #-")
            .replacing(/retry: [0-9]+/, with: "retry: #")
            .replacing(/"stream":"[A-Za-z0-9_.-]+"/, with: "\"stream\":\"#\"")
            .replacing(/(process_[a-z_]+|headwater_commit_seconds_sum) [0-9.e+-]+/, with: { "\($0.output.1) #" })
            .replacing(/after=~[0-9a-f]+/, with: "after=~#")
            .replacing(/"bytes":[0-9]+/, with: "\"bytes\":#")
    }
}

extension Scenario {
    /// A random scenario. Without a standing, the seed decides that too.
    package init(seed: UInt64, standing: Standing? = nil, hazards: Hazards = .all) {
        var writer = ScenarioWriter(seed: seed, standing: standing, hazards: hazards)
        self = writer.scenario()
    }
}
