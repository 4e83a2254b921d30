import DiskFaults
import Glibc
import JSON
import Testing

@Suite struct FailingDiskTests {
    let scratch: Scratch
    let disk: FaultyDisk

    init() throws {
        scratch = try Scratch()
        disk = try FaultyDisk(in: scratch.path)
    }

    private func serve(_ durability: String = "commit", isFaulty: Bool = true) throws -> Service {
        try Service(
            "--data", disk.directory, "--durability", durability, "--threads", "1",
            environment: isFaulty ? try disk.environment : [:])
    }

    private let add = (path: "/v1/spaces/a/cart/add", body: #"{"productId": 1}"#)

    @Test(arguments: [false, true])
    func `an action whose sync failed has an unknown outcome, and its key keeps it at one commit, also after a crash`(
        _ crashes: Bool
    ) throws {
        let server = try serve()
        #expect(try server.ask("POST", add.path, add.body).status == 200)
        // The maintenance thread syncs the log too. If its sync takes the fault, the action succeeds or is refused, and the
        // next one is tried.
        var (keys, version) = (0, 1)
        var unknown: Response
        let deadline = Deadline()
        repeat {
            keys += 1
            try disk.arm(.init(.sync, of: [.log]))
            unknown = try server.ask("POST", add.path, add.body, ["Idempotency-Key": "k\(keys)"])
            if unknown.status == 200 { version += 1 }
        } while try !unknown.isProblem("outcome-unknown", 503) && deadline.millisecondsLeft > 0
        version += 1
        #expect(
            try unknown.isProblem("outcome-unknown", 503) && unknown["Retry-After"] != nil
                && !unknown.text.contains("Nothing was changed"))
        try disk.arm(nil)
        if crashes {
            server.program.kill(SIGKILL)
            _ = server.program.wait()
        }
        let now = crashes ? try serve(isFaulty: false) : server
        let repeated = try now.ask("POST", add.path, add.body, ["Idempotency-Key": "k\(keys)"])
        #expect(repeated.status == 200)
        // Its frames were in the log: the next process has the commit, unless this one has begun the log anew before it
        // was killed. This process has not. In each case the version and the number are those of one commit.
        let replayed = repeated["Idempotency-Replayed"]
        #expect(replayed == nil || crashes && replayed == "true")
        #expect(try now.ask("GET", "/v1/spaces/a").json["version"]?.integer == version)
        #expect(try now.ask("GET", "/v1/spaces/a/cart/numberOfItems").text == "\(version)")
    }

    @Test(arguments: ["commit", "interval"])
    func `while syncs fail, no action is acknowledged, the server is not ready, and the exit status is not 0`(
        _ durability: String
    ) throws {
        let server = try serve(durability)
        #expect(try server.ask("POST", add.path, add.body).status == 200)
        try disk.arm(.init(.sync, lasts: true))
        let deadline = Deadline()
        var status = 0
        while status != 503, deadline.millisecondsLeft > 0 {
            status = try server.ask("POST", add.path, add.body).status
        }
        #expect(status == 503)
        #expect(try server.ask("POST", add.path, add.body).isProblem("cannot-write", 503))
        #expect(try server.ask("GET", "/readyz").isProblem("not-ready", 503))
        let metrics = try server.ask("GET", "/metrics").text
        #expect(
            metrics.split(separator: "\n").contains {
                $0.hasPrefix("headwater_journal_sync_failures_total ") && !$0.hasSuffix(" 0")
            })
        #expect(try server.ask("GET", "/v1/spaces/a/cart/numberOfItems").status == 200)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 1)
    }

    @Test func `the server works again once the disk does`() throws {
        let server = try serve()
        try disk.arm(.init(.sync, lasts: true))
        #expect(try server.ask("POST", add.path, add.body).status == 503)
        try disk.arm(nil)
        let deadline = Deadline()
        while try server.ask("GET", "/readyz").status != 200, deadline.millisecondsLeft > 0 {}
        #expect(try server.ask("POST", add.path, add.body).status == 200)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
    }
}
