import Glibc

/// The memory that the process may use.
enum MachineMemory {
    /// The limits of control groups, of version 2 and 1.
    private static let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]

    /// The bytes: those of the machine or, where there is less of that, those of the control group.
    static var bytes: Int {
        let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return limits.reduce(machine) { least, path in
            guard let text = try? TextFile.read(path),
                let limit = Int(text.split(whereSeparator: \.isWhitespace).first ?? "")
            else {
                return least
            }
            return min(least, limit)
        }
    }

    /// The bytes that a text means, as `512M`; nil where it means none.
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
