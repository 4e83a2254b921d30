public import JSON
public import Reactive

/// A property of a view model as a client reads it.
public protocol ClientView {
    /// The values, as a client has them.
    associatedtype Received: JSONReadable
    /// The parameters that each reading needs; `NoInput` for none.
    associatedtype Parameters: Record
}

extension Observable: ClientView
where Value: JSONWritable & SchemaProviding, Value.Received: JSONReadable {
    /// The values of the view; of a list its rows.
    public typealias Received = Value.Received
    /// None.
    public typealias Parameters = NoInput
}

extension GuardedView: ClientView where Value.Received: JSONReadable {
    /// The values of the view; of a list its rows.
    public typealias Received = Value.Received
    /// None.
    public typealias Parameters = NoInput
}

extension PersonalView: ClientView where Value.Received: JSONReadable {
    /// The values of the view; of a list its rows.
    public typealias Received = Value.Received
    /// None.
    public typealias Parameters = NoInput
}

extension ParameterView: ClientView where Value.Received: JSONReadable {
    /// The values of the view; of a list its rows.
    public typealias Received = Value.Received
}
