import Foundation
import JSON
import ScriptedOutside
import ServiceInProcess
import StateStore
import Systems
import Testing

/// A service with a scripted receiver of hooks at `http://hooks.example:9000`.
struct HookReceiver {
    static let url = "http://hooks.example:9000/in?x=1"
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    let fetcher: ScriptedFetcher
    let service: ServiceInProcess

    init(
        directory: String? = nil, history: Int = 100, startingAt time: Int64 = 0, arguments: [String] = [],
        tokenFile: String? = nil, features: [Feature] = systems()
    ) throws {
        fetcher = ScriptedFetcher()
        service = try ServiceInProcess(
            tokenFile: tokenFile, directory: directory, history: history, startingAt: time,
            arguments: ["--outgoing-allow", "hooks.example:9000"] + arguments, fetcher: fetcher,
            features: features)
    }

    /// Puts a hook as a person, or as a client without a token.
    @discardableResult
    func put(
        _ id: String, in space: String = "main", _ source: String = #"{"changes": ["cart/*"]}"#, url: String = url,
        secret: String = secret, by person: String? = nil
    ) throws -> Reply {
        try service.ask(
            "PUT /v1/spaces/\(space)/hooks/\(id)", person.map { ServiceInProcess.person($0) } ?? [:],
            #"{"source": \#(source), "url": "\#(url)", "secret": "\#(secret)"}"#)
    }

    /// Adds a product to the cart, and returns the version.
    @discardableResult
    func add(_ product: Int = 1, in space: String = "main") throws -> JSON? {
        try service.ask("POST /v1/spaces/\(space)/cart/add", [:], #"{"productId": \#(product)}"#).json["version"]
    }

    /// Returns a hook as GET describes it.
    func hook(_ id: String, in space: String = "main") throws -> JSON {
        try service.ask("GET /v1/spaces/\(space)/hooks/\(id)").json
    }

    /// Answers the delivery under way.
    @discardableResult
    func answer(_ status: Int = 204, fields: [OutgoingRequest.HeaderField] = []) -> Bool {
        service.settle()
        let isAnswered = fetcher.answer("http://hooks.example:9000", status: status, fields: fields)
        service.settle()
        return isAnswered
    }

    /// The deliveries so far, by the ids of their events.
    var ids: [String] { fetcher.requests.map { $0["ce-id"] } }
}

extension OutgoingRequest {
    /// A header field, or an empty text.
    subscript(name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

    var text: String { String(decoding: body ?? [], as: UTF8.self) }

    /// The signature as openssl computes it.
    func signature(key: [UInt8]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt",
            "hexkey:\(key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())", "-binary",
        ]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        input.fileHandleForWriting.write(Data("\(self["webhook-id"]).\(self["webhook-timestamp"]).\(text)".utf8))
        try input.fileHandleForWriting.close()
        let code = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return "v1,\(code.base64EncodedString())"
    }
}
