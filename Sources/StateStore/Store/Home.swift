public import Reactive

/// The thread that a store lives on.
public protocol Home: AnyObject, Sendable {
    /// Tells the time there and keeps alarms, which go there, each when what is being done is over. Only on the home.
    var scheduler: any Scheduler { get }
    /// Has a job done there, after what is being done now. Jobs posted from one thread are done in their order.
    func post(_ job: @escaping @Sendable () -> Void)
}

/// Something that is touched on one home only, on its way through other threads.
struct Owned<Value>: @unchecked Sendable {
    // Sendable because nobody but a job on the home that the value belongs to takes it out.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
