import Glibc

/// The server's processor time compared with the reference server's. Each runs in its own process, alternating, in the
/// same run.
struct ServerMeasurements {
    static let rounds = 5
    static let seconds = 0.6

    private static let action = request("POST", "/v1/spaces/main/user/logIn", "{\"name\":\"12345678\"}")
    private static let look = request("GET", "/v1/spaces/main/user/title")
    private static let stream = request("GET", "/v1/spaces/main/user/title?events=1")

    static func request(_ method: String, _ target: String, _ body: String? = nil, _ fields: [String] = []) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        for field in fields { text += "\(field)\r\n" }
        if let body { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        return Array((text + "\r\n" + (body ?? "")).utf8)
    }

    /// Returns an action with a unique name, so that each one commits a change.
    private static func action(_ number: Int) -> [UInt8] {
        request("POST", "/v1/spaces/main/user/logIn", "{\"name\":\"\(10_000_000 + number)\"}")
    }

    /// Runs the measurements that have `name` in their name.
    static func print(only name: String = "") {
        Swift.print("\nserver, processor time of its process for each operation\n")
        Swift.print("| measurement | us | floor us | ratio | allowed | |")
        Swift.print("|---|--:|--:|--:|--:|---|")
        for (what, measure) in measurements where name.isEmpty || what.contains(name) { measure(what) }
    }

    private static var measurements: [(name: String, measure: (String) -> Void)] {
        [64, 256].flatMap { count in
            [
                ("an action, \(count) connections", { row($0, 1.15) { perRequest($0, alternating: true, count) } }),
                ("a read, \(count) connections", { row($0, 1.10) { perRequest($0, look, count) } }),
            ]
        }
            + [1_000, 10_000].flatMap { count in
                [
                    (
                        "a change to \(count) streams, each delivery",
                        { row($0, 1.05) { perDelivery($0, count, window: 1) } }
                    ),
                    (
                        "a change to \(count) streams with eight in flight, each delivery",
                        { row($0, 0.7) { perDelivery($0, count, window: 8) } }
                    ),
                ]
            }
            + [
                ("a turn of a long poll, 1000 waiting", { row($0, 1.2) { perPoll($0, 1_000) } }),
                ("memory of an idle stream, in bytes", memory),
                (
                    "an action, 64 connections each with a space of its own, two loops compared with one",
                    { loops($0, 1.15, roaming: false, pace: nil) }
                ),
                ("the same, 40000 a second", { loops($0, 1.15, roaming: false, pace: 40_000) }),
                ("the same with another space in each request", { loops($0, 2, roaming: true, pace: 40_000) }),
                ("durable actions a millisecond, 256 connections", durable),
            ]
    }

    /// The measured program: the server with fixed arguments, or the reference server.
    enum Side {
        case ours
        case floor
    }

    private static func start(_ side: Side) -> ServerProcess {
        side == .ours
            ? ServerProcess("headwater", ["--port", "0", "--memory", "--threads", "1", "--history", "100"])
            : ServerProcess("", ["floor"])
    }

    private static func row(_ name: String, _ allowed: Double, _ measure: (Side) -> Double) {
        var ours: [Double] = []
        var floor: [Double] = []
        for round in 0..<rounds {
            // The order alternates, because the first side pays for the start of other background work.
            if round % 2 == 0 {
                ours.append(measure(.ours))
                floor.append(measure(.floor))
            } else {
                floor.append(measure(.floor))
                ours.append(measure(.ours))
            }
        }
        let ratio = median(ours) / median(floor)
        line(name, median(ours) / 1e3, median(floor) / 1e3, ratio, allowed)
    }

