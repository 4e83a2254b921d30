import Platform
package import ReplicatedJournal
import Testing

/// The calls of a log, awaited.
extension SharedLog {
    package func append(_ entry: [UInt8], to lane: Lane, after last: Int) async throws -> Int {
        try await Self.awaited { done in append(entry, to: lane, after: last, done) }
    }

    package func entry(_ number: Int, of lane: Lane) async throws -> [UInt8]? {
        try await Self.awaited { done in entry(number, of: lane, done) }
    }

    package func extent(of lane: Lane) async throws -> LaneExtent {
        try await Self.awaited { done in extent(of: lane, done) }
    }

    package func trim(_ lane: Lane, upTo number: Int) async throws {
        try await Self.awaited { done in
            trim(lane, upTo: number) { failure in done(failure.map { .failure($0) } ?? .success(())) }
        }
    }

    package func lease(of node: String) async throws -> StoredLease? {
        try await Self.awaited { done in lease(of: node, done) }
    }

    package func renew(_ lease: Lease, after revision: UInt64?) async throws -> UInt64 {
        try await Self.awaited { done in renew(lease, after: revision, done) }
    }

    package func ask(
        _ subject: String, _ body: [UInt8], timeout: Duration = .seconds(120)
    ) async throws -> [UInt8] {
        try await Self.awaited { done in ask(subject, body, timeout: timeout, done) }
    }

    private static func awaited<Value: Sendable>(
        _ call: (@escaping @Sendable (Result<Value, LogFailure>) -> Void) -> Void
    ) async throws -> Value {
        try await withCheckedContinuation { continuation in call { continuation.resume(returning: $0) } }.get()
    }
}

/// Polls until a condition holds, where there is no event to wait for. Returns false after two minutes.
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let deadline = MonotonicTime.now + 120_000_000_000
    repeat {
        if try await condition() { return true }
        await Task.yield()
    } while MonotonicTime.now < deadline
    return false
}

/// The values that callbacks have handed over, in order.
package final class Received<Value: Sendable>: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<[Value], Never>
    }

    private let content = Lock<(values: [Value], waiters: [Waiter])>(([], []))

    package init() {}

    package func add(_ values: [Value]) {
        let (all, ready) = content.with { content in
            content.values += values
            let count = content.values.count
            let ready = content.waiters.filter { $0.count <= count }
            content.waiters.removeAll { $0.count <= count }
            return (content.values, ready)
        }
        for waiter in ready { waiter.continuation.resume(returning: all) }
    }

    /// The values so far.
    package var values: [Value] { content.with { $0.values } }

    /// Waits until there are `count` values, and returns all.
    package func wait(for count: Int) async -> [Value] {
        await withCheckedContinuation { continuation in
            let present: [Value]? = content.with { content in
                if content.values.count >= count { return content.values }
                content.waiters.append(Waiter(count: count, continuation: continuation))
                return nil
            }
            if let present { continuation.resume(returning: present) }
        }
    }
}

extension SharedLog {
    /// Follows a lane; failures arrive as the entry 0.
    package func follow(_ lane: Lane, after number: Int, _ received: Received<StoredEntry>) -> LogSubscription {
        follow(lane, after: number) { result in
            switch result {
            case .success(let entries): received.add(entries)
            case .failure(let failure):
                received.add([StoredEntry(number: 0, bytes: Array("\(failure.kind)".utf8))])
            }
        }
    }
}

/// Records an issue if a condition is false. An `#expect` in a closure takes no call that is awaited.
func holds(_ condition: Bool, at location: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: location)
}

/// Returns the failure of a call, and records an issue if it succeeds.
@discardableResult
func refused<Value>(
    at location: SourceLocation = #_sourceLocation, _ call: () async throws -> Value
) async -> LogFailure? {
    do {
        let value = try await call()
        Issue.record("no failure, but \(value)", sourceLocation: location)
        return nil
    } catch {
        return error as? LogFailure
    }
}

/// Bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
