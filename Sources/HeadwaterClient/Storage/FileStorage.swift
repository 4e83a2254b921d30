#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
public import Foundation
import JSON
import Synchronization

/// Storage in a folder: for each subject a folder with a log of its queue and a file for each value.
///
/// The log has a line of JSON for each step, and is synchronized before an action is sent. A last line without its end was
/// never durable, and is cut off. Opening writes the log anew if most of it is over. A lock keeps a second process, like an
/// extension of an app, from using the same queue.
public final class FileStorage: ClientStorage {
    /// A fault of the file system.
    public struct StorageFailure: Error, CustomStringConvertible {
        /// The fault.
        public let description: String
    }

    /// The size from which opening writes a log anew, in bytes.
    private static let compactionBytes = 64 << 10
    /// The maximum number of kept values of a subject.
    static let valuesLimit = 500

    private struct QueueFile {
        let descriptor: Int32
        let folder: URL
    }

    private let folder: URL
    private let logs = Mutex<[String: QueueFile]>([:])

    /// Storage in a folder, which is made if it is missing.
    public init(folder: URL) {
        self.folder = folder
    }

    deinit {
        logs.withLock { logs in for log in logs.values { Self.release(log.descriptor) } }
    }

    /// Opens the queue of a subject.
    public func open(subject: String, client: String) -> StoredSession {
        logs.withLock { logs in
            do {
                if let log = logs.removeValue(forKey: subject) { Self.release(log.descriptor) }
                let (log, session) = try open(folder(of: subject), client)
                logs[subject] = log
                return session
            } catch {
                return StoredSession(client: client, fault: "\(error)")
            }
        }
    }

    private func open(_ folder: URL, _ client: String) throws -> (QueueFile, StoredSession) {
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("values"), withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("queue").path
        var descriptor = try Self.open(path)
        do {
            let content = try Data(contentsOf: URL(fileURLWithPath: path))
            let end = content.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            if end < content.count {
                guard ftruncate(descriptor, off_t(end)) == 0 else { throw Self.fault("cut", path) }
            }
            var lines = content[..<end].split(separator: UInt8(ascii: "\n")).map { Array($0) }
            guard let first = lines.first, let name = (try? JSON(parsing: first))?["client"]?.text else {
                // A new log; one whose first line is damaged is none.
                guard ftruncate(descriptor, 0) == 0 else { throw Self.fault("cut", path) }
                try Self.write([Self.head(client)], to: descriptor, path)
                try Self.synchronize(folder: folder)
                return (QueueFile(descriptor: descriptor, folder: folder), StoredSession(client: client))
            }
            lines.removeFirst()
            if end > Self.compactionBytes {
                let line = ActionLine(
                    client: name, processClient: "",
                    lines.compactMap { (try? JSON(parsing: $0)).flatMap(QueueRecord.init) })
                lines = line.records.map(\.json.bytes)
                let fresh = path + ".new"
                unlink(fresh)
                let other = try Self.open(fresh)
                try Self.write([Self.head(name)] + lines, to: other, fresh)
                guard rename(fresh, path) == 0 else { throw Self.fault("rename", fresh) }
                try Self.synchronize(folder: folder)
                Self.release(descriptor)
                descriptor = other
            }
            return (QueueFile(descriptor: descriptor, folder: folder), StoredSession(client: name, lines: lines))
        } catch {
            Self.release(descriptor)
            throw error
        }
    }

    private static func head(_ client: String) -> [UInt8] { (["client": .string(client), "edition": 1] as JSON).bytes }

