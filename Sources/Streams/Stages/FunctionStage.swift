import JSON
import Reactive
import StateStore

/// A stage without a state.
final class FunctionStage: PipelineStage {
    private let take: (JSON, inout Emission) throws -> Void
    private let finish: (End, inout Emission) throws -> Void

    init(
        _ take: @escaping (JSON, inout Emission) throws -> Void,
        end finish: @escaping (End, inout Emission) throws -> Void = { $1.finish($0) }
    ) {
        self.take = take
        self.finish = finish
        super.init()
    }

    override func receive(_ value: JSON, at now: Timestamp, _ output: inout Emission) throws {
        try take(value, &output)
    }

    override func end(_ end: End, at now: Timestamp, _ output: inout Emission) throws {
        try finish(end, &output)
    }
}

/// A stage that completes at its beginning.
final class EmptyStage: PipelineStage {
    init() {
        super.init()
    }

    override func begin(at now: Timestamp, _ output: inout Emission) throws {
        output.finish(.completed)
    }
}
