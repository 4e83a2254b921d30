import Sockets

/// The command `headwater health`: a request to a running server. A container's health check needs no curl with it.
struct Health {
    /// The time limit of the request in seconds.
    static let patienceSeconds = 3

    private let address: ServerAddress
    private let path: String

    /// The server at `address`. Without an address, the server that the same environment would start.
    init(_ address: String?, _ environment: [String: String]) throws(CommandFault) {
        guard let address else {
            self.address = ServerAddress(environment)
            path = "/healthz"
            return
        }
        let fault = CommandFault("health takes a URL such as http://127.0.0.1:8080/readyz, not \"\(address)\"")
        guard let (server, path) = ServerAddress.parse(address) else { throw fault }
        (self.address, self.path) = (server, path.isEmpty ? "/healthz" : path)
    }

    /// Sends the request. Throws unless the status is 200.
    func ask() throws(CommandFault) {
        let answer: [UInt8]
        do throws(SystemFailure) {
            answer = try address.ask("GET", path, patience: Self.patienceSeconds, limit: 64 * 1_024)
        } catch {
            throw CommandFault(error.description)
        }
        let line = String(decoding: answer.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        guard line.hasPrefix("HTTP/1.1 200 ") else {
            throw CommandFault("\(address)\(path): \(line.isEmpty ? "empty answer" : line)")
        }
    }
}
