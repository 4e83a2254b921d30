import Platform
import Ground
package import ReplicatedJournal

extension NATSLog {
    /// Publishes the entry with the expected last number; the acknowledgement has its own.
    package func append(
        _ entry: [UInt8], to lane: Lane, after last: Int,
        _ done: @escaping @Sendable (Result<Int, LogFailure>) -> Void
    ) {
        withSession {
            done(.failure(LogFailure($0)))
        } _: { session in
            session.store(
                entry, at: names.subject(of: lane), in: names.stream(of: lane),
                ("Nats-Expected-Last-Sequence", "\(last)")
            ) { done($0.mapError { LogFailure($0) }) }
        }
    }

    /// Asks the leader of the stream to step down.
    package func moveLeader(of lane: Lane) {
        // Appends tell whether it has helped.
        withSession({ _ in }) { session in
            session.ask("STREAM.LEADER.STEPDOWN.\(names.stream(of: lane))", "") { _ in }
        }
    }

    /// Reads an entry from the leader of the stream.
    package func entry(
        _ number: Int, of lane: Lane, _ done: @escaping @Sendable (Result<[UInt8]?, LogFailure>) -> Void
    ) {
        entry(number, of: lane, attempts: 3, done)
    }

    /// Reads an entry. Where there is none, the extent tells whether it was trimmed or is yet to come; an entry that
    /// comes between both questions is asked for again.
    private func entry(
        _ number: Int, of lane: Lane, attempts: Int,
        _ done: @escaping @Sendable (Result<[UInt8]?, LogFailure>) -> Void
    ) {
        guard number > 0 else { return jobs.run { done(.failure(LogFailure(.gone, "entries are numbered from 1"))) } }
        withSession {
            done(.failure(LogFailure($0)))
        } _: { session in
            session.message("\"seq\":\(number)", of: names.stream(of: lane)) { [weak self] answer in
                switch answer {
                case .success(let message): done(.success(message.bytes))
                case .failure(.refused(NATSFault.noMessage, let words)):
                    guard let self else { return done(.failure(LogFailure(.notConnected))) }
                    extent(of: lane) { [weak self] extent in
                        switch extent {
                        case .success(let extent) where number > extent.last: done(.success(nil))
                        case .success(let extent) where number < extent.first || attempts <= 1:
                            done(.failure(LogFailure(.refused(code: NATSFault.noMessage, words))))
                        case .success:
                            guard let self else { return done(.failure(LogFailure(.notConnected))) }
                            entry(number, of: lane, attempts: attempts - 1, done)
                        case .failure(let failure): done(.failure(failure))
                        }
                    }
                case .failure(let fault): done(.failure(LogFailure(fault)))
                }
            }
        }
    }

    /// Reads the extent of a stream from its leader.
    package func extent(of lane: Lane, _ done: @escaping @Sendable (Result<LaneExtent, LogFailure>) -> Void) {
        withSession {
            done(.failure(LogFailure($0)))
        } _: { session in
            session.describe(names.stream(of: lane)) { facts in
                done(
                    facts.map { LaneExtent(identity: $0.created, first: $0.first, last: $0.last) }
                        .mapError { LogFailure($0) })
            }
        }
    }

    /// Follows a lane by a push consumer.
    package func follow(
        _ lane: Lane, after number: Int,
        _ receive: @escaping @Sendable (Result<[StoredEntry], LogFailure>) -> Void
    ) -> LogSubscription {
        read(names.stream(of: lane), after: number) { messages in
            receive(
                messages.map { $0.map { StoredEntry(number: $0.number, bytes: $0.bytes) } }
                    .mapError { LogFailure($0) })
        }
    }

    /// Purges the stream up to an entry.
    package func trim(_ lane: Lane, upTo number: Int, _ done: @escaping @Sendable (LogFailure?) -> Void) {
        // A purge beyond the end would move the end.
        extent(of: lane) { [weak self] extent in
            switch extent {
            case .failure(let failure): return done(failure)
            case .success(let extent) where number > extent.last:
                return done(LogFailure(.refused, "the lane \(lane) ends at \(extent.last), before \(number)"))
            case .success(let extent) where number < extent.first: return done(nil)
            case .success: break
            }
            guard let self else { return done(LogFailure(.notConnected)) }
            withSession {
                done(LogFailure($0))
            } _: { session in
                session.ask("STREAM.PURGE.\(names.stream(of: lane))", "{\"seq\":\(number + 1)}") { answer in
                    switch answer {
                    case .success: done(nil)
                    case .failure(let fault): done(LogFailure(fault))
                    }
                }
            }
        }
    }

    /// Reads the messages of a stream after a number; without one, the last message of each subject and all later ones.
    func read(
        _ stream: String, after number: Int?,
        _ receive: @escaping @Sendable (Result<[LaneReader.Message], NATSFault>) -> Void
    ) -> LogSubscription {
        let reader = LaneReader(stream, names, after: number, jobs, receive)
        let id = nextID { $0.readers[$1] = reader }
        return LogSubscription { [weak self] in
            reader.end()
            self?.content.with { $0.readers[id] = nil }
        }
    }
}
