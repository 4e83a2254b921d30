package import StateModel

extension Feature {
    /// Reactive pipelines as data: the actions `put` and `remove`, the view of all definitions, and a view of each
    /// stream that live views alone feed. With `hasExamples` every space starts with ten definitions, else with none.
    package static func streams(_ formulas: Formulas = .cel, hasExamples: Bool = false) -> Feature {
        var feature = Feature(
            "streams", state: { StreamsState(hasExamples ? ExampleStreams.definitions : [:]) },
            service: { StreamsService($0, $1, formulas) },
            viewModel: { StreamsViewModel($0, $1, formulas) }
        ).ofServer
        feature.defines = true
        return feature
    }
}
