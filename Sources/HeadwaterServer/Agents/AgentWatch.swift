import HTTP
import JSON

/// The views that one stream of an agent watches: a steered stream of this server, read in the process.
final class AgentWatch {
    /// The greatest size of one event.
    private static let eventBytesLimit = 64 << 20

    /// What happens with the views.
    enum Happening {
        /// The first values are there. Some addresses cannot be read.
        case begun(unreadable: [String])
        case changed([String])
        /// The server has ended the stream, or refused it.
        case ended(JSON?)
    }

    typealias Open = (
        _ request: [UInt8], _ received: @escaping ([UInt8]) -> Void, _ ended: @escaping () -> Void
    ) -> RequestInProcess

    /// The addresses, by the names under which the stream has them.
    private let addresses: [String: String]
    private let happened: (Happening) -> Void
    private var request: RequestInProcess?
    private var bytes: [UInt8] = []
    private var hasHead = false
    private var hasBegun = false
    private var refusal: JSON?
    private var isClosed = false
    /// The tag of each view, with which another stream goes on.
    private(set) var tags: [String: String]

    /// Begins to watch views, whose `tags` are known from an earlier stream.
    init(
        _ uris: [String], after tags: [String: String], fields: String, open: Open,
        _ happened: @escaping (Happening) -> Void
    ) {
        var addresses: [String: String] = [:]
        var watched = JSON.Object()
        for uri in uris {
            guard case .view(let view, let space)? = AgentURI(uri) else { continue }
            addresses["\(space)/\(view)"] = uri
            watched["\(space)/\(view)"] = tags["\(space)/\(view)"].map { .string($0) } ?? .null
        }
        (self.addresses, self.happened) = (addresses, happened)
        self.tags = tags.filter { addresses[$0.key] != nil }
        let body = (["watch": .object(watched)] as JSON).written
        let head =
            "POST /v1/live HTTP/1.0\r\n\(fields)Accept: text/event-stream\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        request = open(
            Array(head.utf8) + body, { [weak self] in self?.take($0) }, { [weak self] in self?.end() })
    }

    /// Ends the stream without a word.
    func close() {
        isClosed = true
        request?.close()
    }

    private func end() {
        guard !isClosed else { return }
        isClosed = true
        if refusal == nil, !hasBegun, hasHead { refusal = try? JSON(parsing: bytes) }
        happened(.ended(refusal))
    }

    private func take(_ received: [UInt8]) {
        guard !isClosed else { return }
        bytes += received
        guard bytes.count <= Self.eventBytesLimit else {
            request?.close()
            return
        }
        if !hasHead {
            guard let end = Self.end(of: "\r\n\r\n", in: bytes) else { return }
            hasHead = true
            let isStream = bytes.starts(with: "HTTP/1.".utf8) && bytes.dropFirst(9).starts(with: "200".utf8)
            bytes.removeFirst(end)
            // The rest is a problem, until its end.
            if !isStream { refusal = .null }
        }
        guard refusal == nil else {
            return refusal = (try? JSON(parsing: bytes)) ?? .null
        }
        while let end = Self.end(of: "\n\n", in: bytes) {
            let event = bytes[..<end]
            take(event: event)
            if isClosed { return }
            bytes.removeFirst(end)
        }
    }

    private static func end(of mark: String, in bytes: [UInt8]) -> Int? {
        bytes.firstRange(of: Array(mark.utf8))?.upperBound
    }

    private func take(event: ArraySlice<UInt8>) {
        var name: ArraySlice<UInt8> = []
        var data: [UInt8] = []
        for line in event.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "data: ".utf8) { data += line.dropFirst(6) }
            if line.starts(with: "event: ".utf8) { name = line.dropFirst(7) }
        }
        guard !data.isEmpty,
            case .object(let members)? = try? JSON(parsing: data, depth: JSONReader.greatestDepthLimit)
        else { return }
        if name.elementsEqual("error".utf8) { return refusal = .object(members) }
        guard name.isEmpty else { return }
        note(members)
    }

    private func note(_ members: JSON.Object) {
        var changed: [String] = []
        var gone: [String] = []
        let known = tags
        if case .object(let told)? = members["_tags"] {
            for member in told {
                guard let uri = addresses[member.key], case .string(let tag) = member.value else { continue }
                tags[member.key] = tag
                // The first value of a view is no change.
                if hasBegun || known[member.key] != nil { changed.append(uri) }
            }
        }
        if case .object(let told)? = members["_gone"] {
            for member in told {
                guard let uri = addresses[member.key] else { continue }
                tags[member.key] = nil
                gone.append(uri)
            }
        }
        if !hasBegun {
            hasBegun = true
            happened(.begun(unreadable: gone))
            gone = []
        }
        if !isClosed, !(changed + gone).isEmpty { happened(.changed(changed + gone)) }
    }
}
