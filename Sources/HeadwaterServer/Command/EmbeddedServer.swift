import Ground
public import StateStore
import Synchronization

/// A server within another program, for tests and tools: over real sockets, on a free port of this machine.
///
///     let server = try EmbeddedServer([counter])
///     defer { server.stop() }
///     print("http://127.0.0.1:\(server.port)/v1")
///
/// The process ignores SIGPIPE from then on. All other signals stay with the program. Tests that need no sockets use
/// `TestServer`, whose clock they advance.
public final class EmbeddedServer: Sendable {
    /// The port on which the server listens.
    public let port: Int

    private let end: @Sendable () -> Void
    private let isEnding = Atomic(false)
    private let ended: EndedServer

    /// Starts a server, which listens when this returns. `options` are words of the command line of `serve`: without
    /// `--data` the state is in memory only. Throws the fault of the options or
    /// of the registration.
    public init(_ features: [Feature], options: [String] = []) throws {
        var words = ["--port", "0", "--threads", "1", "--log-level", "error", "--drain", "0"]
        if !options.contains("--data") { words.append("--memory") }
        let program = Program { _ in features }
        let settings: Settings
        let lifecycle: ServerLifecycle
        do throws(CommandFault) {
            settings = try Arguments(program).settings(words + options, [:])
            lifecycle = try ServerLifecycle(
                settings, features, hasExampleStreams: false, describedFeatures: program.describedFeatures,
                isEmbedded: true)
        } catch {
            throw EmbeddedServerFault(description: error.description)
        }
        port = lifecycle.port
        end = lifecycle.ender()
        let (owned, ended) = (Confined(lifecycle), EndedServer())
        self.ended = ended
        do throws(SystemThread.Failure) {
            try SystemThread { ended.end(with: owned.value.run()) }.detach()
        } catch {
            throw EmbeddedServerFault(description: "\(error)")
        }
    }

    deinit {
        endOnce()
    }

    private func endOnce() {
        if !isEnding.exchange(true, ordering: .relaxed) { end() }
    }

    /// Stops the server: it answers the requests under way, stores what it has answered, and gives the port back. Returns
    /// when that is done, and at once if it has been stopped before. False if commits may not be durable.
    @discardableResult
    public func stop() -> Bool {
        endOnce()
        return ended.wait() == 0
    }
}

/// The reason why an embedded server does not start.
struct EmbeddedServerFault: Error, CustomStringConvertible {
    let description: String
}

/// The exit status of an embedded server, once it has ended.
private final class EndedServer: Sendable {
    private let status = Mutex<Int32?>(nil)
    private let condition = Condition()

    func end(with status: Int32) {
        self.status.withLock { $0 = status }
        condition.signal()
    }

    func wait() -> Int32 {
        while true {
            if let status = status.withLock({ $0 }) {
                // Another thread may wait too.
                condition.signal()
                return status
            }
            _ = condition.wait()
        }
    }
}
