import Glibc

/// The memory available to the process.
enum MachineMemory {
    /// The files with the limits of control groups, version 2 and version 1, as a container sees its own.
    private static let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]

    /// The memory of the machine in bytes.
    private static var machine: Int { sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) }

    /// The bytes that loaded spaces may have by default: 80 % of the limit of the control group, which leaves the rest for
    /// connections and answers; without a limit a quarter of the machine.
    static var forSpaces: Int {
        let group = (try? TextFile.read("/proc/self/cgroup")) ?? ""
        return forSpaces(of: machine, limits: (limits + files(ofGroup: group)).compactMap { limit(inFile: $0) })
    }

    /// The bytes for spaces on a machine with some memory, and with limits of control groups.
    static func forSpaces(of machine: Int, limits: [Int]) -> Int {
        guard let least = limits.min(), least < machine else { return machine / 4 }
        return least / 5 * 4
    }

    /// The files with the limits of the control groups of the process, of version 2 and of version 1, and of those around
    /// them, by the text of `/proc/self/cgroup`.
    static func files(ofGroup text: String) -> [String] {
        var files: [String] = []
        for line in text.split(separator: "\n") {
            // A hierarchy, its controllers, and the path of the group; version 2 names no controller.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isSecond = parts[0] == "0" && parts[1].isEmpty
            guard isSecond || parts[1].split(separator: ",").contains("memory") else { continue }
            var path = isSecond ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
            for name in parts[2].split(separator: "/") {
                path += "/\(name)"
                files.append(isSecond ? "\(path)/memory.max" : "\(path)/memory.limit_in_bytes")
            }
        }
        return files
    }

    /// The limit in a file of a control group; nil for none.
    private static func limit(inFile path: String) -> Int? {
        guard let text = try? TextFile.read(path) else { return nil }
        return Int(text.split(whereSeparator: \.isWhitespace).first ?? "")
    }

    /// Parses a number of bytes such as `512M`; nil if the text is malformed or 0.
    static func bytes(_ text: String) -> Int? {
        let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(digits) else {
            return nil
        }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
        return isTooLarge || bytes == 0 ? nil : bytes
    }
}
