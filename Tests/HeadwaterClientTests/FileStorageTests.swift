import Foundation
import Glibc
@testable import HeadwaterClient
import JSON
import ServiceInProcess
import Testing

@Suite final class FileStorageTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("headwater-\(UUID())")

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func record(_ id: String) -> [UInt8] {
        QueueRecord.added(QueuedAction(id: id, space: "s", name: "a/b", input: Array("{}".utf8))).json.bytes
    }

    private var queueFile: URL {
        get throws {
            let subject = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
            return folder.appendingPathComponent(subject).appendingPathComponent("queue")
        }
    }

    @Test func `a queue and the name of its client outlive the process`() throws {
        var storage = FileStorage(folder: folder)
        #expect(storage.open(subject: "ada", client: "first").client == "first")
        try storage.append([record("1"), record("2")], subject: "ada")
        storage = FileStorage(folder: folder.appendingPathComponent("."))
        storage = FileStorage(folder: folder)
        let session = storage.open(subject: "ada", client: "second")
        #expect(session.client == "first" && session.lines == [record("1"), record("2")] && session.fault == nil)
        #expect(storage.open(subject: "bo", client: "third").lines.isEmpty)
        storage.erase(subject: "ada")
        #expect(storage.open(subject: "ada", client: "fourth").client == "fourth")
    }

    @Test func `a queue that is cut at any byte keeps its whole lines`() throws {
        let storage = FileStorage(folder: folder)
        _ = storage.open(subject: "ada", client: "c")
        try storage.append([record("1"), record("2"), record("3")], subject: "ada")
        let content = try Data(contentsOf: queueFile)
        let ends = content.indices.filter { content[$0] == UInt8(ascii: "\n") }
        for length in (ends[0] + 1)...content.count {
            try content.prefix(length).write(to: queueFile)
            let session = storage.open(subject: "ada", client: "d")
            #expect(session.client == "c" && session.lines.count == ends.filter { $0 < length }.count - 1)
            try storage.append([record("4")], subject: "ada")
            #expect(storage.open(subject: "ada", client: "d").lines.last == record("4"))
        }
    }

    @Test func `a queue can be opened again while a child has its descriptor`() throws {
        let storage = FileStorage(folder: folder)
        _ = storage.open(subject: "ada", client: "c")
        let path = try queueFile.resolvingSymlinksInPath().path
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        // What a fork copies.
        let copies = descriptors.compactMap { Int32($0) }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        #expect(storage.open(subject: "ada", client: "d").fault == nil)
    }

    @Test func `damaged files are no fault`() throws {
        let storage = FileStorage(folder: folder)
        _ = storage.open(subject: "ada", client: "c")
        var entropy = Entropy(seed: 5)
        for _ in 0..<300 {
            let bytes = (0..<entropy.below(80)).map { _ in entropy.isOne(in: 6) ? UInt8(ascii: "\n") : entropy.byte() }
            try Data(bytes).write(to: queueFile)
            let session = storage.open(subject: "ada", client: "d")
            #expect(session.fault == nil)
            _ = session.lines.compactMap { (try? JSON(parsing: $0)).flatMap(QueueRecord.init) }
        }
    }

    @Test func `a long log is written anew when it is opened`() throws {
        let storage = FileStorage(folder: folder)
        _ = storage.open(subject: "ada", client: "c")
        for number in 0..<900 {
            try storage.append(
                [
                    record("\(number)"),
                    QueueRecord.numbered(id: "\(number)", client: "c", number: number + 1).json.bytes,
                    QueueRecord.over(id: "\(number)").json.bytes,
                ], subject: "ada")
        }
        try storage.append([record("last")], subject: "ada")
        let session = storage.open(subject: "ada", client: "d")
        #expect(session.client == "c" && session.lines.count == 2)
        let line = ActionLine(
            client: "c", processClient: "p",
            session.lines.compactMap { (try? JSON(parsing: $0)).flatMap(QueueRecord.init) })
        #expect(line.numbers == ["s": 900] && line.actions.map(\.id) == ["last"])
        try storage.append([record("more")], subject: "ada")
        #expect(storage.open(subject: "ada", client: "d").lines.count == 3)
    }

    @Test func `a second process does not use the queue`() throws {
        let first = FileStorage(folder: folder)
        _ = first.open(subject: "ada", client: "c")
        let second = FileStorage(folder: folder)
        #expect(second.open(subject: "ada", client: "d").fault?.contains("another process") == true)
        #expect(throws: FileStorage.StorageFailure.self) { try second.append([record("1")], subject: "ada") }
    }

    @Test func `values are kept by view, and erased`() {
        let storage = FileStorage(folder: folder)
        _ = storage.open(subject: "ada", client: "c")
        let names = ["main/a.b?x=1", "main/a.b?x=2", "main/a_b?x=1", String(repeating: "long", count: 100)]
        for (index, name) in names.enumerated() { storage.keep([UInt8(index)], of: name, subject: "ada") }
        for (index, name) in names.enumerated() { #expect(storage.value(of: name, subject: "ada") == [UInt8(index)]) }
        storage.keep(nil, of: names[0], subject: "ada")
        #expect(storage.value(of: names[0], subject: "ada") == nil && storage.value(of: names[1], subject: "bo") == nil)
    }
}
