import Ground
import Platform
import HTTP
import Sockets
import StateStore

/// The descriptions of a server's features: the answers to `GET /v1` and `GET /openapi.yaml`. All loops share it.
///
/// A description is made once for each registry, at its first request, on a thread of its own. The requests that wait
/// for it get the finished bytes.
final class ServedFeatures: Sendable {
    /// The greatest size of a description in bytes. Documents that would make it larger are left out, those of the
    /// program never.
    static let bytesLimit = 4 << 20

    /// A description.
    enum Kind: Hashable {
        case index
        case contract
        /// The contract without documents, for a client that may not read a space.
        case openContract
    }

    /// A description that is made, or is wanted.
    private struct Description {
        let kind: Kind
        let registry: Registry

        func isOne(_ kind: Kind, of registry: Registry) -> Bool { self.kind == kind && self.registry === registry }
    }

    private struct Recipient: Sendable {
        let executor: LoopExecutor
        let receive: Confined<(Asset) -> Void>
    }

    private struct State {
        /// The newest description of each kind.
        var made: [Kind: (description: Description, asset: Asset)] = [:]
        /// The descriptions that are wanted, in the order of their first requests. The first one is being made.
        var wanted: [(description: Description, recipients: [Recipient])] = []
        /// The hashes of the features of one registry that were asked for.
        var hashes: (registry: Registry, byName: [String: String])?
    }

    private let describedFeatures: Set<String>
    private let loop: EventLoop?
    private let state = Lock(State())

    /// Descriptions of features, of which `describedFeatures` are those whose paths `openapi.yaml` describes in words.
    /// They are made on threads or, for a server that is turned by hand, on `loop`.
    init(describedFeatures: Set<String>, on loop: EventLoop? = nil) {
        self.describedFeatures = describedFeatures
        self.loop = loop
    }

    /// Calls `receive` with a description: at once if it is made, else later on the executor.
    func find(
        _ kind: Kind, of registry: Registry, for executor: LoopExecutor, _ receive: @escaping (Asset) -> Void
    ) {
        let registry = kind == .openContract ? registry.program : registry
        let recipient = Recipient(executor: executor, receive: Confined(receive))
        let (asset, isFirst) = state.with { state -> (Asset?, Bool) in
            if let known = state.made[kind], known.description.isOne(kind, of: registry) { return (known.asset, false) }
            if let index = state.wanted.firstIndex(where: { $0.description.isOne(kind, of: registry) }) {
                state.wanted[index].recipients.append(recipient)
                return (nil, false)
            }
            state.wanted.append((Description(kind: kind, registry: registry), [recipient]))
            return (nil, state.wanted.count == 1)
        }
        if let asset { return receive(asset) }
        if isFirst { begin() }
    }

    /// Returns the hash of a feature, as `GET /v1` names it; nil if there is no such feature.
    func hash(of name: String, _ registry: Registry) -> String? {
        if let known = state.with({ $0.hashes?.registry === registry ? $0.hashes?.byName[name] : nil }) { return known }
        let index = Index(of: registry)
        guard index.names.contains(name) else { return nil }
        let hash = index.hash(of: name)
        state.with { state in
            if state.hashes?.registry !== registry { state.hashes = (registry, [:]) }
            state.hashes?.byName[name] = hash
        }
        return hash
    }

    /// Makes the wanted descriptions, one after the other.
    private func begin() {
        let work: @Sendable () -> Void = { [self] in
            while let description = state.with({ $0.wanted.first?.description }) { make(description) }
        }
        if let loop { return loop.post(work) }
        do throws(SystemThread.Failure) {
            try SystemThread(work).detach()
        } catch {
            // A system that starts no thread makes them here.
            work()
        }
    }

    private func make(_ description: Description) {
        let asset = asset(description)
        asset.content.prepareGzip(as: asset.type)
        let recipients = state.with { state in
            state.made[description.kind] = (description, asset)
            return state.wanted.removeFirst().recipients
        }
        for recipient in recipients { recipient.executor.post { recipient.receive.value(asset) } }
    }

    private func asset(_ description: Description) -> Asset {
        let registry = description.registry
        switch description.kind {
        case .index:
            return Asset("application/json", Index.text(of: registry, bytesLimit: Self.bytesLimit))
        case .contract, .openContract:
            let bytes = ServedContract(Assets.contract.bytes, describedFeatures, bytesLimit: Self.bytesLimit).text(
                of: registry, isOpen: description.kind == .openContract)
            return bytes == Assets.contract.bytes ? Assets.contract : Asset("application/yaml", bytes)
        }
    }
}
