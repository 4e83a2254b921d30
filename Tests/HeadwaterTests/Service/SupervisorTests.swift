import Glibc
import Testing

/// The server tells its supervisor what it does.
@Suite struct SupervisorTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// Binds a socket for datagrams, as a supervisor does.
    private func listen(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Trouble("the supervisor has no socket") }
        return descriptor
    }

    /// Returns the next state that is no sign of life.
    private func next(_ descriptor: Int32, skips skipped: String) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw Trouble("the server says nothing") }
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            if text != skipped { return text }
        }
    }

    @Test func `the supervisor hears of the start, of signs of life, of a reload and of the end`() throws {
        let path = scratch.path + "/notify"
        let supervisor = try listen(path)
        defer { close(supervisor) }
        let server = try Service(
            "--memory", "--threads", "2", environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "100000"])
        let ready = try next(supervisor, skips: "")
        #expect(ready == "READY=1\nSTATUS=listening on http://127.0.0.1:\(server.port)")
        #expect(try next(supervisor, skips: "") == "WATCHDOG=1")
        server.program.kill(SIGHUP)
        #expect(try next(supervisor, skips: "WATCHDOG=1").hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        #expect(try next(supervisor, skips: "WATCHDOG=1") == "READY=1")
        server.program.kill(SIGTERM)
        #expect(try next(supervisor, skips: "WATCHDOG=1") == "STOPPING=1")
        #expect(server.program.wait() == 0)
    }

    @Test func `a supervisor without a watchdog hears no sign of life, and one that is gone hinders nothing`() throws {
        let path = scratch.path + "/notify"
        let supervisor = try listen(path)
        let server = try Service("--memory", environment: ["NOTIFY_SOCKET": path, "WATCHDOG_PID": "1"])
        #expect(try next(supervisor, skips: "").hasPrefix("READY=1"))
        close(supervisor)
        unlink(path)
        server.program.kill(SIGHUP)
        #expect(try server.ask("GET", "/healthz").status == 200)
        server.program.kill(SIGTERM)
        #expect(server.program.wait() == 0)
    }
}
