import Platform
import Ground
package import ReplicatedJournal

extension NATSLog {
    /// Reads a lease from the leader of the bucket.
    package func lease(
        of node: String, _ done: @escaping @Sendable (Result<StoredLease?, LogFailure>) -> Void
    ) {
        withSession {
            done(.failure(LogFailure($0)))
        } _: { session in
            session.message("\"last_by_subj\":\"\(names.lease(of: node))\"", of: names.leases) { answer in
                switch answer {
                case .success(let message):
                    guard let lease = Self.lease(message.bytes, message.number) else {
                        return done(
                            .failure(LogFailure(.unusable, "a newer program wrote the lease of the node \(node)")))
                    }
                    done(.success(lease))
                // The bucket is in memory and may be gone with all servers. `renew` makes it anew.
                case .failure(.refused(NATSFault.noMessage, _)), .failure(.refused(NATSFault.noStream, _)):
                    done(.success(nil))
                case .failure(let fault): done(.failure(LogFailure(fault)))
                }
            }
        }
    }

    /// Writes a lease, and makes the bucket anew if it is gone.
    package func renew(
        _ lease: Lease, after revision: UInt64?, _ done: @escaping @Sendable (Result<UInt64, LogFailure>) -> Void
    ) {
        renew(lease, after: revision, makesBucket: true, done)
    }

    private func renew(
        _ lease: Lease, after revision: UInt64?, makesBucket: Bool,
        _ done: @escaping @Sendable (Result<UInt64, LogFailure>) -> Void
    ) {
        withSession {
            done(.failure(LogFailure($0)))
        } _: { session in
            session.store(
                lease.bytes, at: names.lease(of: lease.node), in: names.leases,
                ("Nats-Expected-Last-Subject-Sequence", "\(revision ?? 0)"), timeout: .milliseconds(1_500)
            ) { [weak self] answer in
                switch answer {
                case .success(let number): done(.success(UInt64(number)))
                // Nobody takes the message where the bucket does not exist, or has no leader.
                case .failure(.nobody) where makesBucket:
                    guard let self else { return done(.failure(LogFailure(.notConnected))) }
                    makeBucket { [weak self] fault in
                        if let fault { return done(.failure(LogFailure(fault))) }
                        self?.renew(lease, after: revision, makesBucket: false, done)
                            ?? done(.failure(LogFailure(.notConnected)))
                    }
                case .failure(let fault): done(.failure(LogFailure(fault)))
                }
            }
        }
    }

    /// Makes the bucket of the leases, if there is none.
    private func makeBucket(_ done: @escaping @Sendable (NATSFault?) -> Void) {
        withSession(done) { session in
            let replicas = content.with(\.replicas)
            session.ask("STREAM.CREATE.\(names.leases)", names.leaseSettings(replicas: replicas)) { answer in
                switch answer {
                case .success: done(nil)
                case .failure(let fault): done(fault)
                }
            }
        }
    }

    /// Watches the bucket by a push consumer.
    package func watchLeases(_ receive: @escaping @Sendable (StoredLease) -> Void) -> LogSubscription {
        read(names.leases, after: nil) { messages in
            // A watch never fails for good, and a lease that a newer program wrote in another form is passed over.
            guard case .success(let messages) = messages else { return }
            for message in messages {
                if let lease = Self.lease(message.bytes, message.number) { receive(lease) }
            }
        }
    }

    /// Reads a lease; nil if a newer program wrote it in another form.
    private static func lease(_ bytes: [UInt8], _ number: Int) -> StoredLease? {
        (try? Lease(bytes: bytes)).map { StoredLease($0, revision: UInt64(number)) }
    }
}
