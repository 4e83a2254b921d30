import JSON
import Reactive
public import StateStore

extension Feeds {
    /// The views of a space, for runs on the store's home: what a run is told of them is as durable as what any watcher is told.
    public init(_ store: Store, _ space: SpaceName) {
        self.init { name in
            Observable { output in
                guard let graph = unsafe output.graph else { return }
                output.nature = .events
                let watch = store.watch([name], in: space) { result in
                    let event = Self.event(of: result)
                    graph.whenIdle { output.deliver(event) }
                }
                output.undo = { watch.cancel() }
            }
        }
    }

    private static func event(of result: Result<Watch.News, Refusal>) -> Event<JSON> {
        do {
            switch try result.get().first?.frame.value {
            case .success(let bytes)?: return .value(try JSON(parsing: bytes))
            case .failure(let failure)?: return .end(.failed(StreamFailure("the view has failed: \(failure)")))
            case nil: return .end(.failed(StreamFailure("there is no such view")))
            }
        } catch {
            return .end(.failed(StreamFailure("the view cannot be watched: \(error)")))
        }
    }
}
