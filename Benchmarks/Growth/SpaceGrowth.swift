import Glibc

/// The cost of many spaces: of a cold, new or evicted one, of memory, of start and stop.
///
/// Times are processor time of the server's process unless a row says otherwise.
struct SpaceGrowth {
    private static let seconds = 1.0

    /// Runs the measurements that have `name` in their name.
    static func print(only name: String = "") {
        GrowthRow.begin("growth of spaces")
        for (what, measure) in measurements where name.isEmpty || what.contains(name) { measure(what) }
    }

    private static var measurements: [(name: String, measure: (String) -> Void)] {
        [
            (
                "us of a cold space's first read, 64 connections, beside its load from the journal",
                { coldReads($0, 64, 4) }
            ),
            ("us of the same, one connection", { coldReads($0, 1, nil) }),
            ("us of a new space's first action, 64 connections, beside a warm action", { firstActions($0, 64, 4) }),
            ("us of the same, one connection", { firstActions($0, 1, nil) }),
            ("us of an eviction, 64 connections, beside a warm action", evictions),
            ("us of wall-clock time of a lone client's action beside its look, none", { lone($0, "none", 1.6) }),
            (
                "us of wall-clock time of a lone client's action beside its look, interval",
                { lone($0, "interval", 1.6) }
            ),
            ("us of wall-clock time of a lone client's action beside its look, memory", { lone($0, nil, 1.6) }),
            ("bytes of a loaded space after one action", loadedSpace),
            ("bytes of a loaded space after one read", readSpace),
            ("bytes of a read of a space that was never written", unwritten),
            ("us of a document's change beside 2000 documents, beside the same beside 20", documents),
            ("Zipf, 1000 spaces", { zipf($0, 1_000) }),
            ("Zipf, 100000 spaces", { zipf($0, 100_000) }),
            ("Zipf, 1000000 spaces", { zipf($0, 1_000_000) }),
            ("ms from start to ready, 1000000 spaces beside 1000", start),
            ("1000000 sleeping spaces of which 1000 have alarms, beside none with an alarm", alarms),
            ("ms from SIGTERM to exit, 1000000 spaces of which 10000 are loaded, beside 1000 spaces", stop),
            ("ms from SIGTERM to exit, 10000 streams", stopStreams),
        ]
    }

    private static let thousand = PopulatedDirectory(1_000)
    private static let hundredThousand = PopulatedDirectory(100_000)
    private static let million = PopulatedDirectory(1_000_000)

    // MARK: Requests

    private static func server(_ path: String?, _ durability: String = "none") -> ServerProcess {
        let data = path.map { ["--data", $0, "--durability", durability] } ?? ["--memory"]
        return ServerProcess("headwater", ["--port", "0", "--threads", "1", "--history", "100"] + data)
    }

    private static func read(_ space: String) -> [UInt8] {
        ServerMeasurements.request("GET", "/v1/spaces/\(space)/user/name")
    }

    private static func action(_ space: String, _ number: Int) -> [UInt8] {
        ServerMeasurements.request(
            "POST", "/v1/spaces/\(space)/user/save", "{\"name\":\"\(10_000_000 + number)\"}")
    }

    /// The processor time of a request, in microseconds.
    private static func perRequest(
        _ server: ServerProcess, _ connections: Int, seconds: Double = seconds, _ next: (Int) -> [UInt8]
    ) -> Double {
        let client = LoadClient(connections, to: server.port)
        var number = 0
        func request(_ connection: Int) -> [UInt8] {
            number += 1
            return next(number)
        }
        let before = server.nanoseconds
        let answered = client.requests(request, seconds: seconds)
        return (server.nanoseconds - before) / Double(answered) / 1e3
    }

    private static func warmAction(_ server: ServerProcess, _ connections: Int) -> Double {
        _ = perRequest(server, connections, seconds: 0.2) { action("main", $0) }
        return perRequest(server, connections) { action("main", 1_000_000 + $0) }
    }

    // MARK: Rows

    private static func coldReads(_ name: String, _ connections: Int, _ allowed: Double?) {
        let server = server(hundredThousand.path)
        _ = perRequest(server, connections, seconds: 0.3) { _ in read("customer-0") }
        let cold = perRequest(server, connections) { read("customer-\($0 &* 7_777_777 % 100_000)") }
        server.end()
        GrowthRow.print(name, cold, hundredThousand.nanosecondsPerLoad() / 1e3, allowed)
    }

