package import HTTP
import Outgoing
package import Sockets
import StateStore
import Streams
import Systems

/// A server on one loop that its owner turns by hand: without a thread, without a listener, on the clock that it is given, and with nothing kept on disk.
package final class SingleLoopService {
    private let loop: EventLoop
    private let server: Server
    private let service: Service

    /// A server whose random numbers follow from `seed`. With a token file's lines a token is needed; `rate` is that of each token.
    package init(
        time: @escaping @Sendable () -> Int64, seed: UInt64, tokenFile: String? = nil, origins: Set<String> = [], rate: Int? = nil,
        limits: HTTP.Limits = HTTP.Limits()
    ) throws {
        loop = try EventLoop(time: time)
        let home = LoopHome(loop)
        let registry = try Registry(systems(SystemsConfiguration()) + [.streams()])
        let keeper = InlineJournalWriter(MemoryJournal(history: 100))
        let log = Log(.error, .text)
        let stores = try Stores(
            registry, executors: [home], writer: keeper, seed: seed,
            clock: { Timestamp(microseconds: 1_700_000_000_000_000 + time() / 1_000) })
        let gate = Gate(
            tokens: try tokenFile.map { try TokenFile.parse($0) } ?? [], isClosed: tokenFile != nil, origins: origins, rate: rate,
            streamsLimit: 10)
        service = Service(
            registry: registry, keeper: keeper, stores: stores, homes: [home], gate: gate, log: log, outgoing: Outgoing(),
            laboratory: Laboratory(on: loop), measured: nil)
        let desk = Desk(0, service, home)
        server = Server(on: loop, desk, limits, shared: Server.Shared(), listener: nil, fields: Desk.everyAnswersFields)
        desk.connectionCount = { [unowned server] in server.connectionCount }
        service.begin(with: [desk])
        try server.begin(with: [server.peer])
    }

    deinit {
        server.closeAll()
        // The service and its desks know each other.
        service.begin(with: [])
    }

    /// Serves a connection.
    package func take(_ socket: Socket) { server.take(socket) }

    /// Deals with what has happened by now.
    package func turn() { loop.turn(waits: false) }

    /// When something is due, in nanoseconds of its clock.
    package var nextAlarm: Int64? { loop.timers.compactMap(\.next).min() }

    /// How many connections there are.
    package var connectionCount: Int { server.connectionCount }

    /// The kinds of paths, as `openapi.yaml` names them.
    package static var paths: [String] { Array(Resource.templates.dropFirst()) }
}
