/// The settings of the connection of a node, or of a command, to the servers of a cluster.
package struct NATSSettings: Sendable {
    /// The servers, at least one. The connection is with one of them at a time.
    package var servers: [NATSServer]
    /// The name of the cluster: a part of the names of its streams and subjects.
    package var cluster: String
    /// The name of the node, or of the command, as the servers show it.
    package var name: String
    /// The user and the password; nil for a server without accounts, or with a file of credentials.
    package var user: (name: String, password: String)?
    /// A file of credentials: a JSON Web Token of NATS and its seed.
    package var credentialsFile: String?
    /// True if servers before `ServerVersion.oldest` are permitted. Their conditional updates of one subject can be
    /// accepted twice.
    package var acceptsOldServer = false
    /// The payload that a server must permit, in bytes.
    package var neededPayload = 1_048_576
    /// The factor of all time limits of connections and requests. Tests use a large one, because a machine that is busy
    /// with other tests must not fail them.
    package var slowness = 1

    /// Settings for a cluster.
    package init(servers: [NATSServer], cluster: String, name: String) {
        self.servers = servers
        self.cluster = cluster
        self.name = name
    }

    /// Takes the user and the password from the environment, where `ps` shows them to nobody else.
    package mutating func takeUser(from environment: [String: String]) throws(NATSFault) {
        let name = environment["HEADWATER_JOURNAL_USER"] ?? ""
        let password = environment["HEADWATER_JOURNAL_PASSWORD"] ?? ""
        guard !name.isEmpty || !password.isEmpty else { return }
        guard !name.isEmpty, !password.isEmpty else {
            throw .unusable("HEADWATER_JOURNAL_USER and HEADWATER_JOURNAL_PASSWORD belong together: one is missing")
        }
        user = (name, password)
    }

    /// Throws if the settings contradict each other.
    package func check() throws(NATSFault) {
        guard !servers.isEmpty else { throw .unusable("no NATS server is named, such as nats://127.0.0.1:4222") }
        guard Self.isName(cluster) else {
            throw .unusable("a cluster's name has 1 to 64 letters, digits, - and _, not \"\(cluster)\"")
        }
        guard user == nil || credentialsFile == nil else {
            throw .unusable("a password and a file of credentials exclude each other: use one of them")
        }
    }

    /// Returns true if a name can be a part of the names of streams and subjects.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2D || $0 == 0x5F
            }
    }
}
