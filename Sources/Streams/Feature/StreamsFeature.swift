package import StateStore

extension Feature {
    /// Reactive pipelines as data: the actions `put` and `remove`, the view of all definitions, and a view of each
    /// stream that live views alone feed.
    package static func streams(_ formulas: Formulas = .cel) -> Feature {
        Feature(
            "streams", state: StreamsState.init,
            service: { StreamsService($0, $1, formulas) },
            viewModel: { StreamsViewModel($0, $1, formulas) }
        ).ofServer
    }
}
