import Reactive
import StateStore

struct Filling: Record { var text = "" }
struct VaultState {
    let members = Table<String, Bool>()
    let secret = Variable("")
}

// snippet
