import Reactive
import StateStore

/// The streams that a space has.
struct StreamsState {
    let definitions = Table<String, StoredDefinition>(WellKnown.definitions)
}
