import Reactive
import StateStore

struct VaultState {
    let members = Table<String, Bool>()
    let secret = Variable("")
}

// snippet
