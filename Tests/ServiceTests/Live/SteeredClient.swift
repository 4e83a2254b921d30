import JSON
import ServiceInProcess

/// A client of one steered stream, which keeps what a page would show.
final class SteeredClient {
    /// The documents that are shown, by the names of their views.
    private(set) var shown: [String: JSON] = [:]
    private(set) var tags: [String: String] = [:]
    private(set) var gone: [String: JSON] = [:]
    private(set) var versions: [String: String] = [:]
    private(set) var queue: [String: Int] = [:]
    /// The name of the stream; empty before its first event.
    private(set) var stream = ""
    /// True if versions have gone down within a life.
    private(set) var hasGoneBack = false
    private var newest: [String: [Int]] = [:]
    /// The events in the order of their coming, without the first.
    private(set) var events: [JSON] = []
    /// The parts of replicas that have come, their whole values, the parts before the last, and the rows that changed.
    private var snapshots: [String: JSON] = [:]
    private(set) var snapshotsCount = 0
    private(set) var partsCount = 0
    private(set) var rowsCount = 0
    /// The status of an answer that is no stream.
    private(set) var status = 0
    private let service: ServiceInProcess
    private let connection: ConnectionInProcess
    private var hasHead = false
    private var step = 0

    /// Opens a stream.
    init(_ service: ServiceInProcess, _ body: String, _ fields: [String: String] = [:]) throws {
        self.service = service
        connection = try service.connect()
        var all = [
            "Accept": "text/event-stream", "Content-Type": "application/json", "Content-Length": "\(body.utf8.count)",
            "Host": "localhost",
        ]
        all.merge(fields) { $1 }
        let lines = all.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
        connection.send(bytes: Array("POST /v1/live HTTP/1.0\r\n\(lines)\r\n\(body)".utf8))
        read()
    }

    /// Takes the events that have come. Returns those.
    @discardableResult
    func read() -> [JSON] {
        service.settle()
        connection.receive()
        if !hasHead, let head = connection.takeHead() {
            hasHead = true
            status = Int(head.split(separator: " ")[1]) ?? 0
        }
        var news: [JSON] = []
        while status == 200, let text = connection.takeBlock() {
            let block = StreamBlock(text)
            guard let data = block.data, let json = try? JSON(parsing: Array(data.utf8)) else { continue }
            if block.name == "stream" {
                if case .string(let name)? = json["stream"] { stream = name }
                continue
            }
            take(json)
            news.append(json)
        }
        events += news
        return news
    }

    private func take(_ event: JSON) {
        guard case .object(let object) = event else { return }
        for member in object where !member.key.hasPrefix("_") {
            guard member.key.hasSuffix("!replica") else {
                shown[member.key] = member.value
                gone[member.key] = nil
                continue
            }
            // The parts of a snapshot replace all together.
            snapshots[member.key] = merged(snapshots[member.key] ?? [:], member.value)
            if case .array(let names)? = event["_more"], names.contains(.string(member.key)) {
                partsCount += 1
                continue
            }
            shown[member.key] = snapshots.removeValue(forKey: member.key)
            gone[member.key] = nil
            snapshotsCount += 1
        }
        for (name, changes) in members(event["_rows"]) {
            if let base = shown[name] { shown[name] = merged(base, changes) }
            rowsCount += members(changes).reduce(0) { $0 + (members($1.1).isEmpty ? 1 : members($1.1).count) }
        }
        for (name, patch) in members(event["_patches"]) {
            guard let base = shown[name], let operations = try? JSONPatch(parsing: patch.bytes),
                let next = try? operations.applied(to: base)
            else { continue }
            shown[name] = next
        }
        for (name, tag) in members(event["_tags"]) { if case .string(let text) = tag { tags[name] = text } }
        for (space, version) in members(event["_versions"]) {
            guard case .string(let text) = version else { continue }
            let numbers = text.split(separator: ".").compactMap { Int($0) }
            let isReset = event["_reset"].map { "\($0)".contains(space) } ?? false
            if let before = newest[space], !isReset, zip(numbers, before).contains(where: { $0 < $1 }) {
                hasGoneBack = true
            }
            newest[space] = numbers
            versions[space] = text
        }
        for (space, number) in members(event["_queue"]) {
            if case .number(let count) = number { queue[space] = Int(count.int64 ?? -1) }
        }
        for (name, problem) in members(event["_gone"]) {
            gone[name] = problem
            shown[name] = nil
        }
    }

    /// Returns a replica with the rows of changes, where null removes a row.
    private func merged(_ base: JSON, _ changes: JSON) -> JSON {
        guard case .object(var all) = base else { return changes }
        for (label, value) in members(changes) {
            guard case .object(var rows)? = all[label], case .object(let changed) = value else {
                all[label] = value
                continue
            }
            for row in changed { rows[row.key] = row.value == .null ? JSON?.none : row.value }
            all[label] = .object(rows)
        }
        return .object(all)
    }

    private func members(_ json: JSON?) -> [(String, JSON)] {
        guard case .object(let object)? = json else { return [] }
        return object.map { ($0.key, $0.value) }
    }

    /// Takes what an earlier stream has shown, of some views.
    func keep(_ values: [String: JSON], _ tags: [String: String], only names: Set<String>) {
        shown = values.filter { names.contains($0.key) && tags[$0.key] != nil }
        self.tags = tags.filter { names.contains($0.key) }
    }

    /// Takes the events again that came before what was kept.
    func replay() {
        for event in events { take(event) }
    }

    /// Forgets a view.
    func forget(_ name: String) {
        (shown[name], tags[name], gone[name]) = (nil, nil, nil)
    }

    /// Sends a change with the next number.
    func steer(_ members: String, _ fields: [String: String] = [:]) throws -> Reply {
        step += 1
        return try service.ask("POST /v1/live/\(stream)", fields, "{\"seq\": \(step), \(members)}")
    }

    /// Closes the connection.
    func close() {
        connection.close()
        service.settle()
    }

    /// True once the server has ended the stream.
    var isEnded: Bool { connection.isEnded }
}

extension JSON {
    /// The value as bytes.
    fileprivate var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}
