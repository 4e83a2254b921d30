import Foundation
import Testing

@testable import HeadwaterServer

/// The page of limits says what the code has.
@Suite struct LimitPageTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test func `the page is that of the code`() throws {
        let page = Self.root.appending(path: "docs/limits.md")
        if ProcessInfo.processInfo.environment["HEADWATER_WRITE_LIMITS"] == "1" {
            try LimitPage.text.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: page, encoding: .utf8) == LimitPage.text, "run Scripts/limits")
    }

    @Test func `each limit has a test that reaches it`() throws {
        let folder = Self.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var suites: [String: String] = [:]
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            suites[file.deletingPathExtension().lastPathComponent, default: ""] += try String(
                contentsOf: file, encoding: .utf8)
        }
        for entry in LimitPage.parts.flatMap(\.entries) {
            #expect(suites[entry.test.suite]?.contains("`\(entry.test.name)`") == true, "\(entry.test)")
        }
    }

    @Test func `the memory for spaces follows the limit of the control group`() {
        #expect(MachineMemory.forSpaces(of: 8 << 30, limits: []) == 2 << 30)
        #expect(MachineMemory.forSpaces(of: 8 << 30, limits: [300 << 20]) == 240 << 20)
        // Without a limit, version 1 says a number that no machine has.
        #expect(MachineMemory.forSpaces(of: 8 << 30, limits: [.max, 1 << 62]) == 2 << 30)
        #expect(MachineMemory.forSpaces(of: 8 << 30, limits: [1 << 30, 500 << 20]) == 400 << 20)
        #expect(
            MachineMemory.files(ofGroup: "1:name=systemd:/x\n0::/system.slice/headwater.service\n") == [
                "/sys/fs/cgroup/system.slice/memory.max",
                "/sys/fs/cgroup/system.slice/headwater.service/memory.max",
            ])
        #expect(
            MachineMemory.files(ofGroup: "12:cpu,memory:/docker/a\n3:cpuset:/b\n0::/\n") == [
                "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes",
            ])
        #expect(MachineMemory.files(ofGroup: "0::/\n") == [] && MachineMemory.files(ofGroup: "") == [])
    }
}
