import Reactive
import StateStore

struct VaultState { let secret = Variable("") }

struct VaultViewModel: ViewModel {
    let secret: GuardedView<String>

    init(_ vault: VaultState, members: ReadRule) {
        // snippet
    }
}
