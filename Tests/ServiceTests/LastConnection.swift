import Glibc

/// The number of the connection under way, in a file that outlives a crash of the test.
final class LastConnection {
    static let path = "/tmp/headwater-connection-\(getpid())"
    private let descriptor: Int32

    struct NoFile: Error {}

    /// A new file.
    init() throws {
        descriptor = open(Self.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw NoFile() }
    }

    deinit {
        close(descriptor)
        unlink(Self.path)
    }

    /// Notes the number of a connection before it is sent.
    func note(_ number: Int) {
        let text = "\(number)          \n"
        _ = pwrite(descriptor, text, text.utf8.count, 0)
    }
}
