import Reactive
import StateStore

/// The streams of a space.
struct StreamsState {
    let definitions = Table<String, StoredDefinition>(WellKnown.definitions)
}
