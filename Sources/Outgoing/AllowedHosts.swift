package import StateStore

/// The hosts that the operator allows for URLs of clients: none, unless he names them.
package struct AllowedHosts: Sendable {
    private struct AllowedHost: Sendable {
        let host: WebAddress.Host
        /// The only port; nil for all.
        let port: Int?
    }

    private var entries: [AllowedHost] = []
    /// The entries as they were written.
    package private(set) var names: [String] = []

    /// Allows no host.
    package init() {}

    /// Adds `HOST` or `HOST:PORT`. Returns false if the text is neither.
    package mutating func add(_ text: String) -> Bool {
        guard let (name, port) = WebAddress.split(text[...]), let host = WebAddress.Host(name) else { return false }
        entries.append(AllowedHost(host: host, port: port))
        names.append(text)
        return true
    }

    /// Returns the addresses that a request to a URL may connect to; nil if its host is not allowed.
    ///
    /// An entry with an address allows that address. A name allows what the Internet can reach, and with its port also
    /// private addresses and those of this machine: then the operator has one service in mind. Link-local addresses and
    /// those of the metadata of clouds need an entry with the address.
    package func reach(of url: WebAddress) -> AddressReach? {
        entries.lazy.filter { $0.host == url.host && ($0.port == nil || $0.port == url.port) }
            .map { entry in
                if case .address = entry.host { return AddressReach.any }
                return entry.port == nil ? .global : .local
            }.max()
    }
}
