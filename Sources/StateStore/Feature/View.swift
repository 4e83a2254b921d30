import JSON
import Reactive

/// A derived value that clients can see, whatever its type.
protocol View: AnyObject {
    /// The schema of its values.
    static var valueSchema: JSON { get }
    /// Its values as trees.
    func tree() -> Observable<JSON>
    /// Delivers its values as JSON, beginning with the present one. A failure is the last value.
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
