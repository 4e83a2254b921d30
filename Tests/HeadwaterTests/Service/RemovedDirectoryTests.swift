import DiskFaults
import Foundation
import Platform
import Testing

// Law D15.
@Suite struct RemovedDirectoryTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private let add = (path: "/v1/spaces/a/cart/add", body: #"{"productId": 1}"#)

    @Test(
        "while clients act, the directory is removed: no action sent afterwards is acknowledged, and /readyz says so",
        arguments: ["commit", "interval", "none"])
    func removal(_ durability: String) throws {
        let server = try Service("--data", scratch.data, "--durability", durability, "--threads", "2")
        let isRemoved = Lock(false)
        let statuses = Lock<[(status: Int, isLate: Bool)]>([])
        let group = DispatchGroup()
        for client in 0..<4 {
            group.enter()
            Thread { [add] in
                defer { group.leave() }
                guard let connection = try? server.connect() else { return }
                var left = 200
                while left > 0 {
                    let isLate = isRemoved.with { $0 }
                    if isLate { left -= 1 }
                    let path = add.path.replacingOccurrences(of: "/a/", with: "/a\(client)/")
                    guard (try? connection.send(Request.text("POST", path, add.body))) != nil,
                        let response = try? connection.response()
                    else { return }
                    statuses.with { $0.append((response.status, isLate)) }
                }
            }.start()
        }
        #expect(server.eventually { statuses.with { $0.count } > 200 })
        try FileManager.default.removeItem(atPath: scratch.data)
        isRemoved.with { $0 = true }
        group.wait()
        let all = statuses.with { $0 }
        #expect(all.count { $0.status == 200 } > 100)
        #expect(all.count { $0.isLate } == 800)
        #expect(all.allSatisfy { $0.isLate ? $0.status == 503 : $0.status == 200 || $0.status == 503 })
        #expect(try server.ask("GET", "/readyz").isProblem("not-ready", 503))
        #expect(try server.ask("DELETE", "/v1/spaces/a0").status == 503)
        #expect(try server.metric("headwater_journal_sync_failures_total") > 0)
        // Reading goes on.
        #expect(try server.ask("GET", "/v1/spaces/a0/cart/numberOfItems").status == 200)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 1)
    }

    @Test func `a full disk counts as a failed sync`() throws {
        let disk = try FaultyDisk(in: scratch.path)
        let server = try Service(
            "--data", disk.directory, "--threads", "1", environment: try disk.environment)
        #expect(try server.ask("POST", add.path, add.body).status == 200)
        #expect(try server.metric("headwater_journal_sync_failures_total") == 0)
        try disk.arm(.init(.write, of: [.log], error: ENOSPC, lasts: true))
        #expect(try server.ask("POST", add.path, add.body).isProblem("cannot-write", 503))
        #expect(try server.metric("headwater_journal_sync_failures_total") > 0)
        try disk.arm(nil)
        #expect(try server.eventually { try server.ask("GET", "/readyz").status == 200 })
        #expect(try server.ask("POST", add.path, add.body).status == 200)
    }
}
