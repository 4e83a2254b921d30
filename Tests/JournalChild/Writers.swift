import Glibc
import StateStore
import Systems

/// Eight clients that act without end, each right after the previous answer: in a space of their own, in a shared
/// space, and in `common`.
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
        // No other process or step writes the same value, so each action makes a commit.
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
                // A rejection, for example because of a full cart, does not stop the client.
                case .failure(let refusal): say("refused \(refusal)")
                }
                act(step + 1, as: writer, stores, executors)
            }
        }
    }
}
