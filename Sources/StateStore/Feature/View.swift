import JSON
import Reactive

/// A derived value that clients can see, whatever its type.
protocol View: AnyObject {
    /// What its values look like.
    static var valueSchema: JSON { get }
    /// Its values as trees.
    func tree() -> Observable<JSON>
    /// Has its values, as JSON, told from now on, beginning with the present one; `failed` hears if there will be no more.
    func watch(
        in graph: Graph, value: @escaping (Result<[UInt8], ViewFailure>) -> Void
    ) -> Subscription
    /// Keeps it active for as long as the subscription is, without a use for its values.
    func hold(in graph: Graph) -> Subscription
}

extension Observable: View where Value: JSONWritable & SchemaProviding {
    static var valueSchema: JSON { Value.schema }

    func tree() -> Observable<JSON> {
        self as? Observable<JSON> ?? map { try JSON(parsing: try $0.json()) }
    }

    func hold(in graph: Graph) -> Subscription { watch(in: graph, receive: { _ in }) }

    func watch(in graph: Graph, value: @escaping (Result<[UInt8], ViewFailure>) -> Void) -> Subscription {
        watch(
            in: graph,
            receive: { delivered in
                do {
                    value(.success(try delivered.json()))
                } catch {
                    value(.failure(ViewFailure(error)))
                }
            },
            end: { end in
                // A view that has completed keeps its last value.
                if case .failed(let error) = end { value(.failure(ViewFailure(error))) }
            })
    }
}
