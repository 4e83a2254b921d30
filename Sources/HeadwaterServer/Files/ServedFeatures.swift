import Ground
import StateStore

/// The descriptions of a server's features: the answers to `GET /v1` and `GET /openapi.yaml`. All loops share it.
final class ServedFeatures: Sendable {
    /// The descriptions of one registry.
    struct Description: Sendable {
        let registry: Registry
        let index: Asset
        let contract: ServedContract
    }

    private let described: Set<String>
    private let latest = Lock<Description?>(nil)

    /// The descriptions of features, of which `described` are those whose paths `openapi.yaml` describes in words.
    init(described: Set<String>) {
        self.described = described
    }

    /// Returns the descriptions of a registry.
    func description(of registry: Registry) -> Description {
        latest.with { latest in
            if let latest, latest.registry === registry { return latest }
            let index = Index.json(of: registry)
            let made = Description(
                registry: registry, index: Asset("application/json", index.written),
                contract: ServedContract(of: index, described: described))
            latest = made
            return made
        }
    }
}
