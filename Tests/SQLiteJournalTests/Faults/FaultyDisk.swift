import Foundation
import Glibc

/// A folder below which a child process meets the faults that a test chooses, and the trace of its calls. See Tests/FaultyDisk.
final class FaultyDisk {
    /// The kinds of calls; the numbers are those of `faulty_disk_kind`.
    enum Call: UInt32, CaseIterable {
        case open = 1, write, truncate, sync, rename, unlink, makeDirectory, map, read
    }

    /// The kinds of files; the numbers are those of `faulty_disk_file`.
    enum File: UInt32, CaseIterable {
        case database = 1, log, index, directory, other
    }

    /// A fault: `call` on one of `files` fails with `error`, after `passes` calls that succeed.
    struct Fault {
        var call: Call
        var files = File.allCases
        /// 0 has a write stop halfway.
        var error = EIO
        var passes = 0
        var lasts = false
        /// Whether a failed sync also puts zeros where the file was written since its last sync.
        var drops = false
    }

    /// The folder whose files are watched.
    let root: String
    private let tracePath: String
    private let controlPath: String

    init(_ scratch: Scratch, _ name: String = "disk") throws {
        root = scratch.directory(name)
        tracePath = scratch.directory(name + ".trace")
        controlPath = scratch.directory(name + ".control")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        try Data(count: 32).write(to: URL(fileURLWithPath: controlPath))
        try Data().write(to: URL(fileURLWithPath: tracePath))
    }

    /// The data directory in it.
    var directory: String { root + "/data" }

    /// The environment of a process that is to meet the faults.
    var environment: [String: String] {
        get throws {
            [
                "LD_PRELOAD": try Child.built("libFaultyDisk.so").path, "FAULTY_DISK_ROOT": root, "FAULTY_DISK_TRACE": tracePath,
                "FAULTY_DISK_CONTROL": controlPath,
            ]
        }
    }

    /// Lets calls fail from now on, or none.
    func arm(_ fault: Fault?) throws {
        // Without kinds first, so that no call meets half of it.
        try write([0], at: 0)
        guard let fault else { return }
        let files = fault.files.reduce(UInt32(0)) { $0 | 1 << $1.rawValue }
        try write([files, UInt32(fault.error), UInt32(fault.passes), fault.lasts ? 1 : 0, fault.drops ? 1 : 0, 0, 0], at: 1)
        try write([1 << fault.call.rawValue], at: 0)
    }

    /// The number of calls that failed since the last `arm`.
    var failures: Int {
        get throws {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: controlPath))
            return Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 24, as: UInt32.self) })
        }
    }

    /// What was done so far.
    var trace: [DiskEvent] {
        get throws { try DiskEvent.read(Array(Data(contentsOf: URL(fileURLWithPath: tracePath))), root: root) }
    }

    private func write(_ words: [UInt32], at place: Int) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: controlPath))
        try handle.seek(toOffset: UInt64(place * 4))
        try handle.write(contentsOf: words.withUnsafeBytes { Data($0) })
        try handle.close()
    }
}
