import ClientWorld
import Documents
import Glibc
@testable import HeadwaterClient
import Hosting
import JSON
import ServiceInProcess
import StateStore
import Testing

/// Clients over networks, disks and servers with faults, beside a model. A failure prints its seed.
@Suite struct ClientSimulationTests {
    // Laws CLIENT1, CLIENT2, CLIENT3. In seed 1417 a view is watched again while the server is told that nobody watches it;
    // in 4131 and 5166 long queues wait for the end of the faults.
    @Test(arguments: [UInt64](1...8) + [1_417, 4_131, 5_166])
    func `after quiet every client shows the server, and each action is there once and in order`(_ seed: UInt64) throws
    {
        let simulation = try ClientSimulation(seed: seed)
        defer { simulation.end() }
        for _ in 0..<90 { try simulation.step() }
        try simulation.quiet()
        #expect(simulation.faults.isEmpty, "seed \(seed): \(simulation.faults)")
    }
}

/// A server, clients, and what they have asked for.
final class ClientSimulation {
    /// A tally: for each client the number of its actions, the last one, and true if all came in order.
    private static let document = """
        {
          "feature": "tally", "home": "space",
          "types": {"Row": {"type": "object", "properties": {
            "count": {"type": "integer"}, "last": {"type": "integer"}, "ordered": {"type": "boolean"}}}},
          "state": {
            "total": {"value": {"type": "integer"}, "initial": 0},
            "rows": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Row"}}}
          },
          "actions": {
            "add": {
              "input": {"type": "object", "properties": {"client": {"type": "string"}, "number": {"type": "integer"}},
                "required": ["client", "number"]},
              "require": [{"that": "input.number % 7 != 3", "else": {"detail": "no {input.number}"}}],
              "do": [
                {"set": "total", "to": "state.total + 1"},
                {"put": "rows", "key": "input.client", "row":
                  "input.client in state.rows ? {'count': state.rows[input.client].count + 1, 'last': input.number, 'ordered': state.rows[input.client].ordered && state.rows[input.client].last < input.number} : {'count': 1, 'last': input.number, 'ordered': true}"}
              ],
              "answer": "input.number"
            }
          },
          "views": {
            "total": {"expression": "state.total"},
            "rows": {"from": "rows", "sort": ["key"],
              "select": "{'client': key, 'count': row.count, 'last': row.last, 'ordered': row.ordered}"}
          }
        }
        """

    /// One device: its client, which can die, and what it has done.
    final class Device: @unchecked Sendable {
        // Sendable because the test turns all of it on one thread.
        let name: String
        let loop: HandLoop
        let disk = MemoryStorage()
        var storage: FaultyStorage
        var network: FaultyNetwork
        var client: HeadwaterClient?
        var watchings: [String: Watching] = [:]
        /// The numbers that were asked for, of which the server refuses some.
        var numbers: [Int] = []
        var performed: [(number: Int, Performed<JSON>)] = []
        var shown: [String: ShownValue] = [:]
        var totals: [Int] = []
        /// The numbers of actions that can be lost, because the disk was full when they were made.
        var isWithoutDisk = false

        /// True while an action waits for its answer, or for its views.
        var isWaiting: Bool {
            performed.contains { _, performed in
                let (reply, isShown, problem) = performed.wait.outcome
                return problem == nil && (reply == nil || reply?.isUnknown == false && !isShown)
            }
        }

        init(name: String, seed: UInt64) {
            self.name = name
            loop = HandLoop(seed: seed)
            storage = FaultyStorage(disk)
            network = FaultyNetwork(seed: seed)
        }
    }

    private var entropy: Entropy
    private let seed: UInt64
    private let directory: String
    private var service: ServiceInProcess
    private var devices: [Device] = []
    private(set) var faults: [String] = []
    private let kills: Bool

    init(seed: UInt64) throws {
        self.seed = seed
        entropy = Entropy(seed: seed)
        kills = seed % 2 == 0
        var template = Array("/tmp/headwater-clients-XXXXXX".utf8CString)
        directory = String(cString: try #require(mkdtemp(&template)))
        service = try ServiceInProcess(directory: directory, documents: FeatureCompiler(), features: [])
        try ask("PUT", "/v1/features/tally", Self.document)
        for index in 0..<3 {
            let device = Device(name: "c\(index)", seed: seed &* 31 &+ UInt64(index))
            devices.append(device)
            begin(device)
        }
    }

    func end() {
        for device in devices { (device.watchings, device.client) = ([:], nil) }
        _ = service.close()
        system("rm -rf \(directory)")
    }

    @discardableResult
    private func ask(_ method: String, _ path: String, _ body: String = "") throws -> JSON {
        let content = "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        let head = "\(method) \(path) HTTP/1.0\r\nHost: localhost\r\n" + (body.isEmpty ? "" : content) + "\r\n"
        let answer = try service.answer(to: [Array((head + body).utf8)])
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return .null }
        return (try? JSON(parsing: Array(answer[end.upperBound...]))) ?? .null
    }

    /// Starts the app of a device.
    private func begin(_ device: Device) {
        device.network = FaultyNetwork(seed: entropy.next())
        device.network.faults.lostRequests = 8
        device.network.faults.lostAnswers = 6
        device.network.faults.duplicates = 6
        device.network.faults.delays = 3
        device.network.faults.cuts = 12
        device.storage = FaultyStorage(device.disk)
        device.storage.dies = { [network = device.network] in network.isDead = true }
        device.shown = [:]
        device.totals = []
        device.client = HeadwaterClient(
            transport: device.network, storage: device.storage, loop: device.loop
        ) { _, answer in answer(.success(nil)) }
        for view in ["tally.total", "tally.rows"] { watch(device, view) }
    }

