import Glibc

/// The numbers of the current connections, one line per share, in a file that survives a crash of the test.
final class LastConnections: Sendable {
    private let descriptor: Int32

    struct NoFile: Error {}

    /// Creates the file. It is removed at a normal end of the process.
    init() throws {
        descriptor = open(Self.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw NoFile() }
        atexit { unlink(LastConnections.path) }
    }

    private static var path: String { "/tmp/headwater-connections-\(getpid())" }

    /// Notes the number of a connection before it is sent; nil for none.
    func note(_ number: Int?, of share: Int) {
        let text = (number.map { "\($0)" } ?? "none") + "      \n"
        _ = pwrite(descriptor, text, text.utf8.count, off_t(share * 16))
    }
}
