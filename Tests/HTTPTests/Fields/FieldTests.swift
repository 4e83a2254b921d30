import HTTP
import Testing

@Suite struct FieldTests {
    @Test func `a target is split and decoded`() {
        let target = Target("/v1/a%2Fb//?x=1&y=a+b%26&x=2&z&=q")
        #expect(target?.segments == ["v1", "a/b", "", ""])
        #expect(
            target?.values(of: "x") == ["1", "2"] && target?["y"] == "a b&" && target?["z"] == "" && target?[""] == "q")
        #expect(Target("/%ff") == nil && Target("/a?%c3") == nil && Target("/%c3%a9")?.segments == ["é"])
        #expect(Target("/a+b")?.segments == ["a+b"] && Target("/") == Target("/") && Target("/?a") != Target("/?b"))
    }

    @Test func `a weak and a strong entity tag with the same text match`() {
        let tags = EntityTags(#""a", W/"b" ,, "c,d" "#)
        #expect(tags?.tags == ["a", "b", "c,d"])
        #expect(tags?.matches("b") == true && tags?.matches("d") == false)
        #expect(EntityTags(" * ")?.isAny == true && EntityTags("*")?.matches("whatever") == true)
        #expect(EntityTags(#" , ,"a""#)?.tags == ["a"])
        for text in ["", " , ", ", *", "a", "\"a", "\"a\" \"b\"", "w/\"a\"", "\"a\"; \"b\""] {
            #expect(EntityTags(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        "\"a\"", "W/\"a\"", "\"a-gzip\"", "W/\"a-gzip\"", "\"a;gzip\"", "\"b\", W/\"a;gzip\"",
    ])
    func `a suffix that a compressing proxy appends to a tag is ignored`(_ value: String) {
        #expect(EntityTags(value)?.matches("a") == true)
        #expect(EntityTags(value)?.matches("a-") == false && EntityTags(value)?.matches("") == false)
    }

    @Test func `a tag that ends with a coding also matches itself`() {
        #expect(EntityTags("\"a-gzip\"")?.matches("a-gzip") == true && EntityTags(tag: "a;gzip").matches("a"))
        #expect(EntityTags("\"a-br\"")?.matches("a") == false && EntityTags("\"a-gzip-gzip\"")?.matches("a") == false)
    }

    @Test func `a tag has every byte between its quotation marks, also a combining mark`() {
        #expect(EntityTags("\"\u{1F3FB}{\", \"b\u{301}\"")?.tags == ["\u{1F3FB}{", "b\u{301}"])
        for (text, tag) in [("a", "a"), ("\"a\"", "a"), ("W/\"a\"", "a"), ("\"", "\""), ("a\"b", "a\"b"), ("", "")] {
            #expect(EntityTags(tag: text).matches(tag), "\(text)")
        }
    }

    @Test(arguments: [
        ("wait=25", 25), ("respond-async, WAIT = 3", 3), ("wait=\"7\"", 7), ("wait=1;x=y", 1), ("wait=0", 0),
        (#"x="a, wait=9", wait=2"#, 2),
        ("wait=99999999999999999999", Int.max),
    ])
    func `a preferred wait is found`(_ value: String, _ seconds: Int) {
        #expect(Preference.wait(in: value) == seconds)
    }

    @Test(arguments: ["", "wait", "wait=", "wait=-1", "wait=x", "wait=1.5", "await=1"])
    func `a malformed wait is ignored`(_ value: String) {
        #expect(Preference.wait(in: value) == nil)
    }

    @Test func `a preference is found by its name, and not in a quoted string`() {
        for value in ["near", "wait=3, Near", "near;x=y", " near ,x"] { #expect(Preference.has("near", in: value)) }
        for value in ["", "nearby", "near=1", #"x="a, near, b""#] { #expect(!Preference.has("near", in: value)) }
    }

    @Test func `the most precise media range decides the weight`() {
        let acceptance = Acceptance("text/*;q=0.3, TEXT/html;Q=0.7, */*;q=0.1, application/json;q=0")
        #expect(acceptance.quality(of: "text", "html") == 0.7 && acceptance.quality(of: "text", "event-stream") == 0.3)
        #expect(acceptance.quality(of: "application", "json") == 0 && acceptance.quality(of: "image", "png") == 0.1)
        #expect(
            acceptance.names("text", "html") && !acceptance.names("text", "plain")
                && !acceptance.names("application", "json"))
        #expect(Acceptance("").quality(of: "a", "b") == 1 && Acceptance("nonsense").quality(of: "a", "b") == 1)
        #expect(Acceptance("a/b").quality(of: "a", "c") == 0)
    }

    @Test func `an authority is a host with an optional port`() {
        #expect(Authority("LocalHost:80").map { ($0.host, $0.port) } ?? ("", 0) == ("localhost", 80))
        #expect(Authority("[::1]").map { ($0.host, $0.port) } ?? ("", 0) == ("::1", nil))
        #expect(Authority("a:")?.port == nil && Authority("a:0")?.port == 0)
        for text in ["", ":80", "a:x", "a:-1", "a:+1", "a:65536", "[::1", "[x]", "[::1]x", "a]b"] {
            #expect(Authority(text) == nil, "\(text)")
        }
        for text in ["localhost", "a.localhost:1", "127.0.0.1", "127.255.0.9", "[::1]:1"] {
            #expect(Authority(text)?.isLoopback == true, "\(text)")
        }
        for text in ["localhost.a", "127.0.0", "127.0.0.256", "127.0.0.1.a", "128.0.0.1", "[::2]", "127..0.1"] {
            #expect(Authority(text)?.isLoopback == false, "\(text)")
        }
    }

    @Test func `a bearer token follows the scheme Bearer`() {
        #expect(
            Credentials.bearer("bearer  abc ") == "abc" && Credentials.bearer("Bearer") == nil
                && Credentials.bearer("Basic abc") == nil)
    }

    @Test func `an event's data cannot end its field`() {
        var text: [UInt8] = []
        EventText.event(id: "t", name: "n", data: Array("a\nb\r\nc\rd\n\ne".utf8), appendingTo: &text)
        #expect(
            String(decoding: text, as: UTF8.self)
                == "id: t\nevent: n\ndata: a\ndata: b\ndata: c\ndata: d\ndata: \ndata: e\n\n")
        text = []
        EventText.event(data: [], appendingTo: &text)
        EventText.retry(milliseconds: 5, appendingTo: &text)
        #expect(String(decoding: text, as: UTF8.self) == "data: \n\nretry: 5\n\n")
    }
}