    private static func open(_ path: String) throws -> Int32 {
        #if canImport(Darwin)
            let descriptor = Darwin.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        #else
            let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        #endif
        guard descriptor >= 0 else { throw fault("open", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StorageFailure(description: "another process uses \(path)")
        }
        return descriptor
    }

    /// Closes a log. A child of this process that has not yet begun its program has the descriptor too, so that closing it
    /// would leave the log locked.
    private static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Adds lines to the queue, and synchronizes it.
    public func append(_ lines: [[UInt8]], subject: String) throws {
        try logs.withLock { logs in
            guard let log = logs[subject] else { throw StorageFailure(description: "the queue is not open") }
            let end = lseek(log.descriptor, 0, SEEK_END)
            do {
                try Self.write(lines, to: log.descriptor, log.folder.path)
            } catch {
                // A part of a line would spoil the next one. The truncation can fail as the writing did; the next line then
                // begins in the damaged one, and both are lost, so the queue is closed.
                if end < 0 || ftruncate(log.descriptor, end) != 0 {
                    logs[subject] = nil
                    Self.release(log.descriptor)
                }
                throw error
            }
        }
    }

    private static func write(_ lines: [[UInt8]], to descriptor: Int32, _ path: String) throws {
        var bytes: [UInt8] = []
        for line in lines {
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                    Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fault("write", path) }
            sent += count
        }
        #if canImport(Darwin)
            // `fsync` does not reach through the cache of the disk there. Some file systems know only that one.
            guard fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0 else {
                throw fault("synchronize", path)
            }
        #else
            guard fsync(descriptor) == 0 else { throw fault("synchronize", path) }
        #endif
    }

    private static func synchronize(folder: URL) throws {
        #if canImport(Darwin)
            let descriptor = Darwin.open(folder.path, O_RDONLY | O_CLOEXEC)
        #else
            let descriptor = Glibc.open(folder.path, O_RDONLY | O_CLOEXEC)
        #endif
        guard descriptor >= 0 else { throw fault("open", folder.path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw fault("synchronize", folder.path) }
    }

    private static func fault(_ act: String, _ path: String) -> StorageFailure {
        StorageFailure(description: "cannot \(act) \(path): \(String(cString: strerror(errno)))")
    }

    /// The last value of a view.
    public func value(of view: String, subject: String) -> [UInt8]? {
        guard let content = try? Data(contentsOf: file(of: view, subject)) else { return nil }
        // The first line is the name, because two names can have one digest.
        guard let end = content.firstIndex(of: UInt8(ascii: "\n")),
            content[..<end].elementsEqual(view.utf8)
        else { return nil }
        return Array(content[(end + 1)...])
    }

    /// Keeps the last value of a view. A value that cannot be written is read from the server again.
    public func keep(_ value: [UInt8]?, of view: String, subject: String) {
        let file = file(of: view, subject)
        guard let value else {
            try? FileManager.default.removeItem(at: file)
            return
        }
        if !FileManager.default.fileExists(atPath: file.path) { makeRoom(subject) }
        // A reader finds the old file or the new one.
        try? Data(Array(view.utf8) + [UInt8(ascii: "\n")] + value).write(to: file, options: .atomic)
    }

    /// Erases the oldest values above the limit.
    private func makeRoom(_ subject: String) {
        let values = folder(of: subject).appendingPathComponent("values")
        let keys: [URLResourceKey] = [.contentModificationDateKey]
        guard
            let files = try? FileManager.default.contentsOfDirectory(at: values, includingPropertiesForKeys: keys),
            files.count >= Self.valuesLimit
        else { return }
        func time(_ file: URL) -> Date {
            (try? file.resourceValues(forKeys: Set(keys)).contentModificationDate) ?? .distantPast
        }
        for file in files.sorted(by: { time($0) < time($1) }).prefix(files.count - Self.valuesLimit + 1) {
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// Erases all of a subject.
    public func erase(subject: String) {
        logs.withLock { logs in
            if let log = logs.removeValue(forKey: subject) { Self.release(log.descriptor) }
        }
        try? FileManager.default.removeItem(at: folder(of: subject))
    }

    private func folder(of subject: String) -> URL { folder.appendingPathComponent(Self.fileName(subject)) }

    private func file(of view: String, _ subject: String) -> URL {
        folder(of: subject).appendingPathComponent("values").appendingPathComponent(Self.fileName(view))
    }

    /// A name without special characters, with a digest, so that names that differ have files of their own.
    private static func fileName(_ name: String) -> String {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let letters = name.unicodeScalars.prefix(40).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : "_"
        }
        return String(letters) + "-" + String(digest, radix: 36)
    }
}
