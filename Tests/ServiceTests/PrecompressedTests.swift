import GzipReading
import Platform
import ServiceInProcess
import StateStore
import Testing

@testable import HeadwaterServer

/// Files of a site that lie beside their compressed forms.
@Suite struct PrecompressedTests {
    private static let text = String(repeating: "0123456789 the same words again and again\n", count: 60)

    /// Sends a request and returns the fields and the bytes of the answer's body.
    private func ask(
        _ service: ServiceInProcess, _ line: String, _ coding: String? = nil, _ more: String = ""
    ) throws -> (status: String, fields: [String: String], body: [UInt8]) {
        let field = coding.map { "Accept-Encoding: \($0)\r\n" } ?? ""
        let bytes = try service.answer(
            to: [Array("\(line) HTTP/1.1\r\nHost: localhost\r\n\(field)\(more)\r\n".utf8)])
        let end = try #require((0..<bytes.count - 3).first { bytes[$0..<$0 + 4].elementsEqual("\r\n\r\n".utf8) })
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts[1].trimmingPrefix(" ").description
        }
        return (String(lines[0].split(separator: " ")[1]), fields, Array(bytes[(end + 4)...]))
    }

    /// The gzip form of the text, as the server makes it.
    private func gzip(_ text: String = text) throws -> [UInt8] {
        let folder = try SiteFolder()
        try folder.write("a.txt", text)
        let made = try ask(try ServiceInProcess(site: folder.path), "GET /a.txt", "gzip")
        #expect(made.fields["content-encoding"] == "gzip")
        return made.body
    }

    @Test func `a file beside its gzip form is sent so to who takes it, with the validator of the file`() throws {
        let folder = try SiteFolder()
        let gzip = try gzip()
        // A type that the server does not compress itself.
        try folder.write("app.wasm", Self.text)
        try folder.write("app.wasm.gz", gzip)
        let service = try ServiceInProcess(site: folder.path)
        let plain = try ask(service, "GET /app.wasm")
        let packed = try ask(service, "GET /app.wasm", "gzip, br")
        #expect(plain.fields["content-encoding"] == nil && plain.body == Array(Self.text.utf8))
        #expect(packed.fields["content-encoding"] == "gzip" && packed.body == gzip)
        #expect(packed.fields["content-length"] == "\(gzip.count)")
        for fields in [plain.fields, packed.fields] {
            #expect(fields["vary"] == "Accept-Encoding" && fields["content-type"] == "application/wasm")
            #expect(fields["etag"] == plain.fields["etag"] && fields["content-security-policy"] != nil)
        }
        let tag = try #require(plain.fields["etag"])
        for known in [tag, "W/\(tag)", tag.dropLast() + "-gzip\""] {
            let again = try ask(service, "GET /app.wasm", "gzip", "If-None-Match: \(known)\r\n")
            #expect(again.status == "304" && again.body.isEmpty && again.fields["etag"] == tag)
        }
        let head = try ask(service, "HEAD /app.wasm", "gzip")
        #expect(head.body.isEmpty && head.fields["content-length"] == "\(gzip.count)")
        #expect(try ask(service, "GET /app.wasm", "gzip;q=0").fields["content-encoding"] == nil)
        // The form itself is a file too.
        let form = try ask(service, "GET /app.wasm.gz", "gzip")
        #expect(form.fields["content-type"] == "application/gzip" && form.body == gzip)
        #expect(form.fields["content-encoding"] == nil)
    }

    @Test func `a gzip form of other content is not sent, and a new one is sent at once`() throws {
        let folder = try SiteFolder()
        try folder.write("app.wasm", Self.text)
        try folder.write("app.wasm.gz", try gzip(Self.text + "other"))
        let service = try ServiceInProcess(site: folder.path)
        #expect(try ask(service, "GET /app.wasm", "gzip").fields["content-encoding"] == nil)
        try folder.write("app.wasm.gz", "no gzip at all, but long enough for a trailer")
        #expect(try ask(service, "GET /app.wasm", "gzip").body == Array(Self.text.utf8))
        try folder.write("app.wasm.gz", try gzip())
        #expect(try ask(service, "GET /app.wasm", "gzip").fields["content-encoding"] == "gzip")
        try folder.write("app.wasm", Self.text.replacing("again", with: "never"))
        let changed = try ask(service, "GET /app.wasm", "gzip")
        #expect(changed.fields["content-encoding"] == nil && changed.body.starts(with: "0123456789 the".utf8))
        folder.delete("app.wasm.gz")
        #expect(try ask(service, "GET /app.wasm", "gzip").fields["vary"] == nil)
    }

    @Test func `a Brotli form that is not older than its file goes to who prefers it`() throws {
        let folder = try SiteFolder()
        let brotli = Array("stands for Brotli".utf8)
        try folder.write("a.js", Self.text)
        try folder.write("a.js.br", brotli)
        let service = try ServiceInProcess(site: folder.path)
        for coding in ["br", "gzip, deflate, br, zstd", "br;q=0.9, gzip;q=0.8", "*"] {
            let reply = try ask(service, "GET /a.js", coding)
            #expect(reply.fields["content-encoding"] == "br" && reply.body == brotli, "\(coding)")
        }
        for coding in ["gzip", "br;q=0, gzip", "br;q=0.5, gzip", "gzip, *;q=0.1", "BROTLI, gzip"] {
            #expect(try ask(service, "GET /a.js", coding).fields["content-encoding"] == "gzip", "\(coding)")
        }
        for coding in ["identity", "br;q=0.3, identity;q=0.9", "br;q=x"] {
            #expect(try ask(service, "GET /a.js", coding).fields["content-encoding"] == nil, "\(coding)")
        }
        try folder.age("a.js.br")
        #expect(try ask(service, "GET /a.js", "br, gzip").fields["content-encoding"] == "gzip")
    }

    @Test func `the compressed form of what is never served is not served either`() throws {
        let folder = try SiteFolder()
        let document = #"{"feature": "x", "home": "space", "note": "\#(Self.text.replacing("\n", with: ""))"}"#
        try folder.write("app.json", document)
        try folder.write("app.json.gz", "GZIP")
        try folder.write("app.json.br", "BROTLI")
        try folder.write("headwater-site.json", "{}")
        try folder.write("headwater-site.json.gz", "GZIP")
        try folder.write("page.js", Self.text)
        try folder.link("page.js.gz", to: "../outside/secret.txt")
        try folder.write(".hidden.br", "SECRET")
        try folder.link("page.js.br", to: ".hidden.br")
        try folder.write("alone.txt.gz", "GZIP")
        let service = try ServiceInProcess(site: folder.path)
        for path in ["app.json", "app.json.gz", "app.json.br", "headwater-site.json.gz", "page.js.gz", "page.js.br"] {
            #expect(try ask(service, "GET /\(path)", "gzip, br").status == "404", "\(path)")
        }
        let page = try ask(service, "GET /page.js", "br")
        #expect(page.body == Array(Self.text.utf8) && page.fields["content-encoding"] == nil)
        #expect(try ask(service, "GET /alone.txt.gz").body == Array("GZIP".utf8))
    }

    @Test func `a form that is a directory, a pipe or empty is none`() throws {
        let folder = try SiteFolder()
        try folder.write("a.wasm", Self.text)
        try folder.makeFolder("a.wasm.gz")
        try folder.write("a.wasm.br", "")
        let service = try ServiceInProcess(site: folder.path)
        #expect(try ask(service, "GET /a.wasm", "gzip, br").body == Array(Self.text.utf8))
        #expect(try ask(service, "GET /a.wasm.gz").status == "308")
    }
}
