import Glibc
import HTTP
import ServiceInProcess
import Testing

/// Each known field survives every byte, and pairs of bytes, around its valid values.
@Suite struct FieldBytesTests {
    /// The step between the tested pairs of bytes; each field tests other pairs. `HEADWATER_ALL_PAIRS=1` tests all.
    private static let pairStep = getenv("HEADWATER_ALL_PAIRS") == nil ? 101 : 1

    /// Returns a request whose handling reads the field.
    private static func request(_ field: KnownField, _ value: [UInt8]) -> [UInt8] {
        var lines = [Array("\(target(of: field)) HTTP/1.1".utf8)]
        if field != .host { lines.append(Array("host: localhost".utf8)) }
        lines.append(Array("\(field.name): ".utf8) + value)
        var body = ""
        switch field {
        case .contentType, .ifMatch, .idempotencyKey, .expect:
            body = "{}"
            if field != .contentType { lines.append(Array("content-type: application/json".utf8)) }
            lines.append(Array("content-length: 2".utf8))
        case .contentLength: body = "{}"
        case .transferEncoding: body = "2\r\n{}\r\n0\r\n\r\n"
        default: break
        }
        return Array(lines.joined(separator: [0x0D, 0x0A])) + Array("\r\n\r\n\(body)".utf8)
    }

    private static func target(of field: KnownField) -> String {
        switch field {
        case .contentType, .ifMatch, .idempotencyKey, .expect, .contentLength, .transferEncoding:
            "POST /v1/spaces/main/user/logOut"
        case .lastEventID: "GET /v1/spaces/main/changes?events=1"
        case .origin, .accessControlRequestMethod: "OPTIONS /v1/spaces/main/user/title"
        default: "GET /v1/spaces/main/user/title"
        }
    }

    private func check(_ requests: [[UInt8]], _ service: ServiceInProcess, _ words: String) throws {
        do {
            let sent = Array(requests.joined())
            _ = try AnswerCheck(try service.answer(to: [sent]), to: sent)
        } catch {
            Issue.record("\(words): \(error)")
        }
    }

    @Test(arguments: KnownField.allCases) func `a field survives every byte before, within and after a valid value`(
        _ field: KnownField
    ) throws {
        let service = try ServiceInProcess(origins: ["https://example.org"])
        for text in RequestGenerator.values(of: field).prefix(4) {
            let value = Array(text.utf8)
            for byte in UInt8.min...UInt8.max {
                for place in Set([0, value.count / 2, value.count]) {
                    let changed = Self.request(field, value[..<place] + [byte] + value[place...])
                    try check([changed], service, "\(field.name): \(text) with \(byte) at \(place)")
                }
            }
        }
    }

    @Test(arguments: KnownField.allCases) func `a field survives pairs of bytes around a valid value`(
        _ field: KnownField
    ) throws {
        let service = try ServiceInProcess(origins: ["https://example.org"])
        guard let text = RequestGenerator.values(of: field).first else { return }
        let value = Array(text.utf8)
        var requests: [[UInt8]] = []
        for pair in stride(from: field.rawValue, to: 65_536, by: Self.pairStep) {
            let (first, second) = (UInt8(pair >> 8), UInt8(pair & 255))
            requests.append(Self.request(field, [first] + value + [second]))
            // A fault ends its connection, so an invalid byte is sent alone.
            let mayFollow =
                field.hasOneReading && [first, second].allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
            if mayFollow, requests.count < 50 { continue }
            try check(requests, service, "\(field.name) up to \(first), \(second)")
            requests = []
        }
        try check(requests, service, "\(field.name), the last")
    }
}

extension KnownField {
    /// True if no value of the field makes a request unreadable or ends the connection.
    fileprivate var hasOneReading: Bool {
        switch self {
        case .host, .contentLength, .transferEncoding, .connection, .expect, .lastEventID: false
        default: true
        }
    }
}
