import Ground

/// The way of lines between a thread that works on a directory and a loop. It holds one chunk of lines at a time, so the
/// faster side waits for the slower one.
final class LinePipe: Sendable {
    private struct PipeState {
        var chunk: [UInt8]?
        /// True after the last chunk.
        var isEnded = false
        /// True once the receiving side has gone.
        var isClosed = false
    }

    private let state = Lock(PipeState())
    /// Signaled when the chunk was taken, or was put.
    private let changed = Condition()

    /// Waits until the chunk before was taken, and puts the next one. Returns false if the receiver has gone.
    func put(_ chunk: [UInt8]) -> Bool {
        while true {
            let isPut: Bool? = state.with { state in
                if state.isClosed { return nil }
                guard state.chunk == nil else { return false }
                state.chunk = chunk
                return true
            }
            guard let isPut else { return false }
            if isPut { return true }
            guard changed.wait() != .stopped else { return false }
        }
    }

    /// Puts a chunk if there is none. Returns false if there is one, or if the receiver has gone.
    func offer(_ chunk: [UInt8]) -> Bool {
        let isPut = state.with { state in
            guard state.chunk == nil, !state.isClosed else { return false }
            state.chunk = chunk
            return true
        }
        if isPut { changed.signal() }
        return isPut
    }

    /// Returns the chunk, which leaves the pipe; nil if there is none at present.
    func take() -> [UInt8]? {
        let chunk = state.with { $0.chunk.take() }
        if chunk != nil { changed.signal() }
        return chunk
    }

    /// Waits for a chunk until `deadline`, and returns it; nil if none came.
    func take(before deadline: Int64) -> [UInt8]? {
        while true {
            if let chunk = state.with({ $0.chunk.take() }) { return chunk }
            guard changed.wait(until: deadline) == .signaled else { return nil }
        }
    }

    /// Says that the last chunk was put.
    func end() { state.with { $0.isEnded = true } }

    /// True if the last chunk was put and taken.
    var isOver: Bool { state.with { $0.isEnded && $0.chunk == nil } }

    /// Says that nobody takes chunks any more.
    func close() {
        state.with { $0.isClosed = true }
        changed.stop()
    }
}
