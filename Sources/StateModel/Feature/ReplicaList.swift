import Ground
import JSON
import Reactive

/// The replica of a feature in Swift as one list, as decision 96 says: `["tasks", KEY, ROW]` of a table, `["topic", VALUE]`
/// of a variable, and first the identity. A commit costs the rows that it changed and that the caller holds.
enum ReplicaList {
    /// The name of the view inside the server that has the replica. No client can send it as the name of a view.
    static let label = "~replica"

    /// What a caller holds of a variable or a table.
    enum PartSource {
        case variable(Observable<JSON?>)
        case rows(Rows<String, ReplicaElement>)
    }

    /// Changes that have not reached the list.
    private final class GatheredChanges {
        var rows: [String: JSON?] = [:]
    }

    /// Returns the list of sources by their labels.
    static func list(_ sources: [(label: String, source: PartSource)], _ identity: JSON) -> OrderedRows<String, JSON> {
        let rows = Rows<String, JSON>(madeBy: "replica") { node in
            guard let graph = unsafe node.graph else { return }
            let rows = unsafe unsafeDowncast(node, to: Rows<String, JSON>.self)
            rows.rows = [:]
            rows.undo = { [unowned rows] in rows.rows = [:] }
            let joint = rows.makeJoint()
            let gathered = GatheredChanges()
            gathered.rows[""] = .some(identity)
            let schedule = { [weak joint] in if let joint { graph.schedule(joint) } }
            for (label, source) in sources {
                switch source {
                case .variable(let value):
                    _ = rows.listen(to: value) { element in
                        gathered.rows[label] = .some(element)
                        schedule()
                    }
                case .rows(let source):
                    _ = rows.listen(to: source) { changes in
                        for entry in changes.entries {
                            let key = String(decoding: entry.key.utf8.dropFirst(label.utf8.count + 1), as: UTF8.self)
                            gathered.rows[entry.key] = .some(
                                entry.new?.row.map { [.string(label), .string(key), $0] })
                        }
                        schedule()
                    }
                }
            }
            joint.run = { [unowned rows] in
                let changes = gathered.rows.map { (key: $0.key, row: $0.value) }
                gathered.rows = [:]
                rows.take(changes)
            }
            graph.schedule(joint)
        }
        return rows.sorted().map { _, row in row }
    }
}

/// The replica of a feature in Swift, as a view inside the server.
final class ReplicaView: StoredView {
    private let make: (Viewer) -> OrderedRows<String, JSON>
    let claims: ClaimSet?

    init(reading claims: ClaimSet?, _ make: @escaping (Viewer) -> OrderedRows<String, JSON>) {
        (self.claims, self.make) = (claims, make)
    }

    var view: (any View)? { claims == nil ? make(Viewer(.nobody, in: .common)) : nil }

    func exemplar() -> (any View)? { make(Viewer(.nobody, in: .common)) }

    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View {
        make(Viewer(.nobody, in: .common))
    }

    func view(
        of instance: ViewForm.Instance, for viewer: Viewer, named view: String, _ key: DigestKey
    ) throws(JSONError) -> any View { make(viewer) }
}

extension ReplicatedState {
    /// The parts with their labels. A part that the state does not store has none, and is dropped.
    private func labelled() -> [(label: String, part: ReplicaParts<Self>.DeclaredPart)] {
        let stored = FeatureInstance.children(of: self, as: (any PersistentState).self)
        return Self.replica.parts.compactMap { part in
            guard let state = part.state(self), let label = stored.first(where: { $0.1 === state })?.0 else {
                return nil
            }
            return (label, part)
        }
    }

    /// Returns the view that has the replica.
    func replicaView(of feature: String) -> any StoredView {
        let parts = labelled()
        let tables: [JSON] = parts.filter { $0.part.extent != .server && $0.part.state(self)?.isTable == true }
            .map { .string($0.label) }
        // A change of a type is a change of the identity.
        let shapes = parts.map { "\($0.label) \($0.part.extent) \($0.part.state(self)?.schemaText ?? "")" }
        let digest = SHA256.digest(shapes.joined(separator: "\n").utf8).prefix(16)
        let name = digest.map { String($0, radix: 16) }.joined(separator: ".")
        let claims = Self.replica.claims
        return ReplicaView(reading: claims) { viewer in
            let sources = parts.compactMap { label, part in
                part.source(self, label, viewer).map { (label: label, source: $0) }
            }
            return ReplicaList.list(
                sources, ["", .string(name), claims == nil ? .null : viewer.caller.claims, .array(tables)])
        }
    }

    /// The outline of that view, or the fault of a part that the state does not store.
    func replicaOutline(
        of feature: String, ruledBy rule: ClaimSet?
    ) throws(RegistrationFault) -> FeatureOutline.ViewPart {
        let parts = labelled()
        guard parts.count == Self.replica.parts.count else {
            throw RegistrationFault("\(feature)'s replica has a part that its state does not store")
        }
        guard Set(parts.map(\.label)).count == parts.count else {
            throw RegistrationFault("\(feature)'s replica names a part of its state twice")
        }
        if let part = parts.first(where: { $0.part.extent != .server && $0.part.state(self)?.isKept == false }) {
            throw RegistrationFault("\(feature)'s table \(part.label) is not kept, so it cannot be in a replica")
        }
        return FeatureOutline.ViewPart(
            label: ReplicaList.label, value: [:],
            form: ViewForm(
                name: ViewKey("\(feature).\(ReplicaList.label)"), parameters: [], isList: false,
                normalize: { parameters throws(JSONError) in parameters }),
            access: ViewAccess(view: Self.replica.claims, rule: nil, ofFeature: rule), isReplica: true)
    }

    /// The shares of the state that a client holds, by label.
    func heldShares() -> [String: ReplicaParts<Self>.HeldShare] {
        Dictionary(labelled().map { ($0.label, $0.part.extent) }) { first, _ in first }
    }

    /// Removes the rows that a viewer does not hold from tables of which it holds groups. `written` returns the written keys
    /// of the table of a label, or nil for all; an empty set stands for none.
    func removeStrangers(
        of viewer: Viewer, written: (_ label: String) -> Set<String>?, in transaction: inout Transaction
    ) {
        for (label, part) in labelled() {
            guard let remove = part.removeStrangers else { continue }
            let keys = written(label)
            if keys?.isEmpty != true { remove(self, viewer, keys, &transaction) }
        }
    }

    /// The labels of what a client holds, with true for whole ones, and true if all else is of the server alone.
    package func heldLabels() -> (labels: [String: Bool], isComplete: Bool) {
        let extents = heldShares()
        let stored = FeatureInstance.children(of: self, as: (any PersistentState).self).map(\.0)
        var labels: [String: Bool] = [:]
        for (label, extent) in extents {
            switch extent {
            case .whole: labels[label] = true
            case .groups: labels[label] = false
            case .server: break
            }
        }
        let isComplete = stored.allSatisfy { extents[$0] != nil } && !labels.values.contains(false)
        return (labels, isComplete)
    }
}

extension PersistentState {
    var isTable: Bool { Self.changesByEntry }
    var schemaText: String { "\(Self.valueSchema)" }
}