    private static func firstActions(_ name: String, _ connections: Int, _ allowed: Double?) {
        let scratch = Scratch()
        let server = server(scratch.path + "/data")
        let warm = warmAction(server, connections)
        GrowthRow.print(name, perRequest(server, connections) { action("new-\($0)", $0) }, warm, allowed)
    }

    private static func evictions(_ name: String) {
        let server = server(hundredThousand.path)
        let warm = warmAction(server, 64)
        var number = 0
        func readNext(_ count: Int) -> Double {
            let client = LoadClient(64, to: server.port)
            let before = server.nanoseconds
            for _ in 0..<count / 64 {
                for index in 0..<64 {
                    number += 1
                    client.send(read("customer-\(number)"), on: index)
                }
                var missing = 64
                while missing > 0 { client.receive(answer: { _ in missing -= 1 }, event: { _ in }) }
            }
            return (server.nanoseconds - before) / Double(count / 64 * 64) / 1e3
        }
        _ = readNext(1_024)
        // Up to 10,000 idle spaces stay loaded; afterwards each load evicts a space.
        let without = readNext(8_000)
        _ = readNext(8_000)
        let with = readNext(8_000)
        GrowthRow.print(name, max(0, with - without), warm, 1)
    }

    private static func documents(_ name: String) {
        let server = server(nil)
        let client = LoadClient(1, to: server.port)
        func put(_ numbers: Range<Int>, label: Int = 0) {
            let documents = numbers.map { number in
                """
                "part\(number)":{"feature":"part\(number)","home":"space",
                "state":{"count":{"value":{"type":"integer"},"initial":0},
                "rows":{"table":{"key":{"type":"string"},"row":{"type":"integer"}}}},
                "actions":{"add":{"do":[{"set":"count","to":"state.count + 1"}]}},
                "views":{"count":{"expression":"state.count + \(label)"},"rows":{"from":"rows","sort":["row"]}}}
                """
            }
            client.send(
                ServerMeasurements.request("PUT", "/v1/features", "{\(documents.joined(separator: ","))}"), on: 0)
            var isAnswered = false
            while !isAnswered { client.receive(answer: { _ in isAnswered = true }, event: { _ in }) }
        }
        func perChange() -> Double {
            let before = server.nanoseconds
            for label in 1...50 { put(7..<8, label: label) }
            return (server.nanoseconds - before) / 50 / 1e3
        }
        put(0..<20)
        let few = perChange()
        for start in stride(from: 20, to: 2_000, by: 90) { put(start..<start + 90) }
        // Each of the others is looked at, and nothing else: a hundred times as many cost a quarter of that.
        GrowthRow.print(name, perChange(), few, 25)
        server.end()
    }

    private static func lone(_ name: String, _ durability: String?, _ allowed: Double) {
        let scratch = Scratch()
        let process = server(durability == nil ? nil : scratch.path + "/data", durability ?? "none")
        let client = LoadClient(1, to: process.port)
        func microseconds(_ next: (Int) -> [UInt8]) -> Double {
            var number = 0
            func request(_ connection: Int) -> [UInt8] {
                number += 1
                return next(number)
            }
            _ = client.requests(request, seconds: 0.2)
            let start = WallClock.now
            let answered = client.requests(request, seconds: seconds)
            return (WallClock.now - start) / Double(answered) * 1e6
        }
        var ratios: [(Double, Double)] = []
        for _ in 0..<5 {
            let act = microseconds { action("main", $0) }
            ratios.append((act, microseconds { _ in read("main") }))
        }
        let middle = ratios.sorted { $0.0 / $0.1 < $1.0 / $1.1 }[2]
        GrowthRow.print(name, middle.0, middle.1, allowed)
        process.end()
    }

