/// The options of a node of a cluster.
struct ClusterOptions {
    /// The words of `--reads`.
    enum Reads: String, CaseIterable, Sendable {
        case fresh, near
    }

    /// The URLs of the log's servers, separated by commas; nil on one machine.
    var journal: String?
    var cluster: String?
    var node: String?
    var credentialsFile: String?
    /// The file of the password; nil if the environment has it.
    var passwordFile: String?
    /// The URL at which a server of the log tells how it is configured.
    var monitor: String?
    var reads = Reads.fresh
    var retentionSeconds = 24 * 3_600
    /// True if servers are permitted that are too old for a cluster.
    var acceptsOldServer = false
    /// The user and the password, from the environment.
    var environment: [String: String] = [:]

    /// True if the server is a node of a cluster.
    var isUsed: Bool { journal != nil }

    /// Returns the environment, with the password of the file.
    func credentials() throws(CommandFault) -> [String: String] {
        guard let passwordFile else { return environment }
        let password = String(decoding: try TextFile.secret(passwordFile), as: UTF8.self)
        return environment.merging(["HEADWATER_JOURNAL_PASSWORD": password]) { $1 }
    }

    /// Throws if the options contradict each other.
    func check(isInMemory: Bool) throws(CommandFault) {
        guard isUsed else {
            for (name, isGiven) in [
                ("cluster", cluster != nil), ("node", node != nil), ("journal-creds", credentialsFile != nil),
                ("journal-monitor", monitor != nil), ("journal-password-file", passwordFile != nil),
            ] where isGiven {
                throw CommandFault("--\(name) belongs to --journal, such as nats://127.0.0.1:4222")
            }
            return
        }
        guard cluster != nil else { throw CommandFault("--journal needs --cluster, the name of the cluster") }
        guard node != nil else { throw CommandFault("--journal needs --node, the name of this node in the cluster") }
        guard !isInMemory else {
            throw CommandFault("--journal and --memory exclude each other: a node keeps a copy in --data")
        }
    }

    /// Parses a duration such as `24h`, `90m` or `600s`; nil if it is none.
    static func seconds(_ text: String) -> Int? {
        guard let unit = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][text.suffix(1)],
            case let digits = text.dropLast(), (1...6).contains(digits.count),
            digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits)
        else { return nil }
        return number * unit
    }
}
