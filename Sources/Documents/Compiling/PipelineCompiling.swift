import JSON
import Schemas
import StateModel
import Streams

/// The compiler of the views of one document that are pipelines.
struct PipelineCompiler {
    private let document: FeatureDocument
    private let faulty: FaultyParts
    /// The features that the document is given. One with faults is missing.
    private let given: [FeatureSummary]
    private let names: Set<String>
    private(set) var faults = FaultList()

    init(_ document: FeatureDocument, _ faulty: FaultyParts, given: [FeatureSummary]) {
        (self.document, self.faulty, self.given) = (document, faulty, given)
        names = Set(document.views.filter { $0.form.pipeline != nil }.map { "\(document.name).\($0.name)" })
    }

    /// Compiles the pipelines, by the names of their views. `others` is the number of remembering views that other
    /// documents of the same home have.
    mutating func views(besides others: Int) -> [String: PipelineView] {
        var definitions: [String: StreamDefinition] = [:]
        for part in document.views {
            guard let object = part.form.pipeline else { continue }
            let name = "\(document.name).\(part.name)"
            do throws(DefinitionFaults) {
                definitions[name] = try StreamDefinition(view: name, object, beside: names, at: part.pointer)
            } catch {
                add(error.all)
            }
        }
        guard definitions.count == names.count else { return [:] }
        var views: [String: PipelineView] = [:]
        for part in document.views {
            guard let definition = definitions["\(document.name).\(part.name)"] else { continue }
            checkActions(definition)
            let own = own(definition, part)
            do throws(DefinitionFaults) {
                let program = try StreamProgram(definition, at: part.pointer) { definitions[$0] }
                add(program.faults(asViewAt: part.pointer))
                let sources = foreign(definition)
                views[part.name] = PipelineView(
                    pipeline: ViewPipeline(part.name, program), own: own,
                    ruled: sources.compactMap { source in source.view.rule.map { (source.name, $0) } },
                    isKept: sources.allSatisfy(\.view.isKept), readsTime: sources.contains(where: \.view.readsTime),
                    showsPrivate: sources.contains(where: \.view.showsPrivate),
                    hiddenPlaces: sources.reduce(into: []) { $0.formUnion($1.view.hiddenPlaces) })
            } catch {
                add(error.all)
            }
        }
        checkMemories(views, others)
        return views
    }

    private mutating func add(_ found: [DefinitionFault]) {
        for fault in found where !faults.all.contains(where: { $0.pointer == fault.pointer }) {
            faults.add(fault.description, at: fault.pointer, allowed: fault.allowed)
        }
    }

    private mutating func checkMemories(_ views: [String: PipelineView], _ others: Int) {
        let count = views.values.count(where: \.remembers)
        if count > 0, count + others > DocumentLimits.pipelines {
            faults.add(
                "the documents of a home have at most \(DocumentLimits.pipelines) views that remember",
                at: JSONPointer(["views"]))
        }
        if !document.schedules.isEmpty, let view = views["schedules"], view.remembers {
            faults.add(
                "the schedules of the feature remember under this name: call the view otherwise",
                at: JSONPointer(["views", "schedules"]))
        }
    }

    // MARK: Sources

    private mutating func checkActions(_ definition: StreamDefinition) {
        for (name, pointer) in definition.actions {
            let feature = String(name.prefix { $0 != "/" })
            if feature == document.name {
                let actions = document.actions.map { "\(feature)/\($0.name)" }
                let label = String(name.dropFirst(feature.count + 1))
                if !actions.contains(name), !faulty.contains(label, in: "actions") {
                    faults.unknown("action", name, actions, at: pointer)
                }
            } else if let other = given.first(where: { $0.name == feature && $0.scope == document.home }) {
                let actions = other.actions.map { "\(feature)/\($0)" }
                if !actions.contains(name) {
                    faults.unknown("action", name, actions, at: pointer)
                } else if other.hasRules {
                    faults.add(
                        "\(feature) has rules, so its commits show nothing without the right admin", at: pointer)
                }
            } else if !isMissing(feature, of: document.given) {
                faults.add(
                    "\(name.prefix(64)) is no action of this feature or of a given one with the same home",
                    at: pointer, allowed: document.actions.map { "\(document.name)/\($0.name)" })
            }
        }
    }

