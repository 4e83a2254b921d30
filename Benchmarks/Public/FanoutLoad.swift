import Foundation

/// Streams of a server that another program starts, and the time from a request to the events that it causes.
enum FanoutLoad {
    private struct Course: Decodable {
        /// The whole requests of the streams: each stream sends one of them, in turn.
        let streams: [String]
        /// The whole requests that cause events, sent in turn.
        let requests: [String]
        /// The events that each request causes.
        let events: Int
    }

    /// Opens `count` streams, sends `rounds` requests, each once all events of the one before are here, and prints as JSON
    /// the microseconds from a request to an event: the median, the 99th percentile and the longest. The standard input
    /// is a `Course`.
    static func run(_ arguments: [String]) {
        guard arguments.count == 3, let port = UInt16(arguments[0]), let count = Int(arguments[1]),
            let rounds = Int(arguments[2]),
            let course = try? JSONDecoder().decode(Course.self, from: FileHandle.standardInput.readDataToEndOfFile()),
            count > 0, rounds > 0, course.events > 0, !course.streams.isEmpty, !course.requests.isEmpty
        else {
            FileHandle.standardError.write(Data("usage: Benchmarks fanout PORT STREAMS ROUNDS < COURSE\n".utf8))
            exit(2)
        }
        let streams = LoadClient(count, to: port)
        streams.subscribe { Array(course.streams[$0 % course.streams.count].utf8) }
        streams.settle()
        let sender = LoadClient(1, to: port)
        var times: [Double] = []
        for round in 0..<rounds {
            let start = WallClock.now
            sender.send(Array(course.requests[round % course.requests.count].utf8), on: 0)
            var missing = course.events
            while missing > 0 {
                streams.receive(answer: { _ in }) { _ in
                    missing -= 1
                    times.append((WallClock.now - start) * 1e6)
                }
            }
            var isAnswered = false
            while !isAnswered { sender.receive(answer: { _ in isAnswered = true }, event: { _ in }) }
        }
        times.sort()
        func share(_ share: Double) -> Int { Int(times[min(times.count - 1, Int(Double(times.count) * share))]) }
        print("{\"median\": \(share(0.5)), \"p99\": \(share(0.99)), \"longest\": \(share(1))}")
    }
}
