import Ground
import Glibc
import HTTP
import Outgoing
import SQLiteJournal
import Sockets
import StateStore

/// The settings of a server.
struct Settings {
    var host = "127.0.0.1"
    var port: UInt16 = 8_080
    var data: String?
    var isInMemory = false
    var durability = Durability.commit
    var history = SQLiteJournal.history
    /// The seconds from the begin of one verification to that of the next; nil for none.
    var verifySeconds: Int?
    var tokenFile: String?
    /// The directory that is served under `/`.
    var site: String?
    /// The directory of feature documents; nil if requests put them.
    var features: String?
    /// True for `headwater dev`, which follows the files of one directory.
    var isDevelopment = false
    /// True if administrators cannot edit rows.
    var forbidsEdits = false
    /// The URL to which spans are sent; nil for none.
    var spansURL: String?
    /// True if `/mcp` is served.
    var servesAgents = false
    /// The token with all rights.
    var token: String?
    /// The file of another token with all rights.
    var secretTokenFile: String?
    /// The configuration file.
    var configuration: String?
    var origins: Set<String> = []
    var threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    /// The limits of each subject.
    var subjectLimits = AccessControl.Limits()
    /// The greatest size of each space.
    var quota = SpaceQuota()
    /// The directory in which backups and imports are made over HTTP; nil for none.
    var backups: String?
    /// JSON Web Tokens.
    var identity = IdentitySettings()
    /// The part of a cluster.
    var cluster = ClusterOptions()
    /// The file of the audit log, and whether its lines have the inputs of actions.
    var auditFile: String?
    var auditHasInputs = false
    /// The values of the options that the program adds, by name.
    var programValues: [String: String] = [:]
    /// The hosts that hooks may deliver to.
    var allowedHosts = AllowedHosts()
    /// The files of the secrets for the hooks of documents, by name.
    var secretFiles: [String: String] = [:]
    var logLevel = Log.Level.info
    var logFormat = Log.Format.text
    var limits = ServerLimits()
    /// The seconds for which the server goes on listening after SIGTERM.
    var drainSeconds = 2
    /// The greatest size of all loaded spaces in bytes.
    var spaceMemory = MachineMemory.forSpaces
    /// The greatest size of one space in memory, in bytes.
    var spaceLimit: Int { spaceMemory / 4 }
    /// File descriptors reserved for other uses than connections.
    let reservedDescriptors = 64

    /// The data directory; nil if the state is in memory only.
    var directory: String? { isInMemory ? nil : data ?? "./headwater-data" }

    /// The listening socket that the supervisor has opened; nil for none.
    private(set) var inherited: ListeningSocket?

    /// The first descriptor that a supervisor hands over.
    private static let firstInherited: Int32 = 3

    /// Takes the listening socket that the environment names, as socket units of systemd do. `isPlaced` is true if the
    /// settings name a host or a port.
    mutating func takeSocket(_ environment: [String: String], isPlaced: Bool) throws(CommandFault) {
        guard let count = environment["LISTEN_FDS"], environment["LISTEN_PID"] == "\(getpid())" else { return }
        guard count == "1" else { throw CommandFault("LISTEN_FDS is \(count): the server takes one listening socket") }
        guard !isPlaced else {
            throw CommandFault("the supervisor has opened a socket (LISTEN_FDS), so leave --host and --port out")
        }
        do throws(SystemFailure) {
            let socket = try ListeningSocket(inherited: Self.firstInherited)
            (inherited, host, port) = (socket, socket.address, socket.port)
        } catch {
            throw CommandFault(error.description)
        }
    }

    /// The numeric address.
    var address: String { host == "localhost" ? "127.0.0.1" : host }

    /// True if requests need a token.
    var needsToken: Bool { token != nil || secretTokenFile != nil || tokenFile != nil || identity.isUsed }

    /// The secrets of the hooks of documents, by name.
    func readSecrets() throws(CommandFault) -> [String: HookSecret] {
        var secrets: [String: HookSecret] = [:]
        for (name, path) in secretFiles {
            guard let secret = HookSecret(String(decoding: try TextFile.secret(path), as: UTF8.self)) else {
                throw CommandFault(
                    "\(path) is no secret of a hook: it has whsec_ and a key in Base64, or a key as text, of up to \(HookSecret.bytesLimit) bytes"
                )
            }
            secrets[name] = secret
        }
        return secrets
    }

