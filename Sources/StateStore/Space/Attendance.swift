/// A space sees to it that effects are at work where there is work for them.
extension Space {
    /// Sees to it that effects are at work where there is work for them. All that is here is kept.
    func attend() {
        guard spread == nil else { return }
        hasWork = features.contains(where: \.hasWork)
        guard hasWork else { return shadow = nil }
        let shadow = shadow ?? Shadow(of: self)
        self.shadow = shadow
        shadow.take(self)
    }

    /// Notes that an action has changed a feature, which is yet to be kept.
    func noteChange(of feature: FeatureInstance) {
        guard feature.hasEffects, spread == nil else { return }
        hasWork = features.contains(where: \.hasWork)
        if hasWork, shadow == nil { shadow = Shadow(of: self) }
    }

    /// Notes that a commit made here is kept.
    func noteKept(_ record: CommitRecord) {
        guard let shadow else { return }
        if !hasWork, durable == version { self.shadow = nil } else { shadow.take(record) }
    }
}