    private static func line(
        _ name: String, _ one: Double, _ other: Double, _ ratio: Double, _ allowed: Double, isMost: Bool = true
    ) {
        let isOver = isMost ? ratio > allowed : ratio < allowed
        let bound = (isMost ? "" : "≥ ") + places(allowed)
        let cells = [name, places(one), places(other), places(ratio), bound, isOver ? "over" : ""]
        Swift.print("| \(cells.joined(separator: " | ")) |")
        fflush(nil)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    static func places(_ value: Double) -> String {
        let scaled = Int((value * 100).rounded())
        return "\(scaled / 100).\(scaled % 100 < 10 ? "0" : "")\(scaled % 100)"
    }

    // MARK: Rows

    private static func perRequest(_ side: Side, _ bytes: [UInt8], _ count: Int) -> Double {
        let child = start(side)
        let client = LoadClient(count, to: child.port)
        _ = client.requests(bytes, seconds: 0.1)
        let before = child.nanoseconds
        let answered = client.requests(bytes, seconds: seconds)
        return (child.nanoseconds - before) / Double(answered)
    }

    private static func perRequest(_ side: Side, alternating: Bool, _ count: Int) -> Double {
        let child = start(side)
        let client = LoadClient(count, to: child.port)
        var number = 0
        func next(_ connection: Int) -> [UInt8] {
            number += 1
            return action(number)
        }
        _ = client.requests(next, seconds: 0.1)
        let before = child.nanoseconds
        let answered = client.requests(next, seconds: seconds)
        return (child.nanoseconds - before) / Double(answered)
    }

    private static func perDelivery(_ side: Side, _ count: Int, window: Int) -> Double {
        let child = start(side)
        let streams = LoadClient(count, to: child.port)
        streams.subscribe(side == .ours ? stream : request("GET", "/events"))
        streams.settle()
        let actor = LoadClient(1, to: child.port)
        let publications = max(24, 60_000 / count)
        let before = child.nanoseconds
        var number = 0
        while number < publications {
            for _ in 0..<window {
                number += 1
                actor.send(action(number), on: 0)
            }
            var missing = count
            var answers = window
            // The reference server sends each change separately; headwater may coalesce eight changes into one event.
            if side == .floor { missing *= window }
            while missing > 0 { streams.receive(answer: { _ in }, event: { _ in missing -= 1 }) }
            while answers > 0 { answers -= actor.takeAnswers() }
            streams.drain()
        }
        return (child.nanoseconds - before) / Double(number * count)
    }

    private static func perPoll(_ side: Side, _ count: Int) -> Double {
        let child = start(side)
        let polls = LoadClient(count, to: child.port)
        polls.keepsTags = true
        let actor = LoadClient(1, to: child.port)
        let turns = 30
        var tag = "none"
        var before = child.nanoseconds
        for turn in 0...turns {
            if turn == 1 { before = child.nanoseconds }
            let bytes =
                side == .ours
                ? request("GET", "/v1/spaces/main/user/title", nil, ["If-None-Match: \"\(tag)\"", "Prefer: wait=60"])
                : request("GET", "/wait")
            for index in 0..<count { polls.send(bytes, on: index) }
            if side == .floor || turn > 0 {
                actor.send(action(turn), on: 0)
                actor.receive(answer: { _ in }, event: { _ in })
            }
            var missing = count
            while missing > 0 { polls.receive(answer: { _ in missing -= 1 }, event: { _ in }) }
            tag = polls.lastTag
        }
        return (child.nanoseconds - before) / Double(turns * count)
    }

    private static func memory(_ name: String) {
        let child = start(.ours)
        let first = LoadClient(10, to: child.port)
        first.subscribe(stream)
        first.settle()
        let before = child.residentBytes
        let client = LoadClient(10_000, to: child.port)
        client.subscribe(stream)
        client.settle()
        let bytes = (child.residentBytes - before) / 10_000
        Swift.print("| \(name) | \(places(bytes)) | – | – | 310 | \(bytes > 310 ? "over" : "") |")
    }

    private static func loops(_ name: String, _ allowed: Double, roaming: Bool, pace: Double?) {
        func perAction(_ threads: Int) -> Double {
            let child = ServerProcess(
                "headwater", ["--port", "0", "--memory", "--threads", "\(threads)", "--history", "100"], isPinned: false
            )
            let client = LoadClient(64, to: child.port)
            var number = 0
            func next(_ connection: Int) -> [UInt8] {
                number += 1
                let space = roaming ? number % 64 : connection
                return request("POST", "/v1/spaces/s\(space)/user/logIn", "{\"name\":\"\(10_000_000 + number)\"}")
            }
            _ = client.requests(next, seconds: 0.1)
            let before = child.nanoseconds
            let answered =
                if let pace { client.requests(next, seconds: seconds, perSecond: pace) } else {
                    client.requests(next, seconds: seconds)
                }
            return (child.nanoseconds - before) / Double(answered)
        }
        var one: [Double] = []
        var two: [Double] = []
        for _ in 0..<rounds {
            one.append(perAction(1))
            two.append(perAction(2))
        }
        line(name, median(two) / 1e3, median(one) / 1e3, median(two) / median(one), allowed)
    }

    private static func durable(_ name: String) {
        func perMillisecond(_ child: ServerProcess) -> Double {
            let client = LoadClient(256, to: child.port)
            var number = 0
            func next(_ connection: Int) -> [UInt8] {
                number += 1
                return action(number)
            }
            _ = client.requests(next, seconds: 0.2)
            let start = WallClock.now
            let answered = client.requests(next, seconds: 1)
            return Double(answered) / (WallClock.now - start) / 1e3
        }
        var ours: [Double] = []
        var floor: [Double] = []
        for _ in 0..<rounds {
            let scratch = Scratch()
            ours.append(
                perMillisecond(
                    ServerProcess("headwater", ["--port", "0", "--data", scratch.path + "/data", "--threads", "1"])))
            floor.append(perMillisecond(ServerProcess("", ["floor", scratch.path + "/log"])))
        }
        let (one, other) = (median(ours), median(floor))
        line(name, one, other, one / other, 0.8, isMost: false)
    }
}
