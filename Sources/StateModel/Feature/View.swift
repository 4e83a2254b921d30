import JSON
import Reactive

/// A derived value that clients can see, whatever its type.
package protocol View: AnyObject {
    /// Its values as trees.
    func tree() -> Observable<JSON>
    /// Delivers the present value and each later one, as JSON; a failure is the last. `tree` returns the same value as a
    /// tree, for a consumer in this process. A list is encoded by row, with digests under `key`.
    func watch(
        in graph: Graph, _ key: DigestKey,
        value: @escaping (Result<ViewValue, ViewFailure>, _ tree: () throws(JSONError) -> JSON) -> Void
    ) -> Subscription
    /// Keeps the view active until the subscription ends, and ignores its values.
    func hold(in graph: Graph) -> Subscription
}

extension Observable: StoredView, TypedView where Value: JSONWritable & SchemaProviding {
    static var valueSchema: JSON { Value.schema }
    static var isList: Bool { Value.self is any ListValue.Type }
    static var parameters: (schema: JSON, defaults: JSON)? { nil }
    static func normalized(_ parameters: JSON) throws(JSONError) -> JSON { parameters }

    var view: (any View)? { self }

    func view(of instance: ViewForm.Instance, named view: String, _ key: DigestKey) throws(JSONError) -> any View {
        instance.window.map { windowed($0, of: view, key) } ?? self
    }
}

extension Observable: View where Value: JSONWritable & SchemaProviding {
    package func tree() -> Observable<JSON> {
        self as? Observable<JSON> ?? map { try $0.tree() }
    }

    package func hold(in graph: Graph) -> Subscription { watch(in: graph, receive: { _ in }) }

    package func watch(
        in graph: Graph, _ key: DigestKey,
        value: @escaping (Result<ViewValue, ViewFailure>, _ tree: () throws(JSONError) -> JSON) -> Void
    ) -> Subscription {
        if let type = Value.self as? any EncodedByRow.Type { return watch(as: type, in: graph, key, value) }
        return watch(
            in: graph,
            receive: { delivered in
                do {
                    value(.success(ViewValue(try delivered.json()))) { () throws(JSONError) in try delivered.tree() }
                } catch {
                    value(.failure(ViewFailure(error))) { .null }
                }
            },
            end: { end in
                // A view that has completed keeps its last value.
                if case .failed(let error) = end { value(.failure(ViewFailure(error))) { .null } }
            })
    }

    private func watch<List: EncodedByRow>(
        as type: List.Type, in graph: Graph, _ key: DigestKey,
        _ value: @escaping (Result<ViewValue, ViewFailure>, _ tree: () throws(JSONError) -> JSON) -> Void
    ) -> Subscription {
        let encoder = Box(ListEncoder(key))
        return watch(
            in: graph,
            receive: { delivered in
                do {
                    guard let list = delivered as? List, let next = try list.encode(with: &encoder.value) else {
                        return
                    }
                    value(.success(ViewValue(next))) { () throws(JSONError) in try delivered.tree() }
                } catch {
                    value(.failure(ViewFailure(error))) { .null }
                }
            },
            end: { end in
                if case .failed(let error) = end { value(.failure(ViewFailure(error))) { .null } }
            })
    }
}
