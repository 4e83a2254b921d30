import Foundation

/// A load on a server that another program describes and measures, as `Scripts/bench-cluster` does.
enum CommandedLoad {
    /// Sends requests to a port on many connections, one under way on each, for some seconds. The standard input is a
    /// JSON array of cycles, which are arrays of whole requests: each connection repeats one of them. Prints the number
    /// of answers and the seconds.
    static func run(_ arguments: [String]) {
        guard arguments.count == 3, let port = UInt16(arguments[0]), let count = Int(arguments[1]),
            let seconds = Double(arguments[2]),
            let cycles = try? JSONDecoder().decode(
                [[String]].self, from: FileHandle.standardInput.readDataToEndOfFile())
        else {
            FileHandle.standardError.write(Data("usage: Benchmarks load PORT CONNECTIONS SECONDS < CYCLES\n".utf8))
            exit(2)
        }
        let requests = cycles.map { $0.map { Array($0.utf8) } }
        var sent = [Int](repeating: 0, count: count)
        let client = LoadClient(count, to: port)
        let start = WallClock.now
        let answered = client.requests(
            { index in
                let cycle = requests[index % requests.count]
                sent[index] += 1
                return cycle[(sent[index] - 1) % cycle.count]
            }, seconds: seconds)
        print(answered, WallClock.now - start)
    }
}
