package import JSON
import Reactive
package import StateModel

/// The part that a stream can play in a space.
enum StreamRole: Sendable, Equatable {
    /// It has other sources than live views: it only runs.
    case fed
    /// It has an operator or a source for runs only.
    case run(operator: String)
    /// It is a view, whose value follows from the present values of its sources.
    case view
    /// It is a view that remembers.
    case remembering
}

extension StreamProgram {
    /// The part that the stream can play.
    var role: StreamRole {
        guard isLive else { return .fed }
        let pipelines = [main.pipeline] + definitions.values.map(\.pipeline)
        if let name = pipelines.lazy.compactMap(\.operatorForRuns).first { return .run(operator: name) }
        return pipelines.contains(where: \.remembers) ? .remembering : .view
    }

    /// True if a space can keep the stream when views take the place of its inputs.
    var canBeKept: Bool {
        ([main.pipeline] + definitions.values.map(\.pipeline)).allSatisfy { $0.operatorForRuns == nil && !$0.hasItems }
    }

    /// True if the stream is a view that remembers.
    package var remembers: Bool { role == .remembering }

    /// The reasons that a feature cannot show the program as a view; empty for a view. `pointer` is the place of the view.
    package func faults(asViewAt pointer: JSONPointer) -> [DefinitionFault] {
        switch role {
        case .fed:
            [
                DefinitionFault(
                    "items are no source of a view, because it would not always have a value: name a view",
                    at: pointer.appending("source"),
                    allowed: ["view", "fold", "merge", "append", "zip", "combineLatest"])
            ]
        case .run(let name):
            [
                DefinitionFault(
                    "\(name) is for runs of streams only, so no view can have it", at: pointer.appending("operators"))
            ]
        case .view: []
        case .remembering: hasty.map { DefinitionFault(Self.hastyWords, at: $0) }
        }
    }

    /// The fault of a duration that is too short for a view.
    static let hastyWords =
        "\"seconds\" must be at least 0.1 in a stream that is a view: a view changes by time ten times a second at most"

    /// The sources of the program in its space.
    package var derivation: ViewDerivation {
        let parts = ([main.pipeline] + definitions.values.map(\.pipeline)).flatMap(\.parts)
        let actions = parts.flatMap { part -> [String] in
            if case .source(.changes(let fold)) = part { Array(fold.actions) } else { [] }
        }
        return ViewDerivation(views: views, actions: Set(actions))
    }

    /// True if time alone can change what the stream delivers.
    var changesByTime: Bool {
        ([main.pipeline] + definitions.values.map(\.pipeline)).flatMap(\.parts).contains { part in
            if case .step(let step) = part { step.duration != nil } else { false }
        }
    }

    /// Returns true if commits of features feed the stream of which `isOne` is true, by name.
    package func readsCommits(ofFeatures isOne: (String) -> Bool) -> Bool {
        derivation.actions.contains { isOne(String($0.prefix { $0 != "/" })) }
    }

    /// The places of the operators of the definition that wait for less time than a view can.
    var hasty: [JSONPointer] {
        main.pipeline.parts.compactMap { part in
            guard case .step(let step) = part, let duration = step.duration,
                duration < .milliseconds(StreamLimits.viewMilliseconds)
            else { return nil }
            return step.pointer.appending("seconds")
        }
    }
}

/// An operator or a source of a pipeline, with which its role is found.
private enum PipelinePart {
    case step(Operator)
    case source(PipelineSource)
}

extension Pipeline {
    /// True if an operator or a source remembers.
    var remembers: Bool {
        parts.contains { part in
            switch part {
            case .step(let step): !step.isStateless
            case .source(.changes): true
            case .source(.joined(let joining, _)): joining != .combineLatest
            case .source: false
            }
        }
    }

    /// The name of the first operator or source that is for runs only.
    fileprivate var operatorForRuns: String? {
        for part in parts {
            switch part {
            case .step(let step) where step.stage == nil: return step.name
            case .source(.joined(.flatMap, _)): return PipelineSource.Joining.flatMap.rawValue
            default: break
            }
        }
        return nil
    }

    /// True if a source is a list of items.
    fileprivate var hasItems: Bool {
        parts.contains { if case .source(.items) = $0 { true } else { false } }
    }

    /// All operators and sources.
    fileprivate var parts: [PipelinePart] {
        source.parts + operators.flatMap { [.step($0)] + ($0.inner?.parts ?? []) }
    }
}

extension PipelineSource {
    fileprivate var parts: [PipelinePart] {
        switch self {
        case .inline(let pipeline): pipeline.parts
        case .joined(_, let sources): [.source(self)] + sources.flatMap(\.parts)
        default: [.source(self)]
        }
    }
}
