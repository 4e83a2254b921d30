public import JSON
public import Reactive

// Named operators by time. A change by time is a commit of its own, with the action `streams/elapsed`, and the operator
// sees the time that was due. A duration is at least 0.1 s.

extension Observable where Value: Equatable & JSONConvertible {
    /// Shows a value once no other has followed it for `duration`.
    public func debounce(_ name: String, _ duration: Duration) -> Observable<Value> {
        operated(
            name, fault: Self.fault(of: duration), Debounce<Value>(duration.inMicroseconds), .debounced())
    }

    /// Shows at most one value per `duration`. The first value is shown at once. With `latest`, the last value within
    /// the duration is shown at its end; otherwise it is dropped.
    public func throttle(_ name: String, _ duration: Duration, latest: Bool) -> Observable<Value> {
        operated(
            name, fault: Self.fault(of: duration), Throttle<Value>(duration.inMicroseconds, latest: latest),
            .throttled())
    }

    /// Shows each value after `duration`.
    public func delay(_ name: String, _ duration: Duration) -> Observable<Value> {
        operated(
            name, fault: Self.fault(of: duration), Delay<Value>(duration.inMicroseconds), .delayed())
    }

    private static func fault(of duration: Duration) -> String? {
        guard duration < .milliseconds(MemoryLimits.milliseconds) else { return nil }
        return "its duration must be at least 0.1 s: a view changes by time ten times a second at most"
    }
}
