public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The way to a server by `URLSession`. It uses a delegate, because the `URLSession` of Linux has no `bytes(for:)`.
public final class URLSessionTransport: ClientTransport {
    private let base: URL
    private let receiver = SessionReceiver()
    private let session: URLSession

    /// The time without a byte after which a stream fails, in seconds. The server sends a comment each 15 seconds.
    private static let streamTimeout = 90.0

    /// The way to the server at an address, below which `v1` lies.
    public init(_ base: URL) {
        self.base = base.absoluteString.hasSuffix("/") ? base : URL(string: base.absoluteString + "/") ?? base
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // The stream, its changes, and the actions of several spaces.
        configuration.httpMaximumConnectionsPerHost = 16
        session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// Starts a request.
    public func start(_ request: WireRequest, _ deliver: @escaping @Sendable (WireEvent) -> Void) -> any Cancellable {
        guard let url = URL(string: request.path, relativeTo: base) else {
            deliver(.end(isEarly: true))
            return CancelledTask()
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        if request.method != "GET" { message.httpBody = Data(request.body) }
        if request.isStream { message.timeoutInterval = Self.streamTimeout }
        for (name, value) in request.fields { message.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: message)
        receiver.add(task.taskIdentifier, deliver)
        task.resume()
        return SessionTask(task: task)
    }

    private struct SessionTask: Cancellable {
        let task: URLSessionDataTask
        func cancel() { task.cancel() }
    }

    private struct CancelledTask: Cancellable {
        func cancel() {}
    }
}

/// The delegate of a session: it passes what comes to the request that it belongs to.
private final class SessionReceiver: NSObject, URLSessionDataDelegate {
    private let receivers = Mutex<[Int: @Sendable (WireEvent) -> Void]>([:])

    func add(_ task: Int, _ deliver: @escaping @Sendable (WireEvent) -> Void) {
        receivers.withLock { $0[task] = deliver }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let head = response as? HTTPURLResponse
        var fields: [String: String] = [:]
        for (name, value) in head?.allHeaderFields ?? [:] { fields["\(name)".lowercased()] = "\(value)" }
        deliver(dataTask, .head(status: head?.statusCode ?? 0, fields: fields))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        deliver(dataTask, .bytes(Array(data)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let deliver = receivers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        deliver?(.end(isEarly: error != nil))
    }

    /// Redirects would take the token to another place.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    private func deliver(_ task: URLSessionTask, _ event: WireEvent) {
        receivers.withLock { $0[task.taskIdentifier] }?(event)
    }
}
