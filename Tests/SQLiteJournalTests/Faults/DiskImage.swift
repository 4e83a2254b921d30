import Foundation

/// A possible state of the disk after a power loss: all synced data, and any part of later writes, torn at sectors.
struct DiskImage {
    static let sector = 512

    /// The part of the unsynced writes that a crash leaves.
    enum Rest: CaseIterable {
        case nothing, everything, someCalls, someSectors, beginning
    }

    private enum Change {
        case write(offset: Int, data: ArraySlice<UInt8>)
        case truncate(length: Int)
    }

    private enum Naming {
        case file(String, UInt64)
        case directory(String)
        case rename(String, String)
        case unlink(String)

        /// The directories that must be synced to make the entry durable.
        var folders: [String] {
            switch self {
            case .file(let path, _), .directory(let path), .unlink(let path): [Self.folder(path)]
            case .rename(let from, let to): [Self.folder(from), Self.folder(to)]
            }
        }

        static func folder(_ path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
    }

    private var contents: [UInt64: [UInt8]] = [:]
    private var changes: [UInt64: [Change]] = [:]
    private var names: [String: UInt64] = [:]
    private var directories: [String] = []
    private var namings: [Naming] = []
    /// The lines of output.
    private(set) var lines: [String] = []
    private var random: SplitMix64

    /// A disk that durably holds the content of `folder`, if that is not nil.
    init(seed: UInt64, holding folder: String? = nil) throws {
        random = SplitMix64(seed: seed)
        guard let folder else { return }
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + path)
            if attributes[.type] as? FileAttributeType == .typeDirectory {
                directories.append("/" + path)
            } else if let file = attributes[.systemFileNumber] as? UInt64 {
                names["/" + path] = file
                contents[file] = Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path)))
            }
        }
    }

    /// Takes the next event of the trace.
    mutating func take(_ event: DiskEvent) {
        switch event.kind {
        case .create(let path):
            namings.append(.file(path, event.file))
            // The number may have belonged to a removed file.
            contents[event.file] = []
            changes[event.file] = []
        case .write(let offset, let data): changes[event.file, default: []].append(.write(offset: offset, data: data))
        case .truncate(let length): changes[event.file, default: []].append(.truncate(length: length))
        case .sync(let path, let hasFailed): sync(event.file, path, hasFailed)
        case .rename(let from, let to): namings.append(.rename(from, to))
        case .unlink(let path): namings.append(.unlink(path))
        case .makeDirectory(let path): namings.append(.directory(path))
        case .say(let text): lines += text.split(separator: "\n").map(String.init)
        }
    }

    private mutating func sync(_ file: UInt64, _ path: String, _ hasFailed: Bool) {
        if contents[file] == nil, changes[file] == nil {
            guard !hasFailed else { return }
            // Metadata reaches the disk in its order.
            guard let last = namings.lastIndex(where: { $0.folders.contains(path) }) else { return }
            for naming in namings[...last] { name(naming) }
            namings.removeFirst(last + 1)
            return
        }
        // After a failure the kernel marks the pages as clean: some are written, the others never will be.
        apply(
            changes[file] ?? [], to: file, hasFailed ? .allCases.randomElement(using: &random) ?? .nothing : .everything
        )
        changes[file] = []
    }

    /// Simulates the power loss.
    mutating func cut(_ rest: Rest) {
        for (file, changes) in changes.sorted(by: { $0.key < $1.key }) { apply(changes, to: file, rest) }
        changes = [:]
        let count =
            rest == .nothing
            ? 0 : rest == .everything ? namings.count : Int.random(in: 0...namings.count, using: &random)
        for naming in namings.prefix(count) { name(naming) }
        namings = []
    }

    private mutating func apply(_ changes: [Change], to file: UInt64, _ rest: Rest) {
        var content = contents[file] ?? []
        let end =
            rest == .beginning && !changes.isEmpty ? Int.random(in: 0...changes.count, using: &random) : changes.count
        for change in changes[..<end] {
            switch change {
            case .truncate(let length):
                guard isTaken(rest) else { continue }
                if length < content.count { content.removeLast(content.count - length) }
                if length > content.count { content += [UInt8](repeating: 0, count: length - content.count) }
            case .write(let offset, let data):
                if rest == .someSectors {
                    for start in stride(
                        from: offset / Self.sector * Self.sector, to: offset + data.count, by: Self.sector)
                    where Bool.random(using: &random) {
                        let range = max(start, offset)..<min(start + Self.sector, offset + data.count)
                        Self.put(
                            data[
                                data.startIndex + range.lowerBound - offset..<data.startIndex + range.upperBound
                                    - offset],
                            range.lowerBound, &content)
                    }
                } else if isTaken(rest) {
                    Self.put(data, offset, &content)
                }
            }
        }
        contents[file] = content
    }

    private mutating func isTaken(_ rest: Rest) -> Bool {
        switch rest {
        case .nothing: false
        case .everything, .beginning: true
        case .someCalls, .someSectors: Bool.random(using: &random)
        }
    }

    private static func put(_ data: ArraySlice<UInt8>, _ offset: Int, _ content: inout [UInt8]) {
        let end = offset + data.count
        if end > content.count { content += [UInt8](repeating: 0, count: end - content.count) }
        content.replaceSubrange(offset..<end, with: data)
    }

    private mutating func name(_ naming: Naming) {
        switch naming {
        case .file(let path, let file): names[path] = file
        case .directory(let path): directories.append(path)
        case .rename(let from, let to): names[to] = names.removeValue(forKey: from)
        case .unlink(let path): names[path] = nil
        }
    }

    /// Writes the image into a new folder. The index of the log is omitted, because the first process that opens the
    /// database creates it again.
    func write(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for directory in directories {
            try FileManager.default.createDirectory(atPath: folder + directory, withIntermediateDirectories: false)
        }
        for (path, file) in names where !path.hasSuffix("-shm") {
            try Data(contents[file] ?? []).write(to: URL(fileURLWithPath: folder + path))
        }
    }
}
