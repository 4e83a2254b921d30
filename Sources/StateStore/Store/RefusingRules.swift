import Reactive

extension Store {
    /// Calls `body` with the place of the rule that does not allow a reader a view: that of its feature if it is false, or
    /// that of the view; nil if the view has none.
    package func findRule(
        refusing view: ViewKey, in name: SpaceName, to reader: Reader, _ body: @escaping (String?) -> Void
    ) {
        let places = registry.rules(ofView: view)
        use(name) { [self] space in
            space.whenHere { [self] failure in
                let features = replica.features.index(ofView: view) == nil ? space.features : replica.features
                guard places.count > 1, failure == nil, let index = features.index(ofView: view) else {
                    return body(places.first)
                }
                let viewer = Viewer(reader.caller, in: name, isAdmin: reader.administers(name))
                var holds = true
                features[index].answer(ofFeature: features === replica.features ? viewer.inCommon : viewer)?
                    .watch(in: graph) { holds = $0 }.cancel()
                body(places.first { $0.hasSuffix("#/allow/read") != holds } ?? places.first)
            }
        }
    }
}
