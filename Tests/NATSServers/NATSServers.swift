import Foundation
import Synchronization

/// Servers of NATS for tests, on free ports of 127.0.0.1, with their stores in a scratch folder.
package final class NATSServers: Sendable {
    /// The program; nil if none is installed. `HEADWATER_NATS_SERVER` names another one than that of the system.
    package static let program: String? = {
        let named = ProcessInfo.processInfo.environment["HEADWATER_NATS_SERVER"] ?? ""
        let places =
            named.isEmpty ? ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"] : [named]
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()
    /// True if the tests with a server can run: the server and the client library are installed.
    package static var isInstalled: Bool { program != nil && hasLibrary }
    /// True if the server is 2.12.3 or later.
    package static let isCurrent: Bool = {
        guard let program else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--version"]
        let pipe = Pipe()
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return false }
        let words = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // Such as "nats-server: v2.14.0".
        let version = words.split(whereSeparator: \.isWhitespace).last?.dropFirst() ?? ""
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        return numbers.count == 3 && !numbers.lexicographicallyPrecedes([2, 12, 3])
    }()
    /// The reason that tests with a server are skipped.
    package static let absence = "nats-server or libnats is not installed: apt-get install nats-server libnats3.4"

    private static let hasLibrary: Bool = {
        guard let library = dlopen("libnats.so.3.4", RTLD_LAZY) ?? dlopen("libnats.so", RTLD_LAZY) else { return false }
        dlclose(library)
        return true
    }()

    /// A fault of the scaffold.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The processes that end with this one at the latest: a test's servers may be held by a static variable.
    private static let started: Mutex<[pid_t]> = {
        atexit { NATSServers.started.withLock { for process in $0 { Foundation.kill(process, SIGKILL) } } }
        return Mutex([])
    }()

    private let folder: String
    private let processes: Mutex<[Process?]>
    private let configurations: [String]
    private let addresses: Mutex<[String]> = Mutex([])
    /// The URLs of the servers.
    package var urls: [String] { addresses.withLock { $0 } }

    /// Starts servers; several are one cluster. `settings` are lines for the configuration of each. With `certificate`
    /// files the clients' connections are encrypted.
    package init(_ count: Int = 1, settings: String = "", scheme: String = "nats") throws {
        guard let program = Self.program else { throw Failure(description: Self.absence) }
        let word = UUID().uuidString
        folder = NSTemporaryDirectory() + "headwater-nats-\(word)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        configurations = (0..<count).map { [folder] in "\(folder)/s\($0).conf" }
        processes = Mutex(Array(repeating: nil, count: count))
        var attempts = 0
        while true {
            let ports = try Self.freePorts(count * 2)
            addresses.withLock { $0 = ports[..<count].map { "\(scheme)://127.0.0.1:\($0)" } }
            try configure(ports, word, settings)
            for index in 0..<count { try start(index, program) }
            if (0..<count).allSatisfy({ isReady($0, at: ports[$0], "\(word)-\($0)") }) { return }
            // Another process may have taken a port meanwhile.
            for index in 0..<count { kill(index) }
            attempts += 1
            guard attempts < 5 else { throw Failure(description: "nats-server does not start") }
        }
    }

    private func configure(_ ports: [Int], _ word: String, _ settings: String) throws {
        let count = configurations.count
        let routes = ports[count...].map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
        for index in 0..<count {
            let cluster =
                count == 1
                ? "" : "cluster { name: test, listen: \"127.0.0.1:\(ports[count + index])\", routes: [\(routes)] }"
            let text = """
                server_name: "\(word)-\(index)"
                listen: "127.0.0.1:\(ports[index])"
                max_payload: 8MB
                jetstream { store_dir: "\(folder)/d\(index)", max_mem: 64MB, max_file: 1GB }
                \(cluster)
                \(settings)
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: configurations[index]))
        }
    }

    /// Waits until a server of a name answers at a port. Returns false if its process ends before.
    private func isReady(_ index: Int, at port: Int, _ name: String) -> Bool {
        let deadline = DispatchTime.now() + 120
        while DispatchTime.now() < deadline, processes.withLock({ $0[index]?.isRunning ?? false }) {
            if Self.greeting(at: port)?.contains(name) ?? false { return true }
            sched_yield()
        }
        return false
    }

    /// The first bytes that a server sends; nil if none answers.
    private static func greeting(at port: Int) -> String? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = withAddress(port) { connect(descriptor, $0, $1) == 0 }
        guard isConnected else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    deinit {
        for process in processes.withLock({ $0 }) {
            guard let process else { continue }
            process.terminate()
            Self.waitForEnd(of: process)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The addresses as one text.
    package var url: String { urls.joined(separator: ",") }

    /// Kills a server at once.
    package func kill(_ index: Int) {
        let process = processes.withLock { processes in
            defer { processes[index] = nil }
            return processes[index]
        }
        guard let process else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        Self.waitForEnd(of: process)
    }

    /// Waits for the end of a process, whoever learns of it first: `waitUntilExit` waits for ever if that is the monitor of
    /// exit tests.
    private static func waitForEnd(of process: Process) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process.processIdentifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Starts a server that was killed.
    package func restart(_ index: Int) throws {
        try start(index, Self.program ?? "")
    }

    /// Stops a server's process, or lets it go on.
    package func signal(_ index: Int, _ signal: Int32) {
        processes.withLock { processes in
            if let process = processes[index] { Foundation.kill(process.processIdentifier, signal) }
        }
    }

    private func start(_ index: Int, _ program: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-c", configurations[index]]
        let log = "\(configurations[index]).log"
        try Data().write(to: URL(fileURLWithPath: log))
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        processes.withLock { $0[index] = process }
        Self.started.withLock { $0.append(process.processIdentifier) }
    }

    /// The ports that tests of this process have taken.
    private static let taken = Mutex<Set<Int>>([])

    /// Returns ports that nobody uses now. They lie below those that the system gives to outgoing connections.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var ports: [Int] = []
        for _ in 0..<10_000 where ports.count < count {
            let port = Int.random(in: 15_000..<32_000)
            guard taken.withLock({ $0.insert(port).inserted }) else { continue }
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            if withAddress(port, { bind(descriptor, $0, $1) == 0 }) { ports.append(port) }
        }
        guard ports.count == count else { throw Failure(description: "no free port") }
        return ports
    }

    /// Runs `body` with the address of a port of this machine.
    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
