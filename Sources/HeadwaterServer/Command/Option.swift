import HTTP
import Outgoing
import SQLiteJournal
import Sockets
import StateStore

/// An option of `serve`: name, argument, help text and effect.
struct Option: Sendable {
    let name: String
    /// The placeholder of the argument; nil for a switch.
    let argument: String?
    let help: String
    let isAdvanced: Bool
    /// The characters that separate several values in the environment; nil if the option is not repeatable.
    let separators: Set<Character>?
    let take: @Sendable (String, inout Settings) throws(CommandFault) -> Void

    init(
        _ name: String, _ argument: String?, _ help: String, isAdvanced: Bool = false,
        separators: Set<Character>? = nil,
        take: @escaping @Sendable (String, inout Settings) throws(CommandFault) -> Void
    ) {
        self.name = name
        self.argument = argument
        self.help = help
        self.isAdvanced = isAdvanced
        self.separators = separators
        self.take = take
    }

    /// The equivalent environment variable.
    var variable: String { "HEADWATER_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() }

    /// An option that takes a number.
    static func number(
        _ name: String, _ argument: String, _ range: ClosedRange<Int>, _ help: String, isAdvanced: Bool = false,
        take: @escaping @Sendable (Int, inout Settings) -> Void
    ) -> Option {
        Option(name, argument, help, isAdvanced: isAdvanced) { text, settings throws(CommandFault) in
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), range.contains(number)
            else {
                throw CommandFault(
                    "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
            }
            take(number, &settings)
        }
    }

    /// A switch, which takes a value in the environment only.
    static func toggle(
        _ name: String, _ help: String, take: @escaping @Sendable (Bool, inout Settings) -> Void
    ) -> Option {
        Option(name, nil, help) { text, settings throws(CommandFault) in
            switch text.lowercased() {
            case "", "1", "true", "yes": take(true, &settings)
            case "0", "false", "no": take(false, &settings)
            default: throw CommandFault("--\(name) takes no value")
            }
        }
    }

    /// An option that takes a text that is not empty.
    static func text(
        _ name: String, _ argument: String, _ help: String, _ separators: Set<Character>? = nil,
        take: @escaping @Sendable (String, inout Settings) -> Void
    ) -> Option {
        Option(name, argument, help, separators: separators) { text, settings throws(CommandFault) in
            guard !text.isEmpty else { throw CommandFault("--\(name) takes \(argument)") }
            take(text, &settings)
        }
    }

    /// An option that takes one of several words.
    static func word<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ help: String, take: @escaping @Sendable (Choice, inout Settings) -> Void
    ) -> Option where Choice.RawValue == String {
        let words = Dictionary(uniqueKeysWithValues: Choice.allCases.map { ($0.rawValue, $0) })
        let choice = Choice.allCases.map(\.rawValue)
        return Option(name, choice.joined(separator: "|"), help) { text, settings throws(CommandFault) in
            guard let word = words[text] else {
                throw CommandFault("--\(name) takes one of \(choice.joined(separator: ", ")), not \"\(text)\"")
            }
            take(word, &settings)
        }
    }
}

extension Option {
    /// The option of the configuration file. `Arguments` reads the file before it takes other options.
    static let configuration = text(
        "config", "FILE", "a file with lines such as port = 8080; environment and command line have precedence"
    ) {
        $1.configuration = $0
    }

