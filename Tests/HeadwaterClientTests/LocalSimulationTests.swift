import ClientWorld
import Glibc
@testable import HeadwaterClient
import Hosting
import JSON
import ServiceInProcess
import StateModel
import Testing

/// Local spaces over networks and disks with faults: after quiet each shows the state of the server. A failure prints its
/// seed.
@Suite struct LocalSimulationTests {
    /// The seeds: four, or those that `Scripts/schedules` asks for.
    private static let seeds: [UInt64] = {
        let environment = ProcessEnvironment.value("HEADWATER_LOCAL_SEEDS")?.split(separator: "-").compactMap {
            UInt64($0)
        }
        if let environment, environment.count == 2 { return Array(environment[0]...environment[1]) }
        return Array(1...4)
    }()

    // Law LOCAL7
    @Test(arguments: seeds)
    func `after quiet each local space equals the server`(_ seed: UInt64) throws {
        let simulation = try LocalSimulation(seed: seed)
        defer { simulation.end() }
        for _ in 0..<80 { try simulation.step() }
        try simulation.quiet()
        #expect(simulation.faults.isEmpty, "seed \(seed): \(simulation.faults)")
    }
}

/// A variable of the environment.
private enum ProcessEnvironment {
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// A server, and devices that run a market over its replica.
final class LocalSimulation {
    private typealias Sale = LocalSpace<MarketState, MarketService, MarketViewModel>

    /// One device: its app, which can end.
    private final class Device: @unchecked Sendable {
        // Sendable because the test turns all of it on one thread.
        let loop: HandLoop
        let disk = MemoryStorage()
        var storage: FaultyStorage
        var network: FaultyNetwork
        var client: HeadwaterClient?
        var sale: Sale?
        var watchings: [Watching] = []
        var lots: [MarketLot]?
        var total: Int?
        var phase = Phase.loading
        var offered: [Performed<String>] = []

        init(seed: UInt64) {
            loop = HandLoop(seed: seed)
            storage = FaultyStorage(disk)
            network = FaultyNetwork(seed: seed)
        }
    }

    private var entropy: Entropy
    private let directory: String
    private var service: ServiceInProcess
    private var devices: [Device] = []
    private(set) var faults: [String] = []
    private var titles = 0

    init(seed: UInt64) throws {
        entropy = Entropy(seed: seed)
        var template = Array("/tmp/headwater-local-XXXXXX".utf8CString)
        directory = String(cString: try #require(mkdtemp(&template)))
        service = try ServiceInProcess(directory: directory, features: [market.feature()])
        for index in 0..<3 {
            let device = Device(seed: seed &* 37 &+ UInt64(index))
            devices.append(device)
            try begin(device)
        }
    }

    func end() {
        for device in devices { (device.watchings, device.sale, device.client) = ([], nil, nil) }
        _ = service.close()
        system("rm -rf \(directory)")
    }

    private func begin(_ device: Device) throws {
        device.network = FaultyNetwork(seed: entropy.next())
        device.network.faults.lostRequests = 8
        device.network.faults.lostAnswers = 6
        device.network.faults.duplicates = 6
        device.network.faults.delays = 3
        device.network.faults.cuts = 12
        device.storage = FaultyStorage(device.disk)
        device.storage.dies = { [network = device.network] in network.isDead = true }
        device.offered = []
        (device.lots, device.total, device.phase) = (nil, nil, .loading)
        let client = HeadwaterClient(transport: device.network, storage: device.storage, loop: device.loop) {
            _, answer in answer(.success(nil))
        }
        let sale = try client.local("main", of: market)
        (device.client, device.sale) = (client, sale)
        device.watchings = [
            sale.watch(\MarketViewModel.lots, [:]) { [weak device] (shown: Shown<[MarketLot]>) in
                device?.lots = shown.value
                device?.phase = shown.phase
                return nil
            },
            sale.watch(\MarketViewModel.total, [:]) { [weak device] (shown: Shown<Int>) in
                device?.total = shown.value
                return nil
            },
        ]
    }

    private func advance(milliseconds: Int) throws {
        service.advance(milliseconds: milliseconds)
        for device in devices {
            device.loop.advance(.milliseconds(milliseconds))
            for _ in 0..<2 {
                try device.network.pump(service)
                device.loop.settle()
                check(device)
            }
            guard device.network.isDead else { continue }
            (device.watchings, device.sale, device.client) = ([], nil, nil)
            device.network.cutAll()
            device.loop.settle()
            try begin(device)
        }
    }

    /// Both views are of one state, whatever it is.
    private func check(_ device: Device) {
        guard let lots = device.lots, let total = device.total else { return }
        let sum = lots.reduce(0) { $0 + $1.price }
        if sum != total { faults.append("a device shows a total of \(total) and lots of \(sum)") }
    }

    func step() throws {
        let device = entropy.one(of: devices)
        switch entropy.below(13) {
        case 0...2:
            for _ in 0...entropy.below(3) {
                titles += 1
                if let offered = device.sale?.perform(
                    \.offer, MarketOffer(title: "lot \(titles)", price: 1 + entropy.below(50)))
                {
                    device.offered.append(offered)
                }
                check(device)
            }
        case 3...6:
            if let lot = device.lots.flatMap({ $0.isEmpty ? nil : entropy.one(of: $0) }) {
                device.sale?.perform(\.bid, MarketBid(lot: lot.id, amount: lot.price + 1 + entropy.below(5)))
                check(device)
            }
        case 7: if entropy.isOne(in: 3) { device.sale?.perform(\.close) }
        case 8: device.network.isOnline = false
        case 9: device.network.isOnline = true
        case 10: device.network.cutAll()
        case 11: device.storage.writesLeft = 1 + entropy.below(4)
        default:
            let time = service.close()
            for device in devices { device.network.cutAll() }
            service = try ServiceInProcess(directory: directory, startingAt: time, features: [market.feature()])
        }
        try advance(milliseconds: entropy.one(of: [1, 30, 300, 3_000]))
    }

    func quiet() throws {
        for device in devices {
            device.network.isOnline = true
            device.network.faults = FaultyNetwork.Faults()
            device.storage.writesLeft = nil
            device.client?.networkReturned()
        }
        for _ in 0..<45 { try advance(milliseconds: 1_000) }
        let answer = try service.answer(to: [
            Array("GET /v1/spaces/main/market/lots HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8)
        ])
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return faults.append("no answer") }
        let lots = try [MarketLot](parsing: Array(answer[end.upperBound...]))
        for (index, device) in devices.enumerated() {
            if device.phase != .current { faults.append("\(index) is \(device.phase)") }
            if device.lots != lots {
                faults.append("\(index) shows \(device.lots?.count ?? -1) lots, not those \(lots.count) of the server")
            }
            if device.sale?.predictedCount != 0 { faults.append("\(index) has \(device.sale?.predictedCount ?? -1)") }
        }
    }
}
