import Glibc

/// The least that keeping actions can cost: as `Floor`, but each round's requests are appended to a file, which is synced once, before they are
/// answered.
enum DurableFloor {
    /// How many of these bytes a second reach the disk, when so many come at once.
    static func commitsPerSecond(of bytes: Int, batch: Int, seconds: Double) -> Double {
        let scratch = Scratch()
        let file = open(scratch.path + "/log", O_CREAT | O_WRONLY | O_APPEND, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 0x20, count: bytes * batch)
        let start = Wall.now
        var count = 0
        while Wall.now - start < seconds {
            precondition(write(file, block, block.count) == block.count && fdatasync(file) == 0, "the floor cannot write")
            count += batch
        }
        return Double(count) / (Wall.now - start)
    }
}

/// The clock on the wall, in seconds.
enum Wall {
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