    /// The options of `serve` in every program, in the order of the help text.
    static let all: [Option] = [
        configuration,
        Option("host", "ADDRESS", "the address to listen on (127.0.0.1); any address but loopback needs a token") {
            text, settings throws(CommandFault) in
            guard text == "localhost" || ListeningSocket.isAddress(text) else {
                throw CommandFault("--host takes a numeric address such as 127.0.0.1, ::1 or 0.0.0.0, not \"\(text)\"")
            }
            settings.host = text
        },
        number("port", "PORT", 0...65_535, "the port to listen on (8080); 0 picks a free port") {
            $1.port = UInt16($0)
        },
        Option("data", "DIR", "the data directory (./headwater-data)") { text, settings throws(CommandFault) in
            guard !text.isEmpty else { throw CommandFault("--data takes a directory") }
            settings.data = text
            settings.isInMemory = false
        },
        toggle("memory", "keep the state in memory only: it is lost when the server ends") { $1.isInMemory = $0 },
        word(
            "durability",
            "answer after the sync, up to 100 ms before it, or without any sync (commit)"
        ) {
            (word: Durability, settings) in settings.durability = word
        },
        number("history", "N", 0...1_000_000_000, "commits of each space that `changes` can list (10000)") {
            $1.history = $0
        },
        Option("verify-every", "DURATION", "read everything in the background this often, such as 24h, to find damage")
        {
            text, settings throws(CommandFault) in
            guard let seconds = ClusterOptions.seconds(text), seconds > 0 else {
                throw CommandFault("--verify-every takes a duration such as 24h, 90m or 600s, not \"\(text)\"")
            }
            settings.verifySeconds = seconds
        },
        Option("tokens", "FILE", "the token file; SIGHUP reads it again") { $1.tokenFile = $0 },
        text("token-file", "FILE", "a file whose content is a token with all rights; SIGHUP reads it again") {
            $1.secretTokenFile = $0
        },
        text("jwks", "FILE|URL", "the public keys of JSON Web Tokens; SIGHUP reads them again") {
            $1.identity.keySet = $0
        },
        text("issuer", "ISS", "the issuer (iss) that a JSON Web Token must have") { $1.identity.issuer = $0 },
        text("audience", "AUD", "an audience (aud), of which a JSON Web Token must have one; repeatable", [","]) {
            $1.identity.audiences.append($0)
        },
        text("jwt-secret", "FILE", "the secret of JSON Web Tokens of HS256, at least 32 bytes") {
            $1.identity.secretFile = $0
        },
        text("audit", "FILE", "a file for one line per action, refusal and ticket; SIGHUP opens it anew") {
            $1.auditFile = $0
        },
        toggle("audit-input", "lines of the audit file have the inputs of actions") { $1.auditHasInputs = $0 },
        Option(
            "grant", "'EXPRESSION => RIGHT, SPACES'",
            "rights for the tokens whose claims (token) make the expression true; repeatable", separators: ["\n"]
        ) { text, settings throws(CommandFault) in
            settings.identity.grants.append(try Grant(text))
        },
        Option(
            "anonymous", "'RIGHT, SPACES'",
            "callers without a token have the right read or act in some spaces, such as 'read, public-*'"
        ) { text, settings throws(CommandFault) in
            settings.identity.anonymous = try AnonymousCallers.permissions(text)
        },
        Option(
            "proxy", "ADDRESS",
            "the address of a proxy, whose X-Forwarded-For tells anonymous callers apart; repeatable",
            separators: [",", " "]
        ) { text, settings throws(CommandFault) in
            guard let address = InternetAddress(text) else {
                throw CommandFault("--proxy takes a numeric address such as 10.0.0.7 or ::1, not \"\(text)\"")
            }
            settings.identity.proxies.insert(address)
        },
        Option(
            "allow-origin", "ORIGIN", "an origin whose pages may send requests, besides the server's own; repeatable",
            separators: [",", " "]
        ) {
            text, settings throws(CommandFault) in
            guard text == "*" || text.hasPrefix("http://") || text.hasPrefix("https://"),
                !text.dropFirst(8).contains("/")
            else {
                throw CommandFault(
                    "--allow-origin takes an origin such as https://example.org, without a path, not \"\(text)\"")
            }
            settings.origins.insert(text)
        },
        Option("site", "DIR", "a directory whose files are served under /; the console is then under /console/") {
            text, settings throws(CommandFault) in
            guard !text.isEmpty else { throw CommandFault("--site takes a directory") }
            settings.site = text
        },
        text("journal", "nats://HOST:PORT,…", "the servers of the log that the nodes of a cluster share") {
            $1.cluster.journal = $0
        },
        text("cluster", "NAME", "the name of the cluster") { $1.cluster.cluster = $0 },
        text("node", "NAME", "the name of this node, unique in its cluster") { $1.cluster.node = $0 },
        word("reads", "fresh reads show what any node has answered, near reads what this node has (fresh)") {
            (word: ClusterOptions.Reads, settings) in settings.cluster.reads = word
        },
        Option("log-retention", "DURATION", "how long the log keeps entries, such as 24h (24h)") {
            text, settings throws(CommandFault) in
            guard let seconds = ClusterOptions.seconds(text), seconds > 0 else {
                throw CommandFault("--log-retention takes a duration such as 24h, 90m or 600s, not \"\(text)\"")
            }
            settings.cluster.retentionSeconds = seconds
        },
        text("journal-creds", "FILE", "the credentials for the log's servers") { $1.cluster.credentialsFile = $0 },
        text("journal-password-file", "FILE", "the password for the log's servers, beside HEADWATER_JOURNAL_USER") {
            $1.cluster.passwordFile = $0
        },
        text("journal-monitor", "URL", "the monitoring page of one of the log's servers") { $1.cluster.monitor = $0 },
        toggle("journal-accept-old-server", "accept a server of the log that is too old, for a trial") {
            $1.cluster.acceptsOldServer = $0
        },
        Option(
            "outgoing-allow", "HOST[:PORT]",
            "a host that hooks may deliver to; a private address needs its port or the address itself; repeatable",
            separators: [",", " "]
        ) {
            text, settings throws(CommandFault) in
            guard settings.allowedHosts.add(text) else {
                throw CommandFault(
                    "--outgoing-allow takes HOST or HOST:PORT, such as hooks.example.org or 127.0.0.1:9000, not \"\(text)\""
                )
            }
        },
        Option("secret", "NAME=FILE", "a secret that hooks of documents name, in a file; repeatable", separators: [","])
        {
            text, settings throws(CommandFault) in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, Registry.isName(parts[0]) else {
                throw CommandFault("--secret takes NAME=FILE, such as shop=/run/secrets/shop, not \"\(text)\"")
            }
            settings.secretFiles[parts[0]] = parts[1]
        },
        text(
            "features", "DIR", "a directory of feature documents, in place of those that are put; SIGHUP reads it again"
        ) {
            $1.features = $0
        },
        toggle("no-edits", "administrators cannot edit rows or undo commits") { $1.forbidsEdits = $0 },
        Option("otlp", "URL", "a collector to which traces are sent, as OTLP over HTTP in JSON") {
            text, settings throws(CommandFault) in
            guard let url = SpanExporter.address(text) else {
                throw CommandFault("--otlp takes a URL such as http://127.0.0.1:4318, not \"\(text)\"")
            }
            settings.spansURL = url
        },
        toggle("mcp", "serve agents: the Model Context Protocol under /mcp") { $1.servesAgents = $0 },
        number("threads", "N", 1...256, "event loops (one per processor)") { $1.threads = $0 },
        number("rate", "N", 1...1_000_000_000, "actions per second and subject (no limit)") {
            $1.subjectLimits.rate = $0
        },
        number("byte-rate", "N", 1...1_000_000_000_000, "bytes of bodies per second and subject (no limit)") {
            $1.subjectLimits.byteRate = $0
        },
        number("quota-actions", "N", 1...1_000_000_000, "actions per minute and subject (no limit)") {
            $1.subjectLimits.minuteRate = $0
        },
        number("quota-rows", "N", 1...1_000_000_000, "rows of each space (no limit)") { $1.quota.rows = $0 },
        Option("quota-bytes", "BYTES", "bytes of the stored state of each space, such as 64M (no limit)") {
            text, settings throws(CommandFault) in
            guard let bytes = MachineMemory.bytes(text) else {
                throw CommandFault("--quota-bytes takes a number of bytes, such as 67108864 or 64M, not \"\(text)\"")
            }
            settings.quota.bytes = bytes
        },
        text("backups", "DIR", "the directory for backups and imports that administrators start over HTTP") {
            $1.backups = $0
        },
        word("log-level", "the least severity that is logged (info)") { (word: Log.Level, settings) in
            settings.logLevel = word
        },
        word("log-format", "the format of log lines (text)") { (word: Log.Format, settings) in settings.logFormat = word
        },
        Option(
            "space-memory", "BYTES",
            "bytes of loaded spaces, such as 512M; one has a quarter (0.8 of the control group's limit, or a quarter of memory)"
        ) {
            text, settings throws(CommandFault) in
            guard let bytes = MachineMemory.bytes(text) else {
                throw CommandFault(
                    "--space-memory takes a number of bytes, such as 1073741824, 512M or 2G, not \"\(text)\"")
            }
            settings.spaceMemory = bytes
        },
        number("drain", "SECONDS", 0...ServerLifecycle.drainLimit, "seconds to go on listening after SIGTERM (2)") {
            $1.drainSeconds = $0
        },
        limit("max-request-line", 256...65_536, "bytes of the request line (8192)") { $1.requestLineBytes = $0 },
        limit("max-header", 256...1_048_576, "bytes of all header fields (16384)") { $1.headerBytes = $0 },
        limit("max-fields", 1...10_000, "number of header fields (100)") { $1.fieldCount = $0 },
        limit("max-body", 1...1_073_741_824, "bytes of a body (1048576)") { $1.bodyBytes = $0 },
        limit("max-connections", 1...1_000_000, "open connections (the limit of descriptors, less a reserve)") {
            $1.connectionCount = $0
        },
        number("max-streams", "N", 1...1_000_000, "open streams per subject (1000)", isAdvanced: true) {
            $1.subjectLimits.streams = $0
        },
        number("max-trials", "N", 1...16, "running trials per subject (4)", isAdvanced: true) {
            $1.subjectLimits.trials = $0
        },
        limit("request-timeout", 1...3_600, "seconds for a request to arrive (10)") { $1.requestSeconds = $0 },
        limit("idle-timeout", 1...86_400, "seconds from an answer to the next request (75)") { $1.idleSeconds = $0 },
        limit("stall-timeout", 1...3_600, "seconds for which a reader may accept no bytes (30)") {
            $1.stallSeconds = $0
        },
        limit("heartbeat", 1...3_600, "seconds between heartbeats on a silent stream (15)") {
            $1.heartbeatSeconds = $0
        },
    ]

    private static func limit(
        _ name: String, _ range: ClosedRange<Int>, _ help: String,
        take: @escaping @Sendable (Int, inout ServerLimits) -> Void
    ) -> Option {
        number(name, "N", range, help, isAdvanced: true) { take($0, &$1.limits) }
    }
}
