public import StateStore

extension Feature {
    /// Reactive pipelines as data: `put` and `remove` of definitions, the view of all of them, and a view of each that is fed by live views alone.
    public static func streams(_ formulas: Formulas = .cel) -> Feature {
        Feature(
            "streams", state: StreamsState.init,
            service: { StreamsService($0, $1, formulas) },
            viewModel: { StreamsViewModel($0, $1, formulas) })
    }
}
