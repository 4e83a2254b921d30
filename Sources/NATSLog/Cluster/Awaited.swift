import Platform

/// The value of one callback, awaited on the calling thread. It serves commands; servers never block.
enum Awaited {
    /// Runs `body` and waits until it has called back.
    static func value<Value: Sendable>(_ body: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
        let result = Lock<Value?>(nil)
        let arrival = Condition()
        body { value in
            result.with { $0 = value }
            arrival.signal()
        }
        while true {
            if let value = result.with({ $0 }) { return value }
            _ = arrival.wait()
        }
    }

    /// Runs `body` and waits for its success; throws its failure.
    static func success<Value: Sendable, Failure: Error>(
        _ body: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
    ) throws(Failure) -> Value {
        try value(body).get()
    }
}
