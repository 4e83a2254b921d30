import Platform
import Foundation
import Glibc
import Sockets

/// A process of the real program. It ends with the tests.
final class Program: Sendable {
    let pid: pid_t
    /// Standard output, and standard error if the test listens to it.
    let output: Int32
    let errors: Int32?

    /// The result of a process that has ended.
    struct Ending {
        let status: Int32
        let output: String
        let errors: String
    }

    /// The path of this build's headwater, beside the test program.
    static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer[0..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex)) + "headwater"
    }()

    /// Starts the program. `input` is the file for standard input; `shell` is run by a shell before, to set a limit for
    /// instance.
    init(
        _ arguments: [String], _ environment: [String: String] = [:], input: String = "/dev/null", shell: String? = nil,
        listensToErrors: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let out = try Self.pipe()
        let err = listensToErrors ? try Self.pipe() : nil
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, out.write, 1)
        if let err { posix_spawn_file_actions_adddup2(&actions, err.write, 2) }
        if err == nil { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        let words =
            shell.map { ["/bin/sh", "-c", "\($0); exec \"$0\" \"$@\"", Self.path] + arguments } ?? [Self.path]
            + arguments
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var all = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        // The program gets the sanitizer options of the tests.
        for (name, value) in ProcessInfo.processInfo.environment where name.hasSuffix("SAN_OPTIONS") {
            all[name] = value
        }
        all.merge(environment) { $1 }
        var envp: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, words[0], &actions, nil, &argv, &envp)
        close(out.write)
        if let err { close(err.write) }
        guard code == 0 else { throw Trouble("\(words[0]) cannot be started: error \(code)") }
        self.pid = pid
        output = out.read
        errors = err?.read
        Self.killAtExit(pid)
    }

    deinit {
        Glibc.kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        close(output)
        if let errors { close(errors) }
    }

    /// Runs the program to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], input: String = "/dev/null"
    ) throws -> Ending {
        try run(arguments, environment: environment, input: input)
    }

    /// Runs the program with arguments to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "/dev/null"
    ) throws -> Ending {
        let program = try Program(arguments, environment, input: input, listensToErrors: true)
        var output = Incoming(program.output)
        var errors = Incoming(program.errors ?? -1)
        let deadline = Deadline()
        let said = try output.rest(deadline)
        let complained = try errors.rest(deadline)
        return Ending(status: program.wait(), output: said, errors: complained)
    }

    func kill(_ signal: Int32) {
        Glibc.kill(pid, signal)
    }

    /// Waits for the end and returns the exit status, or the signal as a negative number.
    func wait() -> Int32 {
        var info = siginfo_t()
        // WNOWAIT leaves the process for the wait in deinit.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return info.si_code == CLD_EXITED ? info._sifields._sigchld.si_status : -info._sifields._sigchld.si_status
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw Trouble("no pipe: error \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Kills a process that all tests share when the tests end.
    private static func killAtExit(_ pid: pid_t) {
        _ = atExit
        running.with { $0.append(pid) }
    }

    private static let atExit: Void = {
        atexit { Program.running.with { for pid in $0 { Glibc.kill(pid, SIGKILL) } } }
    }()
    private static let running = Lock<[pid_t]>([])
}
