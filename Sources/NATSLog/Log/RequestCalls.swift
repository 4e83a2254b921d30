import Platform
import Ground
package import ReplicatedJournal

extension NATSLog {
    /// Publishes a request with a reply subject of this connection.
    package func ask(
        _ subject: String, _ body: [UInt8], timeout: Duration,
        _ done: @escaping @Sendable (Result<[UInt8], LogFailure>) -> Void
    ) {
        withSession {
            done(.failure(LogFailure(.unserved, "\($0)")))
        } _: { session in
            session.request(names.request(subject), body, timeout: timeout) { answer in
                done(
                    answer.mapError { fault in
                        switch fault {
                        // These were surely not delivered.
                        case .nobody, .notConnected: LogFailure(.unserved, "\(fault)")
                        default: LogFailure(fault)
                        }
                    })
            }
        }
    }

    /// Subscribes to the subject of requests, now and on every later connection.
    package func serve(
        _ subject: String,
        _ receive: @escaping @Sendable (_ body: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void
    ) -> LogSubscription {
        let service = LogService(names.request(subject), receive)
        let id = nextID { $0.services[$1] = service }
        if let session { service.begin(session) }
        return LogSubscription { [weak self] in
            service.end()
            self?.content.with { $0.services[id] = nil }
        }
    }

    /// Watches the connection to whichever server.
    package func watchConnection(_ receive: @escaping @Sendable (Bool) -> Void) -> LogSubscription {
        let id = nextID { $0.watchers[$1] = receive }
        // The present state comes before any change: both are jobs of one thread.
        let isConnected = content.with(\.isConnected)
        jobs.run { receive(isConnected) }
        return LogSubscription { [weak self] in
            self?.content.with { $0.watchers[id] = nil }
        }
    }
}
