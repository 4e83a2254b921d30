import Foundation
import Glibc

/// A TLS server with a new certificate that no client trusts by default: `openssl s_server`, which answers with files.
final class TLSServer {
    /// The path of openssl, or nil if it is not installed.
    static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    struct NotStarted: Error {}

    let port: UInt16
    private let folder: URL
    private let process = Process()

    /// Listens with a certificate for `names` (subject alternative names), and answers each path with the bytes of its
    /// response.
    init(_ answers: [String: String], certifiedFor names: String = "IP:127.0.0.1") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "secure-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (path, answer) in answers { try Data(answer.utf8).write(to: folder.appending(path: path)) }
        let making = Process()
        try Self.run(
            making,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                "key.pem", "-out",
                "certificate.pem", "-days", "2", "-subj", "/CN=Headwater's tests", "-addext", "subjectAltName=\(names)",
            ], in: folder)
        making.waitUntilExit()
        guard making.terminationStatus == 0 else { throw NotStarted() }
        let told = Pipe()
        try Self.run(
            process, ["s_server", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem", "-HTTP"],
            in: folder,
            telling: told)
        // The program prints its port, as "ACCEPT 127.0.0.1:40123".
        var text = ""
        while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
            let more = told.fileHandleForReading.availableData
            guard !more.isEmpty else { throw NotStarted() }
            text += String(decoding: more, as: UTF8.self)
        }
        let digits = text.split(separator: "ACCEPT").last?.split(separator: ":").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ UInt16($0) }) else { throw NotStarted() }
        self.port = port
    }

    private static func run(
        _ process: Process, _ arguments: [String], in folder: URL, telling pipe: Pipe? = nil
    ) throws {
        process.executableURL = URL(filePath: program ?? "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        if let pipe { process.standardOutput = pipe } else { process.standardOutput = FileHandle.nullDevice }
        try process.run()
    }

    var url: String { "https://127.0.0.1:\(port)" }

    /// The path of the certificate, for clients that trust it.
    var certificate: String { folder.appending(path: "certificate.pem").path }

    func close() {
        // The process may have inherited a mask that blocks SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Runs `body` with other values of environment variables; nil removes a variable.
func with(_ environment: [String: String?], _ body: () throws -> Void) throws {
    func set(_ name: String, _ value: String?) {
        if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
    let before = environment.map { ($0.key, ProcessInfo.processInfo.environment[$0.key]) }
    for (name, value) in environment { set(name, value) }
    defer { for (name, value) in before { set(name, value) } }
    try body()
}
