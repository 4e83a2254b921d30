public import JSON
public import Reactive

/// A state of which clients may hold a part, to perform actions on it at once.
///
///     extension NotesState: ReplicatedState {
///         static let replica = ReplicaParts<NotesState>(reading: ["sub"]) {
///             $0.whole(\.topic)
///             $0.rows(of: \.notes, in: \.byOwner) { viewer in [viewer.subject ?? ""] }
///         }
///     }
///
/// Nothing else is replicated. The rule of the feature holds, and private parts of rows are absent.
public protocol ReplicatedState {
    /// The variables, and the rows of tables, that clients hold.
    static var replica: ReplicaParts<Self> { get }
}

/// The variables and the rows of a state that clients hold.
public struct ReplicaParts<State>: Sendable {
    /// The share of a table that a client holds.
    package enum HeldShare: Sendable {
        /// All of it.
        case whole
        /// The rows of some groups of an index.
        case groups
        /// Nothing: only effects and internal actions read it.
        case server
    }

    struct DeclaredPart: Sendable {
        let extent: HeldShare
        let state: @Sendable (State) -> (any PersistentState)?
        /// Returns what a viewer holds, in the elements of a replica.
        let source: @Sendable (State, _ label: String, Viewer) -> ReplicaList.PartSource?
        /// Removes rows that the viewer does not hold, of some keys or of all; nil for a part that has no such rows.
        let removeStrangers: (@Sendable (State, Viewer, _ keys: Set<String>?, inout Transaction) -> Void)?

        init(
            extent: HeldShare, state: @escaping @Sendable (State) -> (any PersistentState)?,
            removeStrangers: (@Sendable (State, Viewer, Set<String>?, inout Transaction) -> Void)? = nil,
            source: @escaping @Sendable (State, String, Viewer) -> ReplicaList.PartSource?
        ) {
            (self.extent, self.state, self.removeStrangers, self.source) = (extent, state, removeStrangers, source)
        }
    }

    private(set) var parts: [DeclaredPart] = []
    /// The claims of the caller that choose rows.
    let claims: ClaimSet?

    /// The parts that `build` lists. `claims` are those that the groups of rows depend on.
    public init(reading claims: [String] = [], _ build: (inout ReplicaParts) -> Void) {
        self.claims = claims.isEmpty ? nil : ClaimSet(names: claims)
        build(&self)
    }

    /// Clients hold a variable.
    public mutating func whole<Value: JSONConvertible & SchemaProviding>(
        _ variable: any KeyPath<State, Variable<Value>> & Sendable
    ) {
        parts.append(
            DeclaredPart(extent: .whole, state: { $0[keyPath: variable] }) { state, label, _ in
                let hidden = PrivateParts(PrivateParts.places(in: Value.schema))
                return .variable(
                    state[keyPath: variable].map { value in
                        hidden.removed(from: try value.tree()).map { [.string(label), $0] }
                    })
            })
    }

    /// Clients hold all rows of a table.
    public mutating func whole<
        Key: LosslessStringConvertible & SendableMetatype, Row: JSONConvertible & SchemaProviding
    >(
        _ table: any KeyPath<State, Table<Key, Row>> & Sendable
    ) {
        parts.append(
            DeclaredPart(extent: .whole, state: { $0[keyPath: table] }) { state, label, _ in
                .rows(Self.elements(of: state[keyPath: table], label))
            })
    }

    /// A client holds the rows of some groups of an index, which follow from the claims of its caller.
    public mutating func rows<
        Group: IndexValue & SendableMetatype, Order: IndexValue & SendableMetatype,
        Key: LosslessStringConvertible & SendableMetatype, Row: JSONConvertible & SchemaProviding
    >(
        of table: any KeyPath<State, Table<Key, Row>> & Sendable,
        in index: any KeyPath<State, RowIndex<Group, Order, Key, Row>> & Sendable,
        groups: @escaping @Sendable (Viewer) -> [Group]
    ) {
        parts.append(
            DeclaredPart(
                extent: .groups, state: { $0[keyPath: table] },
                removeStrangers: { state, viewer, keys, transaction in
                    let (table, index, held) = (state[keyPath: table], state[keyPath: index], groups(viewer))
                    let written = keys.map { $0.compactMap { Key($0) } } ?? Array(transaction.rows(of: table).keys)
                    for key in written {
                        guard let row = transaction[table, key], !index.holds(key, row, in: held) else { continue }
                        transaction[table, key] = nil
                    }
                },
                source: { state, label, viewer in
                    .rows(Self.elements(of: state[keyPath: index].rows(ofAll: groups(viewer)), label))
                }))
    }

    /// No client holds a variable or a table, and no action of clients reads it: it is work for effects, for example. A
    /// refusal by a client is final only if each part of the state is held whole, or named here.
    public mutating func onServer<Value>(_ state: any KeyPath<State, Value> & Sendable) {
        parts.append(
            DeclaredPart(extent: .server, state: { $0[keyPath: state] as? any PersistentState }) { _, _, _ in nil })
    }

    private static func elements<
        Key: LosslessStringConvertible & SendableMetatype, Row: JSONConvertible & SchemaProviding
    >(
        of rows: Rows<Key, Row>, _ label: String
    ) -> Rows<String, ReplicaElement> {
        let hidden = PrivateParts(PrivateParts.places(in: Row.schema))
        let begin = label.utf8.count + 1
        return rows.withKeys(
            { "\(label)/\($0)" }, from: { Key(String(decoding: $0.utf8.dropFirst(begin), as: UTF8.self)) },
            { ReplicaElement(label, hidden.removed(from: try $0.tree())) })
    }
}

/// A row of a table in a replica: nil if all of it is private.
struct ReplicaElement: Equatable {
    let label: String
    let row: JSON?

    init(_ label: String, _ row: JSON?) { (self.label, self.row) = (label, row) }
}
