import JSON
import StateStore
import Testing

struct ConstraintTests {
    struct Form: Record {
        var plate: String?
        var mail: String?
        var site: String?
        var day: String?
        var id: String?
        var tags: [String]?
        var share: Decimal?

        static let shape = Shape(Form()) {
            $0.optional(\.plate, .whereGiven(.matching("^[A-Z]{1,3}-[0-9]{1,4}$", "must be a number plate")))
            $0.optional(\.mail, .whereGiven(.email))
            $0.optional(\.site, .whereGiven(.webAddress))
            $0.optional(\.day, .whereGiven(.date))
            $0.optional(\.id, .whereGiven(.uuid))
            $0.optional(\.tags, .whereGiven(.count(1...3).and(.each(.line(1...10)))))
            $0.optional(\.share, .whereGiven(.from(0...0.5)))
        }
    }

    @Test(arguments: [
        #"{"plate":"B-1234"}"#, #"{"mail":"ada.lovelace+x@example.co.uk"}"#, #"{"site":"https://example.org/a?b#c"}"#,
        #"{"day":"2028-02-29"}"#, #"{"id":"0b8e1b0c-1d3c-4c52-9a5b-3f0c2f3b7a10"}"#, #"{"tags":["a","b"]}"#,
        #"{"share":0.5}"#,
    ])
    func `a value that satisfies its constraint is taken`(_ text: String) throws {
        _ = try Form(parsing: Array(text.utf8))
    }

    @Test(arguments: [
        (#"{"plate":"b-1"}"#, "must be a number plate"), (#"{"plate":"B-1\nB-1"}"#, "must be a number plate"),
        (#"{"mail":"ada@localhost"}"#, "must be an e-mail address"),
        (#"{"mail":"a b@c.de"}"#, "must be an e-mail address"),
        (#"{"mail":"a@b@c.de"}"#, "must be an e-mail address"),
        (#"{"site":"javascript:alert(1)"}"#, "must be a URL that begins with https:// or http://"),
        (#"{"site":"https:// x"}"#, "must be a URL that begins with https:// or http://"),
        (#"{"day":"2027-02-29"}"#, "must be a date such as 2026-11-21"),
        (#"{"day":"2026-11-21T00:00:00Z"}"#, "must be a date such as 2026-11-21"),
        (#"{"id":"0b8e1b0c"}"#, "must be a UUID in lower-case letters"),
        (#"{"tags":[]}"#, "must have 1 to 3 elements"), (#"{"tags":["a","b","c","d"]}"#, "must have 1 to 3 elements"),
        (#"{"tags":["a",""]}"#, "must be a list of which each"), (#"{"share":0.51}"#, "must be from 0 to 0.5"),
    ])
    func `a value that violates its constraint is refused in words`(_ text: String, _ words: String) {
        do {
            _ = try Form(parsing: Array(text.utf8))
            Issue.record("\(text) is taken")
        } catch {
            #expect("\(error.reason)".contains(words))
        }
    }

    @Test func `a constraint is in the schema`() {
        let properties = Form.schema["properties"]
        #expect(properties?["plate"]?["pattern"] == "^[A-Z]{1,3}-[0-9]{1,4}$")
        #expect(properties?["mail"]?["format"] == "email" && properties?["id"]?["format"] == "uuid")
        #expect(properties?["tags"]?["minItems"] == 1 && properties?["share"]?["maximum"] == 0.5)
    }
}
