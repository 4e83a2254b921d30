import NATSServers
import Testing

/// The exit statuses and the words of `headwater cluster`.
struct ClusterCommandTests {
    private static let journal = ["--journal", "nats://127.0.0.1:1", "--cluster", "c"]

    @Test(arguments: [
        [], ["fly"], ["init", "more"], ["show", "A"], ["drain"], ["drain", "A", "B"], ["drain", "a.b"],
        ["repair", "0"], ["repair", "x", "--from", "A"], ["repair", "-1", "--from", "A"], ["repair", "--from", "A"],
        ["init", "--lanes", "0"], ["init", "--lanes", "x"], ["init", "--replicas", "9"], ["init", "--lanes"],
        ["show", "--lanes", "2"], ["init", "--speed", "2"], ["init", "--cluster", "a b"], ["init", "--journal", "x"],
        ["init", "--journal", "http://127.0.0.1:1"], ["init", "--journal", ""],
    ])
    func `wrong arguments are refused with the status 2 and one line`(_ arguments: [String]) throws {
        let run = try Program.run(["cluster"] + Self.journal + arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test func `servers and cluster must be named, and the environment can name them`() throws {
        #expect(try Program.run(["cluster", "show"]).status == 2)
        #expect(try Program.run(["cluster", "show", "--journal", "nats://127.0.0.1:1"]).status == 2)
        let environment = ["HEADWATER_JOURNAL": "nats://127.0.0.1:1", "HEADWATER_CLUSTER": "c"]
        let run = try Program.run(["cluster", "show"], environment: environment)
        #expect(run.status == 1)
        #expect(run.errors.contains("127.0.0.1:1"))
    }

    @Test func `a password in an address is refused and not repeated`() throws {
        let run = try Program.run(["cluster", "show", "--journal", "nats://user:secret@127.0.0.1", "--cluster", "c"])
        #expect(run.status == 2)
        #expect(run.errors.contains("HEADWATER_JOURNAL_PASSWORD"))
        #expect(!run.errors.contains("secret"))
    }

    @Test(.enabled(if: NATSServers.isInstalled, "\(NATSServers.absence)"))
    func `a cluster is made, shown, and not made with other lanes`() throws {
        let servers = try NATSServers()
        let environment = [
            "HEADWATER_JOURNAL": servers.url, "HEADWATER_CLUSTER": "c", "HEADWATER_JOURNAL_ACCEPT_OLD_SERVER": "1",
        ]
        func run(_ arguments: String...) throws -> Program.Ending {
            try Program.run(["cluster"] + arguments, environment: environment)
        }
        /// Repeats a command until its time limits do not end it: the machine may be busy.
        func ending(_ isMeant: (Program.Ending) -> Bool, _ arguments: String...) throws -> Program.Ending {
            let deadline = Deadline(seconds: 120)
            while true {
                let run = try Program.run(["cluster"] + arguments, environment: environment)
                if isMeant(run) || deadline.millisecondsLeft <= 0 { return run }
            }
        }
        let absent = try ending({ $0.errors.contains("run headwater cluster init") }, "show")
        #expect(absent.status == 1 && absent.errors.contains("run headwater cluster init"))
        let copies = try ending({ $0.errors.contains("3 copies") }, "init", "--lanes", "3")
        #expect(copies.status == 1 && copies.errors.contains("3 copies"))
        let made = try ending({ $0.status == 0 }, "init", "--lanes", "3", "--replicas", "1")
        #expect(made.status == 0 && made.output.hasPrefix("cluster c"))
        let again = try ending({ $0.status == 0 }, "init", "--lanes", "3", "--replicas", "1")
        #expect(again.status == 0 && again.output.contains("nothing done"))
        let other = try ending({ $0.errors.contains("lanes") }, "init", "--lanes", "4", "--replicas", "1")
        #expect(other.status == 1 && other.errors.contains("has 3 lanes, not 4"))
        let shown = try ending({ $0.status == 0 }, "show")
        #expect(shown.status == 0 && shown.output.contains("without an owner: common 0-2"))
        #expect(try run("drain", "A").status == 1)
        #expect(try run("repair", "0", "--from", "A").status == 1)
    }
}
