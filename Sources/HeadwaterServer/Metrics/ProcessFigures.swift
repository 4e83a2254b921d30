import Glibc

/// The figures of the operating system about this process.
enum ProcessFigures {
    static func add(to exposition: inout Exposition, since start: Double) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        exposition.add(
            "process_cpu_seconds_total", .counter, "Processor time used.",
            seconds(usage.ru_utime) + seconds(usage.ru_stime))
        let pages = numbers(in: "/proc/self/statm")
        let pageSize = Double(sysconf(Int32(_SC_PAGESIZE)))
        if pages.count > 1 {
            exposition.add("process_virtual_memory_bytes", .gauge, "Memory asked for.", pages[0] * pageSize)
            exposition.add("process_resident_memory_bytes", .gauge, "Memory used.", pages[1] * pageSize)
        }
        exposition.add("process_start_time_seconds", .gauge, "When it was started, since 1970.", start)
        exposition.add("process_open_fds", .gauge, "Open descriptors.", Double(openDescriptors()))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        exposition.add("process_max_fds", .gauge, "How many there may be.", Double(limit.rlim_cur))
    }

    private static func numbers(in path: String) -> [Double] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer[0..<count], as: UTF8.self).split(separator: " ").compactMap { Double($0) }
    }

    private static func openDescriptors() -> Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Without the folder itself, the one above it, and the descriptor that reads it.
        return max(0, count - 3)
    }
}
