public import JSON
public import Reactive

/// A table in which each client has a row for as long as its stream is open. A service stores it beside its actions.
///
///     struct RoomService: StateService {
///         let here: Presence
///         let left: Action<Person>
///
///         init(_ room: RoomState) {
///             here = Presence(in: room.here, grace: .seconds(5), onLeave: "left")
///             left = Action { person, commit in commit[room.gone] = person.key }
///         }
///     }
///
/// A client asks for its row with `?presence=room.here&as=ada&with={…}` on a stream of events.
public final class Presence {
    let table: any PersistentState
    let outline: PresenceOutline

    /// The presence in a table that is not kept. A row stays for `grace` after the last stream of its client has ended.
    /// Then the action `onLeave` of the feature is performed, with the fields `key` and `row` as far as its input has
    /// them; not for rows that were lost with the server.
    public init<Key, Row>(in table: Table<Key, Row>, grace: Duration = .zero, onLeave action: String? = nil)
    where Key: LosslessStringConvertible, Row: JSONConvertible & SchemaProviding {
        self.table = table
        outline = PresenceOutline(grace: grace, onLeave: action)
    }
}

/// The facts about a table with presence that hold in every space.
package struct PresenceOutline: Sendable {
    /// The time for which a row stays after the last stream of its client.
    package let grace: Duration
    /// The name of the action that is performed when a row goes; nil for none.
    package let onLeave: String?
    /// Returns the fault of a key; nil if a row may have it.
    let keyFault: @Sendable (String) -> String?

    package init(
        grace: Duration, onLeave: String?, keyFault: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        (self.grace, self.onLeave, self.keyFault) = (grace, onLeave, keyFault)
    }
}

extension Registry {
    /// Returns the fault of a key of a table with presence; nil if a row may have it.
    package func keyFault(of key: String, inPresence table: String) -> String? {
        catalog.presence(table)?.outline.keyFault(key)
    }
}
