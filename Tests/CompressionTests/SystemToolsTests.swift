import Compression
import Foundation
import Testing

/// The programs of the system read what this module writes.
@Suite struct SystemToolsTests {
    @Test func `gzip -dc reads a stream and a body`() throws {
        var random = RandomContent(seed: 2)
        let deflater = Deflater()
        var stream = GzipStream()
        var bytes = GzipStream.header
        var expected: [UInt8] = []
        for _ in 0..<20 {
            let content = random.content()
            expected += content
            bytes += stream.append(deflater.frame(content))
        }
        bytes += stream.finish()
        #expect(try run("gzip", ["-dc"], input: bytes) == expected)
        #expect(try run("gzip", ["-dc"], input: deflater.gzip(expected)) == expected)
    }

    @Test func `python's zlib reads everything so far after each frame`() throws {
        // Reads lines of hexadecimal digits, a frame each, and answers with the number of bytes of its content.
        let program = """
            import sys, zlib
            reader = zlib.decompressobj(31)
            for line in sys.stdin:
                print(len(reader.decompress(bytes.fromhex(line))), reader.eof)
            """
        var random = RandomContent(seed: 3)
        let deflater = Deflater()
        var stream = GzipStream()
        var lines = [GzipStream.header.hexadecimal]
        var expected = ["0 False"]
        for _ in 0..<20 {
            let content = random.content()
            lines.append(stream.append(deflater.frame(content)).hexadecimal)
            expected.append("\(content.count) False")
        }
        lines.append(stream.finish().hexadecimal)
        expected.append("0 True")
        let output = try run("python3", ["-c", program], input: Array((lines.joined(separator: "\n") + "\n").utf8))
        #expect(String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init) == expected)
    }

    /// Runs a program of the system with files for its input and output, so that neither waits for the other.
    private func run(_ program: String, _ arguments: [String], input: [UInt8]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("compression-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let (source, target) = (folder.appendingPathComponent("input"), folder.appendingPathComponent("output"))
        try Data(input).write(to: source)
        try Data().write(to: target)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = try FileHandle(forReadingFrom: source)
        process.standardOutput = try FileHandle(forWritingTo: target)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Array(try Data(contentsOf: target))
    }
}

extension [UInt8] {
    /// The bytes as hexadecimal digits.
    fileprivate var hexadecimal: String {
        map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}
