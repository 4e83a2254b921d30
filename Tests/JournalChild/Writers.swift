import Glibc
import StateStore
import Systems

/// Eight who act without end, each as soon as the last was answered: in a space of their own, in one that all share,
/// and in `common`.
enum Writers {
    static let count = 8

    static func begin(in journal: any Journal) throws {
        let executors = [WorkingExecutor(), WorkingExecutor()]
        let clock: @Sendable () -> Timestamp = { Timestamp(microseconds: 1_700_000_000_000_000) }
        let stores = try Stores(
            try Registry(systems()), executors: executors, writer: ThreadedJournalWriter(journal), seed: 1, clock: clock
        )
        for writer in 0..<count { act(0, as: writer, stores, executors) }
    }

    private static func act(_ step: Int, as writer: Int, _ stores: Stores, _ executors: [WorkingExecutor]) {
        // No other process, and no other step, writes the same: so each action makes a commit of its own.
        let name = "writer-\(writer)-\(getpid())-\(step)"
        let (space, feature, action, input) =
            switch step % 4 {
            case 0: ("main", "cart", "add", #"{"productId":1}"#)
            case 1: ("common", "catalog", "put", #"{"id":\#(100 + writer),"name":"\#(name)","price":\#(step)}"#)
            case 2: ("own-\(writer)", "user", "logIn", #"{"name":"\#(name)"}"#)
            default: ("own-\(writer)", "user", "logOut", "{}")
            }
        guard let place = SpaceName(space) else { return }
        let index = stores.index(of: place)
        executors[index].post {
            stores[index].perform(Call(feature: feature, action: action, input: Array(input.utf8)), in: place) {
                result in
                switch result {
                case .success(let answer): say("\(space) \(answer.version) \(feature)/\(action) \(input)")
                // A cart that is full, for one, is no reason to stop.
                case .failure(let refusal): say("refused \(refusal)")
                }
                act(step + 1, as: writer, stores, executors)
            }
        }
    }
}
