import Platform

/// The service of one subject, on every connection anew.
final class LogService: Sendable {
    typealias Receiver = @Sendable (_ body: [UInt8], _ reply: @escaping @Sendable ([UInt8]) -> Void) -> Void

    private let subject: String
    private let receive: Receiver
    private let subscription: Lock<NATSSubscription?> = Lock(nil)

    init(_ subject: String, _ receive: @escaping Receiver) {
        self.subject = subject
        self.receive = receive
    }

    /// Serves on a connection. One of several services of the subject receives each request.
    func begin(_ session: NATSSession) {
        do throws(NATSFault) {
            let begun = try session.subscribe(subject, group: "serve") { [receive, weak session] message in
                let subject = message.reply
                receive(message.bytes) { [weak session] answer in
                    guard let subject, let session else { return }
                    do throws(NATSFault) {
                        try session.publish(subject, reply: nil, answer)
                    } catch {
                        // The asker gives up when its time is over, and asks again.
                    }
                }
            }
            let old = subscription.with { subscription in
                defer { subscription = begun }
                return subscription
            }
            old?.end()
        } catch {
            // The connection has ended; the service begins on the next one.
        }
    }

    func end() {
        let taken = subscription.with { subscription in
            defer { subscription = nil }
            return subscription
        }
        taken?.end()
    }
}
