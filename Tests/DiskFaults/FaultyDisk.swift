import Foundation
import Glibc

/// A folder below which a child process meets the faults that a test chooses, and the trace of its calls. See
/// Tests/FaultyDisk.
package final class FaultyDisk {
    /// The kinds of calls; the numbers are those of `faulty_disk_kind`.
    package enum Call: UInt32, CaseIterable {
        case open = 1, write, truncate, sync, rename, unlink, makeDirectory, map, read
    }

    /// The kinds of files; the numbers are those of `faulty_disk_file`.
    package enum File: UInt32, CaseIterable {
        case database = 1, log, index, directory, other
    }

    /// A fault: `call` on one of `files` fails with `error`, after `passes` calls that succeed.
    package struct Fault {
        private(set) var call: Call
        private(set) var files: [File]
        /// 0 has a write stop halfway. EROFS lets `open` fail only for writing, as on a read-only file system.
        private(set) var error: Int32
        private(set) var passes: Int
        private(set) var lasts: Bool
        /// True if a failed sync also writes zeros where the file was written since its last sync.
        private(set) var drops: Bool

        package init(
            _ call: Call, of files: [File] = File.allCases, error: Int32 = EIO, passes: Int = 0, lasts: Bool = false,
            drops: Bool = false
        ) {
            self.call = call
            self.files = files
            self.error = error
            self.passes = passes
            self.lasts = lasts
            self.drops = drops
        }
    }

    /// The folder whose files are watched.
    package let root: String
    private let tracePath: String
    private let controlPath: String

    /// A folder `name` in a scratch folder, beside the trace.
    package init(in scratch: String, _ name: String = "disk") throws {
        root = scratch + "/" + name
        tracePath = root + ".trace"
        controlPath = root + ".control"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        try Data(count: 32).write(to: URL(fileURLWithPath: controlPath))
        try Data().write(to: URL(fileURLWithPath: tracePath))
    }

    /// The data directory in it.
    package var directory: String { root + "/data" }

    /// The environment of a process that is to meet the faults.
    package var environment: [String: String] {
        get throws {
            [
                // Built into the folder of the running program.
                "LD_PRELOAD": URL(
                    fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
                )
                .deletingLastPathComponent().appendingPathComponent("libFaultyDisk.so").path, "FAULTY_DISK_ROOT": root,
                "FAULTY_DISK_TRACE": tracePath,
                "FAULTY_DISK_CONTROL": controlPath,
            ]
        }
    }

    /// Lets calls fail from now on, or none.
    package func arm(_ fault: Fault?) throws {
        // Without kinds first, so that no call meets half of it.
        try write([0], at: 0)
        guard let fault else { return }
        let files = fault.files.reduce(UInt32(0)) { $0 | 1 << $1.rawValue }
        try write(
            [files, UInt32(fault.error), UInt32(fault.passes), fault.lasts ? 1 : 0, fault.drops ? 1 : 0, 0, 0], at: 1)
        try write([1 << fault.call.rawValue], at: 0)
    }

    /// The number of calls that failed since the last `arm`.
    package var failures: Int {
        get throws {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: controlPath))
            return Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self) })
        }
    }

    /// The bytes of the trace so far.
    package var trace: [UInt8] {
        get throws { try Array(Data(contentsOf: URL(fileURLWithPath: tracePath))) }
    }

    private func write(_ words: [UInt32], at place: Int) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: controlPath))
        try handle.seek(toOffset: UInt64(place * 4))
        try handle.write(contentsOf: words.withUnsafeBytes { Data($0) })
        try handle.close()
    }
}
