import CLinux
import Glibc

/// A server process, pinned to the first processor unless its threads need more.
final class ServerProcess {
    let pid: pid_t
    let port: UInt16
    private var isRunning = true

    /// Starts a program of the build, and waits until it prints its port.
    init(_ name: String, _ arguments: [String], isPinned: Bool = true) {
        let own = sure { try ownPath() }
        let path = name.isEmpty ? own : own[..<(own.lastIndex(of: "/") ?? own.endIndex)] + "/" + name
        var pipes: [Int32] = [0, 0]
        pipe(&pipes)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, pipes[0])
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var words = ([String(path)] + arguments).map { strdup($0) } + [nil]
        var pid = pid_t()
        run_on_any_processor()
        let failure = posix_spawn(&pid, String(path), &actions, nil, &words, environ)
        precondition(failure == 0, "\(path) cannot start: build the product headwater in the same configuration first")
        close(pipes[1])
        self.pid = pid
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(pipes[0], &byte, 1) == 1, byte != 10 { line.append(byte) }
        guard let text = String(decoding: line, as: UTF8.self).split(separator: ":").last, let port = UInt16(text)
        else {
            preconditionFailure("\(path) does not print its port")
        }
        self.port = port
        guard isPinned else { return }
        run_on_processor(pid, 0)
        // The measuring process uses the second processor, if there is one.
        run_on_processor(0, 1)
    }

    deinit {
        if isRunning { end(SIGKILL) }
    }

    /// Ends the process by a signal. Returns the seconds until it has ended.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) -> Double {
        isRunning = false
        let start = WallClock.now
        kill(pid, signal)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        return WallClock.now - start
    }

    /// The processor time of all its threads, in nanoseconds.
    var nanoseconds: Double {
        var total = 0.0
        guard let directory = opendir("/proc/\(pid)/task") else { return 0 }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.first == "." { continue }
            total += numbers(in: "/proc/\(pid)/task/\(name)/schedstat").first ?? 0
        }
        return total
    }

    /// The resident memory, in bytes.
    var residentBytes: Double { (numbers(in: "/proc/\(pid)/statm").dropFirst().first ?? 0) * 4_096 }

    private func numbers(in path: String) -> [Double] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = max(0, read(file, &buffer, buffer.count))
        return String(decoding: buffer[0..<count], as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap {
            Double($0)
        }
    }
}

private func ownPath() throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return String(decoding: buffer[0..<max(0, count)], as: UTF8.self)
}
