internal import Ground

/// The features of a space in a past state: made on the thread of the past, and used on the executor of the space. They
/// end on that thread, because the end of many rows takes long.
final class PastFeatures: Sendable {
    private let features: Confined<FeatureSet>
    private let end: @Sendable (Confined<FeatureSet>) -> Void

    /// Features of the calling thread. `end` gets them when nobody uses them any more.
    init(_ features: FeatureSet, end: @escaping @Sendable (Confined<FeatureSet>) -> Void) {
        (self.features, self.end) = (Confined(features), end)
    }

    deinit { end(features) }

    /// The features, for the executor of the space.
    var value: FeatureSet { features.value }
}
