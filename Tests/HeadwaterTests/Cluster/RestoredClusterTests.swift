import Foundation
import Ground
import NATSServers
import Testing

/// The page about backups of a cluster, typed, with the real program over a real log.
@Suite(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"), .serialized, .timeLimit(.minutes(10)))
struct RestoredClusterTests {
    /// The commands of the chapter "Backups", as lists of words.
    private static func commands() throws -> [[String]] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/cluster.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let chapter = try #require(text.components(separatedBy: "## Backups\n").last)
        let block = try #require(chapter.components(separatedBy: "```").dropFirst().first)
        return block.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0.first == "headwater" }
    }

    private func end(_ service: Service) {
        service.program.kill(SIGTERM)
        _ = service.program.wait()
    }

    // Law CL18
    @Test func `a backup becomes a cluster that other nodes join`() throws {
        let yard = try ClusterYard()
        let fields = ["Authorization": "Bearer root"]
        let former = try yard.node("former")
        for number in 0..<8 {
            let added = try former.askUntilAble(
                "POST", "/v1/spaces/s\(number % 4)/cart/add", #"{"productId": 1}"#, fields)
            #expect(added.status == 200, "\(added)")
        }
        let expected = try former.askUntilAble("GET", "/v1/spaces/s1/cart/totalPrice", nil, fields)
        end(former)
        // The page names directories of a real machine.
        let folder = yard.scratch.path
        let commands = try Self.commands().map { words in
            words.map {
                $0.replacing("/var/lib/headwater-second", with: "\(folder)/second")
                    .replacing("/var/lib/headwater", with: "\(folder)/former")
                    .replacing("/var/backups/monday", with: "\(folder)/monday")
            }
        }
        #expect(commands.map { $0[1] } == ["backup", "cluster", "serve"])
        let backup = try Program.run(Array(commands[0].dropFirst()), environment: yard.environment)
        #expect(backup.status == 0, "\(backup)")
        let restoring = Array(commands[1].dropFirst()) + ["--replicas", "1"]
        let restore = try Program.run(restoring, environment: yard.environment)
        guard NATSServers.isCurrent else {
            // Servers before 2.10 begin every stream at 1.
            #expect(restore.status == 1 && restore.errors.contains("too old"), "\(restore)")
            return
        }
        #expect(restore.status == 0 && restore.output.contains("4 lanes and common"), "\(restore)")
        let again = try Program.run(
            ["cluster", "restore", "\(folder)/monday", "\(folder)/third", "--cluster", "second"],
            environment: yard.environment)
        #expect(again.status == 1 && again.errors.contains("a cluster second already"), "\(again)")
        let first = try Service(arguments: Array(commands[2].dropFirst(2)), environment: yard.environment)
        let second = try Service(
            arguments: ["--cluster", "second", "--node", "B", "--data", "\(folder)/empty"],
            environment: yard.environment)
        for node in [first, second] {
            let price = try node.askUntilAble("GET", "/v1/spaces/s1/cart/totalPrice", nil, fields)
            #expect(price.body == expected.body, "\(price)")
        }
        for number in 0..<8 {
            let node = number % 2 == 0 ? first : second
            let added = try node.askUntilAble(
                "POST", "/v1/spaces/s\(number % 5)/cart/add", #"{"productId": 1}"#, fields)
            #expect(added.status == 200, "\(added)")
        }
        let prices = try [first, second].map {
            try $0.askUntilAble("GET", "/v1/spaces/s1/cart/totalPrice", nil, fields).body
        }
        #expect(prices[0] == prices[1] && prices[0] != expected.body)
        end(first)
        end(second)
    }

    // Law CL18
    @Test func `a directory with spaces of no cluster is refused`() throws {
        let yard = try ClusterYard()
        let single = try Service(arguments: ["--data", "\(yard.scratch.path)/single"], environment: [:])
        #expect(try single.ask("POST", "/v1/spaces/s/cart/add", #"{"productId": 1}"#, [:]).status == 200)
        end(single)
        let refused = try Program.run(
            ["serve", "--port", "0", "--node", "A", "--data", "\(yard.scratch.path)/single"],
            environment: yard.environment)
        #expect(refused.status != 0 && refused.errors.contains("cluster restore"), "\(refused)")
    }
}