    /// The growth of the resident memory for each of `count` requests. The routes of 8,192 paths are kept until one more
    /// comes: they are as many before as after.
    private static func bytes(_ server: ServerProcess, _ count: Int, _ next: (Int) -> [UInt8]) -> Double {
        let client = LoadClient(64, to: server.port)
        func send(_ numbers: Range<Int>, _ next: (Int) -> [UInt8]) {
            for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 64) {
                let end = min(start + 64, numbers.upperBound)
                for number in start..<end { client.send(next(number), on: number - start) }
                var missing = end - start
                while missing > 0 { client.receive(answer: { _ in missing -= 1 }, event: { _ in }) }
            }
        }
        send(0..<1_024, next)
        send(0..<7_160) { read("other-\($0)") }
        let before = server.residentBytes
        send(1_024..<1_024 + count, next)
        return (server.residentBytes - before) / Double(count)
    }

    private static func loadedSpace(_ name: String) {
        let scratch = Scratch()
        let server = server(scratch.path + "/data")
        GrowthRow.print(name, bytes(server, 8_192) { action("new-\($0)", $0) }, nil, 2_048)
    }

    private static func readSpace(_ name: String) {
        let server = server(hundredThousand.path)
        GrowthRow.print(name, bytes(server, 8_192) { read("customer-\($0)") }, nil, nil)
    }

    private static func unwritten(_ name: String) {
        let scratch = Scratch()
        let server = server(scratch.path + "/data")
        GrowthRow.print(name, bytes(server, 40_960) { read("nobody-\($0)") }, nil, 256)
    }

    /// Four reads for each action, over spaces of which the n-th is asked for 1/n as often as the first.
    private static func zipf(_ name: String, _ count: Int) {
        let directory = count == 1_000 ? thousand : count == 100_000 ? hundredThousand : million
        let server = server(directory.path)
        var random = SplitMix(seed: 1)
        let warm = warmAction(server, 64)
        let before = server.residentBytes
        let time = perRequest(server, 64, seconds: 4) { number in
            let space = "customer-\(random.zipf(count))"
            return number % 5 == 0 ? action(space, number) : read(space)
        }
        GrowthRow.print("us of a request, \(name), beside a warm action", time, warm, nil)
        GrowthRow.print("MB that the server grew by, \(name)", (server.residentBytes - before) / 1_048_576, nil, nil)
        server.end()
    }

    private static func start(_ name: String) {
        func milliseconds(_ directory: PopulatedDirectory) -> Double {
            let times = (0..<5).map { _ in
                let start = WallClock.now
                let server = server(directory.path)
                let time = (WallClock.now - start) * 1e3
                server.end()
                return time
            }
            return times.sorted()[2]
        }
        GrowthRow.print(name, milliseconds(million), milliseconds(thousand), 2)
    }

    private static func alarms(_ name: String) {
        let sleeping = PopulatedDirectory(1_000_000, alarms: 1_000)
        func startUp(_ directory: PopulatedDirectory) -> (milliseconds: Double, megabytes: Double) {
            let runs = (0..<5).map { _ in
                let start = WallClock.now
                let server = server(directory.path)
                let time = (WallClock.now - start) * 1e3
                let bytes = server.residentBytes
                server.end()
                return (time, bytes / 1_048_576)
            }
            return (runs.map(\.0).sorted()[2], runs.map(\.1).sorted()[2])
        }
        let (with, without) = (startUp(sleeping), startUp(million))
        GrowthRow.print("ms from start to ready, \(name)", with.milliseconds, without.milliseconds, 1.5)
        GrowthRow.print("MB resident when ready, \(name)", with.megabytes, without.megabytes, 1.1)
    }

    private static func stop(_ name: String) {
        func milliseconds(_ directory: PopulatedDirectory) -> Double {
            let server = server(directory.path)
            _ = perRequest(server, 64, seconds: 2) { read("customer-\($0 % directory.count)") }
            return server.end() * 1e3
        }
        GrowthRow.print(name, milliseconds(million), milliseconds(thousand), 2)
    }

    private static func stopStreams(_ name: String) {
        let server = server(nil)
        let client = LoadClient(10_000, to: server.port)
        client.subscribe(ServerMeasurements.request("GET", "/v1/spaces/main/user/title?events=1"))
        client.settle()
        GrowthRow.print(name, server.end() * 1e3, nil, 10_000)
    }
}

/// Random numbers (SplitMix64).
private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A number from 0 to 1.
    private mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
    }

    /// A number below `count` that is n with a probability of about 1/(n + 1): the logarithm is uniform.
    mutating func zipf(_ count: Int) -> Int { min(count - 1, Int(pow(Double(count + 1), unit())) - 1) }
}