    /// True for a given feature whose document has faults.
    private func isMissing(_ feature: String, of names: [WrittenName]) -> Bool {
        names.contains { $0.name == feature } && !given.contains { $0.name == feature }
    }

    /// Returns the views of the same feature that feed a pipeline, and notes those that do not exist.
    private mutating func own(
        _ definition: StreamDefinition, _ part: WrittenView
    ) -> [(label: String, parameters: JSON)] {
        var own: [(label: String, parameters: JSON)] = []
        for (name, pointer) in definition.views {
            let (feature, label, pairs) = Self.parts(of: name)
            guard feature == document.name else { continue }
            guard let view = document.views.first(where: { $0.name == label }) else {
                if !faulty.contains(label, in: "views") {
                    faults.unknown("view", "\(feature).\(label)", allViews, at: pointer)
                }
                continue
            }
            if let parameters = parameters(pairs, of: view, at: pointer) { own.append((label, parameters)) }
        }
        return own
    }

    /// Returns the views of given features that feed a pipeline, and notes those that cannot.
    private mutating func foreign(
        _ definition: StreamDefinition
    ) -> [(name: String, view: FeatureSummary.ViewPart)] {
        var found: [(name: String, view: FeatureSummary.ViewPart)] = []
        for (name, pointer) in definition.views {
            let (feature, label, pairs) = Self.parts(of: name)
            guard feature != document.name, !isMissing(feature, of: document.given) else { continue }
            let views = given.first { $0.name == feature }?.views ?? []
            guard let view = views.first(where: { $0.label == label }) else {
                faults.unknown("view", "\(feature).\(label)", allViews, at: pointer)
                continue
            }
            if view.isPersonal {
                faults.add("\(feature).\(label) depends on its reader, so it is no source", at: pointer)
            }
            check(pairs.map(\.name), of: "\(feature).\(label)", view.parameters, at: pointer)
            found.append((name, view))
        }
        return found
    }

    /// The views that can be a source.
    private var allViews: [String] {
        document.views.map { "\(document.name).\($0.name)" }
            + given.flatMap { feature in feature.views.map { "\(feature.name).\($0.label)" } }
    }

    private static func parts(
        of name: String
    ) -> (feature: String, label: String, pairs: [(name: String, value: String)]) {
        let view = ViewKey(name)
        return (view.feature, view.label, view.query.flatMap { QueryText.pairs($0) } ?? [])
    }

    private mutating func check(
        _ names: [String], of view: String, _ parameters: (all: [String], required: [String]), at pointer: JSONPointer
    ) {
        let place = JSONPointer(pointer.tokens.dropLast() + ["parameters"])
        for name in names where !parameters.all.contains(name) {
            faults.add("\(view) has no parameter \(name)", at: place.appending(name), allowed: parameters.all)
        }
        for name in parameters.required where !names.contains(name) {
            faults.add("\(view) needs the parameter \(name)", at: place)
        }
    }

    /// Returns the parameters of a view of the same feature, with all defaults; nil with a fault if they do not fit.
    private mutating func parameters(
        _ pairs: [(name: String, value: String)], of view: WrittenView, at pointer: JSONPointer
    ) -> JSON? {
        let count = faults.all.count
        check(
            pairs.map(\.name), of: "\(document.name).\(view.name)",
            (view.parameters.map(\.name), view.parameters.filter(\.isRequired).map(\.name)), at: pointer)
        guard case .object(var object) = view.defaults else { return nil }
        for parameter in view.parameters {
            guard let text = pairs.first(where: { $0.name == parameter.name })?.value else { continue }
            var value = JSON.string(text)
            // A text that is not JSON stays a text, and its fault follows.
            if parameter.schema.fault(in: value) != nil, let other = try? JSON(parsing: Array(text.utf8)) {
                value = other
            }
            if let fault = parameter.schema.fault(in: value) {
                faults.add(
                    fault.description, at: JSONPointer(pointer.tokens.dropLast() + ["parameters", parameter.name]),
                    allowed: fault.allowed)
            }
            object[parameter.name] = value
        }
        return faults.all.count == count ? .object(object) : nil
    }
}

extension WrittenView.WrittenViewForm {
    /// The source and the operators; nil for a view of another form.
    var pipeline: JSON.Object? {
        guard case .pipeline(let json) = self else { return nil }
        var object = JSON.Object()
        for member in ["source", "operators"] { object[member] = json[member] }
        return object
    }
}
