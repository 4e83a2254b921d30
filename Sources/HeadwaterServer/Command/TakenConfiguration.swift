/// The configuration file as the server took it at its start.
struct TakenConfiguration {
    let path: String
    /// The values by option.
    let values: [String: [String]]
    /// Reads the settings again.
    let read: () -> Arguments.ReadSettings

    /// Reads the file again, and writes a line for each fault and one for the options that have other values now. These
    /// need a restart: of a running server, SIGHUP changes the contents of the files that its options name.
    func report(to log: Log) {
        let reading = read()
        for fault in reading.faults {
            log.write(.error, "the configuration is faulty", [("reason", fault.description)])
        }
        guard reading.faults.isEmpty else { return }
        let changed = changes(in: reading.configured)
        if changed.isEmpty {
            log.write(.info, "the configuration is unchanged", [("file", path)])
        } else {
            log.write(
                .warning, "options have changed, and need a restart",
                [("file", path), ("options", changed.joined(separator: ", "))])
        }
    }

    /// The options whose values differ, in alphabetical order.
    func changes(in new: [String: [String]]) -> [String] {
        Set(values.keys).union(new.keys).filter { values[$0] != new[$0] }.sorted()
    }
}