    private func watch(_ device: Device, _ view: String) {
        device.watchings[view] = device.client?.watch(ViewAddress(space: "main", view: view)) {
            [weak device] shown in
            device?.shown[view] = shown
            return nil
        }
    }

    /// Lets the time go on, for the server and all devices.
    private func advance(milliseconds: Int) throws {
        service.advance(milliseconds: milliseconds)
        for device in devices {
            device.loop.advance(.milliseconds(milliseconds))
            try turn(device)
        }
    }

    /// Moves bytes, and checks what the device shows after each turn.
    private func turn(_ device: Device) throws {
        for _ in 0..<2 {
            try device.network.pump(service)
            device.loop.settle()
            check(device)
        }
        guard device.network.isDead else { return }
        // The process is dead: nothing of it remains but the disk.
        (device.watchings, device.client) = ([:], nil)
        device.network.cutAll()
        device.loop.settle()
        device.performed = []
        begin(device)
    }

    private func check(_ device: Device) {
        guard case .number(let number)? = device.shown["tally.total"]?.value, let total = number.int64.map({ Int($0) })
        else { return }
        // Law CLIENT2: no older version after a newer one.
        if let last = device.totals.last, last > total { faults.append("\(device.name) shows \(total) after \(last)") }
        if device.totals.last != total { device.totals.append(total) }
        // Law CLIENT3: no half of a commit.
        guard let rows = device.shown["tally.rows"], rows.phase.isCurrent,
            device.shown["tally.total"]?.phase == .current,
            case .array(let elements)? = rows.value
        else { return }
        let sum = elements.reduce(0) { $0 + ($1["count"]?.integer ?? 0) }
        if sum != total { faults.append("\(device.name) shows a total of \(total) and rows of \(sum)") }
    }

    func step() throws {
        let device = entropy.one(of: devices)
        switch entropy.below(14) {
        case 0...4:
            for _ in 0...entropy.below(6) { perform(device) }
        case 5: device.network.isOnline = false
        case 6: device.network.isOnline = true
        case 7: device.network.cutAll()
        case 8: device.client?.enterBackground()
        case 9: device.client?.enterForeground()
        case 10:
            let view = entropy.isOne(in: 2) ? "tally.total" : "tally.rows"
            if device.watchings[view] == nil { watch(device, view) } else { device.watchings[view] = nil }
            device.shown[view] = nil
            if view == "tally.total" { device.totals = [] }
        case 11:
            if kills {
                device.storage.writesLeft = 1 + entropy.below(4)
            } else {
                device.storage.isFull.toggle()
                device.isWithoutDisk = true
            }
        case 12: try restart()
        default: device.client?.networkReturned()
        }
        try advance(milliseconds: entropy.one(of: [1, 30, 300, 3_000, 20_000]))
    }

    private func restart() throws {
        let time = service.close()
        for device in devices { device.network.cutAll() }
        service = try ServiceInProcess(
            directory: directory, startingAt: time, documents: FeatureCompiler(), features: [])
    }

    private func perform(_ device: Device) {
        guard let client = device.client else { return }
        let number = (device.numbers.last ?? 0) + 1
        device.numbers.append(number)
        let input: JSON = ["client": .string(device.name), "number": .number(JSON.Number(Int64(number)))]
        device.performed.append((number, client.space("main").perform("tally/add", input)))
    }

    /// Ends the faults, and compares all sides.
    func quiet() throws {
        for device in devices {
            device.network.isOnline = true
            device.network.faults = FaultyNetwork.Faults()
            (device.storage.isFull, device.storage.writesLeft) = (false, nil)
            device.client?.enterForeground()
            for view in ["tally.total", "tally.rows"] where device.watchings[view] == nil { watch(device, view) }
        }
        // A long queue needs about a second for each action.
        for second in 0..<500 where second < 45 || devices.contains(where: \.isWaiting) {
            try advance(milliseconds: 1_000)
        }
        let views = try ask("GET", "/v1/spaces/main/views?view=tally.total&view=tally.rows")
        for device in devices {
            for view in ["tally.total", "tally.rows"] {
                guard let shown = device.shown[view], shown.phase == .current, shown.value == views[view] else {
                    faults.append(
                        "\(device.name) shows \(device.shown[view] as Any) of \(view), not \(views[view] as Any)")
                    continue
                }
            }
            compare(device, views["tally.rows"]?.elements.first { $0["client"]?.text == device.name })
        }
    }

    private func compare(_ device: Device, _ row: JSON?) {
        // Law CLIENT1: a refused number is not there, each other number once, in order.
        let expected = device.numbers.filter { $0 % 7 != 3 }
        let count = row?["count"]?.integer ?? 0
        // A process that dies at its last write has lost what came after it.
        if kills ? count > expected.count : count != expected.count {
            faults.append("\(device.name) has \(count) of \(expected.count) actions")
        }
        if count > 0, row?["ordered"] != true { faults.append("\(device.name) has actions out of order") }
        for (number, performed) in device.performed {
            let (reply, isShown, problem) = performed.wait.outcome
            guard number % 7 != 3 else {
                // Its answer can be lost, as that of any action.
                if problem?.status != 409, reply?.isUnknown != true {
                    faults.append("\(device.name) \(number) was not refused: \(problem as Any)")
                }
                continue
            }
            guard let reply, isShown, problem == nil else {
                faults.append("\(device.name) \(number): answer \(reply as Any), shown \(isShown), \(problem as Any)")
                continue
            }
            if !reply.isUnknown, reply.result?.integer != number { faults.append("\(number) has the answer \(reply)") }
        }
    }
}
