import Glibc
import HTTP
import SQLiteJournal
import Systems

/// The settings of the server.
struct Settings {
    var host = "127.0.0.1"
    var port: UInt16 = 8_080
    var data: String?
    var isInMemory = false
    var durability = Durability.commit
    var history = SQLiteJournal.history
    var tokenFile: String?
    /// The token of all rights.
    var token: String?
    var origins: Set<String> = []
    var threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var rate: Int?
    /// The addresses of the servers that the systems call.
    var systems = SystemsConfiguration()
    var logLevel = Log.Level.info
    var logFormat = Log.Format.text
    var limits = Limits()
    var streamsLimit = 1_000
    /// The bytes that loaded spaces may take.
    var spaceMemory = MachineMemory.bytes / 4
    /// Descriptors that are kept for everything but connections.
    let reservedDescriptors = 64

    /// The directory of the journal; nil keeps everything in memory.
    var directory: String? { isInMemory ? nil : data ?? "./headwater-data" }

    /// The address in numbers.
    var address: String { host == "localhost" ? "127.0.0.1" : host }

    /// True if requests need a token.
    var needsToken: Bool { token != nil || tokenFile != nil }

    /// The tokens that are good.
    func tokens() throws(CommandFault) -> [Token] {
        var tokens: [Token] = []
        if let token { tokens.append(Token(digest: SHA256.digest(token.utf8), right: .admin, patterns: ["*"])) }
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

    /// Throws if the settings contradict each other.
    func check() throws(CommandFault) {
        guard let authority = Authority(address.contains(":") ? "[\(address)]" : address),
            authority.isLoopback || needsToken
        else {
            throw CommandFault(
                "--host \(host) can be reached from other machines, so a token is needed: set HEADWATER_TOKEN, or --tokens FILE, or stay at 127.0.0.1"
            )
        }
    }
}
