import Reactive
import StateStore

struct Content: Record { var text = "" }
struct Order: Record { var number = 0 }

struct VaultState {
    let members = Table<String, Bool>()
    let secret = Variable("")
    let orders = Table<String, [Order]>()
}

// snippet
