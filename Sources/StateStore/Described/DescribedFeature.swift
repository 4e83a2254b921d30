import JSON
import Reactive

/// The definition of a feature that data describes.
final class DescribedDefinition: FeatureDefinition {
    let description: any FeatureDescription

    init(_ description: any FeatureDescription) {
        self.description = description
    }

    func outline(
        of feature: Feature, given: [FeatureInstance], _ views: SpaceViews
    ) throws(RegistrationFault) -> FeatureOutline {
        let name = feature.name
        let labels =
            description.state.map(\.label) + description.actions.map(\.label) + description.views.map(\.label)
        for label in labels where !Registry.isName(label) {
            throw RegistrationFault(
                "\(name) cannot have a variable, an action or a view called \"\(label)\": \(Registry.naming)")
        }
        var outline = FeatureOutline()
        outline.state = description.state.map { state in
            let schema: JSON =
                state.form.isTable ? ["type": "object", "additionalProperties": state.schema] : state.schema
            let type: any PersistentState.Type = state.form.isTable ? Table<String, JSON>.self : Variable<JSON>.self
            return FeatureOutline.StatePart(label: state.label, type: type, schema: schema)
        }
        outline.actions = description.actions.map {
            FeatureOutline.ActionPart(label: $0.label, input: $0.input, output: $0.output)
        }
        outline.hasActRule = description.actions.contains(where: \.hasRule)
        outline.views = try description.views.map { view throws(RegistrationFault) in
            FeatureOutline.ViewPart(
                label: view.label, value: view.value, form: try ViewForm.make("\(name).\(view.label)", view),
                access: ViewAccess(view: view.claims, rule: view.rule))
        }
        outline.canRemember = description.remembers
        return outline
    }

    func instance(
        of blueprint: FeatureBlueprint, given: [FeatureInstance], in space: FeatureSurroundings,
        replacing old: FeatureInstance?
    ) -> FeatureInstance {
        let states = zip(description.state, blueprint.variables).map { state, variable -> DescribedState in
            let kept = old?.state(named: variable.key)
            switch state.form {
            case .variable(let initial): return .variable(kept as? Variable<JSON> ?? Variable(initial))
            case .table: return .table(kept as? Table<String, JSON> ?? Table())
            }
        }
        let names = Dictionary(
            zip(description.given, given.map(\.forOthers)), uniquingKeysWith: { first, _ in first })
        return DescribedFeature(
            blueprint, description,
            DescribedSpace(name: space.name.description, state: states, given: names, views: space.views))
    }
}

extension ViewForm {
    /// The form of a described view, or the name of a parameter that it cannot have, with the reason.
    fileprivate static func make(_ name: String, _ view: ViewOutline) throws(RegistrationFault) -> ViewForm {
        var defaults = JSON.Object()
        if case .object(let properties)? = view.parameters?["properties"] {
            for property in properties { defaults[property.key] = property.value["default"] }
        }
        return ViewForm(
            name: name,
            parameters: try view.parameters.map { schema throws(RegistrationFault) in
                try parameters(of: name, schema, .object(defaults))
            } ?? [], isList: view.isList, normalize: view.normalize)
    }
}

/// A described feature in one space.
final class DescribedFeature: FeatureInstance {
    private let description: any FeatureDescription
    private let space: DescribedSpace
    private lazy var parts = description.parts(in: space)

    init(_ blueprint: FeatureBlueprint, _ description: any FeatureDescription, _ space: DescribedSpace) {
        self.description = description
        self.space = space
        super.init(
            blueprint,
            variables: space.state.map { state -> any PersistentState in
                switch state {
                case .variable(let variable): variable
                case .table(let table): table
                }
            })
    }

    override func makeActions() -> [ActionClosures] { parts.actions.map(ActionClosures.init(performing:)) }

    override func makeViews() -> FeatureViews {
        let parts = parts
        let views = zip(description.views, parts.views).enumerated().map { index, view in
            DescribedView(
                view.0, view.1,
                needsParameters: blueprint.viewForms[blueprint.viewIndexes[view.0.label] ?? 0].needsParameters,
                personal: parts.personalViews[index],
                rule: view.0.rule.map { claims in
                    ReadRule(reading: claims.names) { viewer, parameters in
                        parts.rules[index]?(parameters, viewer) ?? .just(false)
                    }
                })
        }
        return FeatureViews(views)
    }

    override func makeEffects(_ outside: Outside) -> (any Effects)? { nil }

    override var rememberer: (any Rememberer)? { parts.rememberer }
}

extension ActionClosures {
    /// The closures of an action of a described feature.
    fileprivate convenience init(performing perform: @escaping DescribedParts.Perform) {
        func run(_ input: JSON, _ commit: inout Commit) throws(Rejection) {
            guard let answer = try perform(input, &commit) else { return }
            do throws(JSONError) {
                commit.result = try answer.json()
            } catch {
                throw Rejection(.invalid, "the answer cannot be written: \(error.reason)")
            }
        }
        self.init(
            run: { bytes, commit throws(Rejection) in
                let input: JSON
                do throws(JSONError) {
                    input = try bytes.map { bytes throws(JSONError) in try JSON(parsing: bytes) } ?? [:]
                } catch {
                    throw Rejection(error)
                }
                try run(input, &commit)
            }, runTree: { input, commit throws(Rejection) in try run(input, &commit) })
    }
}

/// A view of a described feature in one space.
private final class DescribedView: StoredView {
    private let outline: ViewOutline
    private let make: DescribedParts.MakeView
    private let needsParameters: Bool
    /// The view for the defaults of all parameters.
    private(set) lazy var view: (any View)? =
        needsParameters || personal != nil ? nil : plain(((try? outline.normalize([:])) ?? [:]))
    /// Makes the view for a viewer; nil if it is the same for all.
    private let personal: DescribedParts.MakePersonalView?
    let rule: ReadRule?

    init(
        _ outline: ViewOutline, _ make: @escaping DescribedParts.MakeView, needsParameters: Bool,
        personal: DescribedParts.MakePersonalView?, rule: ReadRule?
    ) {
        (self.outline, self.make, self.needsParameters) = (outline, make, needsParameters)
        (self.personal, self.rule) = (personal, rule)
    }

    var claims: ClaimSet? { outline.claims }

    private func plain(_ parameters: JSON) -> any View {
        switch make(parameters) {
        case .value(let values): values
        case .list(let rows): rows
        }
    }

    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View {
        Self.view(of: make(instance.parameters), instance, named: view, key)
    }

    func view(
        of instance: ViewForm.Instance, for viewer: Viewer, named view: String, _ key: DigestKey
    ) throws(JSONError) -> any View {
        guard let personal else { return try self.view(of: instance, named: view, key) }
        return Self.view(of: personal(instance.parameters, viewer), instance, named: view, key)
    }

    private static func view(
        of values: DescribedValues, _ instance: ViewForm.Instance, named view: String, _ key: DigestKey
    ) -> any View {
        switch values {
        case .value(let values): instance.window.map { values.windowed($0, of: view, key) } ?? values
        case .list(let rows): instance.window.map { rows.windowed($0, of: view, key) } ?? rows
        }
    }
}
