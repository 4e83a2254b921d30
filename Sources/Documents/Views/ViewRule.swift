import Expressions
import JSON
import Reactive
import StateModel

/// The rules of one view: its own, that of the feature, and those of the views that it reads.
struct ViewRule: Sendable {
    /// The expressions. `parameters` are those of another view; nil for the parameters of the view itself.
    private(set) var all: [(expression: ExpressionView, parameters: JSON?)] = []
    /// The views of other features whose rules apply too, with the claims that these read.
    private(set) var others: [(name: String, claims: ClaimSet)] = []
    /// The given features whose rule applies too, with the claims that these read.
    private(set) var features: [(name: String, claims: ClaimSet)] = []

    /// True if there is no rule.
    var isEmpty: Bool { all.isEmpty && others.isEmpty && features.isEmpty }

    /// The claims that the rules read.
    var claims: ClaimSet {
        let read =
            all.compactMap { ClaimSet.read(by: [$0.expression.formula]) } + others.map(\.claims)
            + features.map(\.claims)
        return read.reduce(.none) { $0.union($1) }
    }

    /// The places of the rules of a view of a feature, for the log.
    func places(in feature: String) -> [String] {
        var places: [String] = []
        for (expression, _) in all {
            let place = "\(feature)#\(expression.formula.pointer)"
            if !places.contains(place) { places.append(place) }
        }
        return places + others.map(\.name)
    }

    /// The identities of the rules of a view of a feature, whose document is `json`.
    func guards(in feature: String, _ json: JSON) -> ViewGuards {
        var guards = ViewGuards()
        for (expression, parameters) in all {
            guards.own.insert(expression.identity(in: feature, json, parameters))
        }
        guards.views = Set(others.map { ViewKey($0.name) })
        guards.features = Set(features.map(\.name))
        return guards
    }

    mutating func add(_ expression: ExpressionView, parameters: JSON?) {
        if !all.contains(where: { $0.expression === expression && $0.parameters == parameters }) {
            all.append((expression, parameters))
        }
    }

    mutating func add(rulesOf name: String, reading claims: ClaimSet) {
        if !others.contains(where: { $0.name == name }) { others.append((name, claims)) }
    }

    mutating func add(ruleOfFeature name: String, reading claims: ClaimSet) {
        if !features.contains(where: { $0.name == name }) { features.append((name, claims)) }
    }

    /// Returns the answer in a space: true if all rules are. A rule that fails is false until what it reads changes.
    func answer(in space: DescribedSpace, _ parameters: JSON, _ viewer: Viewer) -> Observable<Bool> {
        let answers = all.map { rule in
            rule.expression.values(in: space, rule.parameters ?? parameters, viewer.caller.token, failing: false)
        }
        let own = answers.map { answer in answer.map { $0 == true } }
        let all =
            own + others.compactMap { space.views.answer(ofRulesOf: $0.name, for: viewer) }
            + features.compactMap { space.views.answer(ofRuleOfFeature: $0.name, for: viewer) }
        guard !all.isEmpty else { return .just(true) }
        return combineLatest(all).map { answers in answers.allSatisfy(\.self) }.removeDuplicates()
    }
}

extension ExpressionView {
    /// The identity of a rule of a feature, whose document is `json`: its place, and a digest of its text, of its
    /// parameters and of the views that it reads.
    func identity(in feature: String, _ json: JSON, _ parameters: JSON? = nil) -> String {
        var read: [String: JSON] = [:]
        var waiting = views.map(\.label)
        while let label = waiting.popLast() {
            guard read[label] == nil, let view = json["views"]?[label] else { continue }
            read[label] = view
            // A view names those that it reads in an expression or in a source.
            if case .object(let others)? = json["views"] { waiting += others.map(\.key).filter { view.mentions($0) } }
        }
        var writer = JSONWriter(depth: JSONReader.greatestDepthLimit)
        writer.object { writer in
            writer.field("rule", text)
            if let parameters { writer.field("parameters", parameters) }
            for label in read.keys.sorted() { writer.field(label, read[label] ?? .null) }
        }
        return "\(feature)#\(formula.pointer) \(Digest(writer.bytes).tag)"
    }
}

extension JSON {
    /// Returns true if a text of the value has a word.
    fileprivate func mentions(_ word: String) -> Bool {
        switch self {
        case .string(let text): text.contains(word)
        case .array(let elements): elements.contains { $0.mentions(word) }
        case .object(let object): object.contains { $0.value.mentions(word) }
        case .null, .bool, .number: false
        }
    }
}