    /// The site without the files that options name, which may lie in its directory.
    func siteFiles() throws(CommandFault) -> Site? {
        guard let site else { return nil }
        let named =
            [
                directory, configuration, tokenFile, secretTokenFile, identity.secretFile, identity.keySet, auditFile,
                cluster.passwordFile, cluster.credentialsFile,
            ]
        return Site(
            site, excluding: named.compactMap { $0 } + secretFiles.values, settings: try SiteSettings(of: site),
            isLive: isDevelopment)
    }

    /// Returns the audit log; nil for none.
    func auditLog(_ log: Log) throws(CommandFault) -> AuditLog? {
        guard let auditFile else { return nil }
        return try AuditLog(auditFile, hasInputs: auditHasInputs, log)
    }

    /// Returns the limits that clients can read, with the given ones of messages.
    func servedLimits(_ messages: ServerLimits) -> ServedLimits {
        ServedLimits(
            messages: messages, subject: subjectLimits, quota: quota, historyCommits: history,
            spaceMemoryBytes: spaceMemory, spaceBytes: spaceLimit,
            durability: directory == nil ? nil : durability.rawValue, loopCount: threads, needsToken: needsToken,
            hasAudit: auditFile != nil)
    }

    /// Returns the valid tokens.
    func tokens() throws(CommandFault) -> [Token] {
        var tokens: [Token] = []
        if let token { tokens.append(Token(digest: SHA256.digest(token.utf8), rights: .admin)) }
        if let secretTokenFile {
            let secret = try TextFile.secret(secretTokenFile)
            guard !secret.isEmpty else { throw CommandFault("there is no token in \(secretTokenFile)") }
            tokens.append(Token(digest: SHA256.digest(secret), rights: .admin))
        }
        if let tokenFile {
            let text = try TextFile.read(tokenFile)
            do throws(CommandFault) {
                tokens += try TokenFile.parse(text)
            } catch {
                throw CommandFault("\(tokenFile), \(error)")
            }
        }
        return tokens
    }

    /// The contradictions between the settings, and the faults of the files that they name.
    var faults: [CommandFault] {
        var faults: [CommandFault] = []
        func collect(_ check: () throws(CommandFault) -> Void) {
            do throws(CommandFault) { try check() } catch { faults.append(error) }
        }
        collect { () throws(CommandFault) in try checkAddress() }
        collect { () throws(CommandFault) in try checkAnonymous() }
        collect { () throws(CommandFault) in try identity.check() }
        collect { () throws(CommandFault) in try cluster.check(isInMemory: isInMemory) }
        collect { () throws(CommandFault) in try checkDirectories() }
        collect { () throws(CommandFault) in _ = try tokens() }
        return faults
    }

    private func checkAddress() throws(CommandFault) {
        guard let authority = Authority(address.contains(":") ? "[\(address)]" : address),
            authority.isLoopback || needsToken
        else {
            throw CommandFault(
                "--host \(host) is reachable from other machines, so set HEADWATER_TOKEN, --tokens or --jwks"
            )
        }
    }

    private func checkAnonymous() throws(CommandFault) {
        if identity.anonymous != nil, !needsToken {
            throw CommandFault(
                "--anonymous is for a server with tokens: without HEADWATER_TOKEN, --tokens or --jwks everything is open"
            )
        }
        if !identity.proxies.isEmpty, identity.anonymous == nil {
            throw CommandFault("--proxy tells anonymous callers apart, so it needs --anonymous")
        }
    }

    private func checkDirectories() throws(CommandFault) {
        if cluster.isUsed, features != nil {
            throw CommandFault("--features is not for a cluster: PUT /v1/features/{feature} there")
        }
        if let auditFile { try AuditLog.check(auditFile) }
        if let site, !Site.isDirectory(site) {
            throw CommandFault("--site takes a readable directory, not \(site)")
        }
        if let site { _ = try SiteSettings(of: site) }
    }
}
