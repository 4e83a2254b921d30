import HTTP
import Testing

@Suite struct FieldTests {
    @Test func `a target is taken apart and decoded`() {
        let target = Target("/v1/a%2Fb//?x=1&y=a+b%26&x=2&z&=q")
        #expect(target?.segments == ["v1", "a/b", "", ""])
        #expect(target?.values(of: "x") == ["1", "2"] && target?["y"] == "a b&" && target?["z"] == "" && target?[""] == "q")
        #expect(Target("/%ff") == nil && Target("/a?%c3") == nil && Target("/%c3%a9")?.segments == ["é"])
        #expect(Target("/a+b")?.segments == ["a+b"] && Target("/") == Target("/") && Target("/?a") != Target("/?b"))
    }

    @Test func `entity tags are compared by their text, weak or not`() {
        let tags = EntityTags(#""a", W/"b" ,, "c,d" "#)
        #expect(tags?.tags == ["a", "b", "c,d"])
        #expect(tags?.matches("b") == true && tags?.matches("d") == false)
        #expect(EntityTags(" * ")?.isAny == true && EntityTags("*")?.matches("whatever") == true)
        #expect(EntityTags(#" , ,"a""#)?.tags == ["a"])
        for text in ["", " , ", ", *", "a", "\"a", "\"a\" \"b\"", "w/\"a\"", "\"a\"; \"b\""] { #expect(EntityTags(text) == nil, "\(text)") }
    }

    @Test(arguments: [
        "\"a\"", "W/\"a\"", "\"a-gzip\"", "W/\"a-gzip\"", "\"a;gzip\"", "\"b\", W/\"a;gzip\"",
    ])
    func `what a compressing proxy adds to a tag is ignored`(_ value: String) {
        #expect(EntityTags(value)?.matches("a") == true)
        #expect(EntityTags(value)?.matches("a-") == false && EntityTags(value)?.matches("") == false)
    }

    @Test func `a tag that ends like a coding still means itself`() {
        #expect(EntityTags("\"a-gzip\"")?.matches("a-gzip") == true && EntityTags(tag: "a;gzip").matches("a"))
        #expect(EntityTags("\"a-br\"")?.matches("a") == false && EntityTags("\"a-gzip-gzip\"")?.matches("a") == false)
    }

    @Test func `a tag is what stands between its marks, whatever would grow together with them`() {
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
    func `a wait that is preferred is found`(_ value: String, _ seconds: Int) {
        #expect(Preference.wait(in: value) == seconds)
    }

    @Test(arguments: ["", "wait", "wait=", "wait=-1", "wait=x", "wait=1.5", "await=1"])
    func `what is no wait is none`(_ value: String) {
        #expect(Preference.wait(in: value) == nil)
    }

    @Test func `what is accepted counts by how closely it is named`() {
        let acceptance = Acceptance("text/*;q=0.3, TEXT/html;Q=0.7, */*;q=0.1, application/json;q=0")
        #expect(acceptance.quality(of: "text", "html") == 0.7 && acceptance.quality(of: "text", "event-stream") == 0.3)
        #expect(acceptance.quality(of: "application", "json") == 0 && acceptance.quality(of: "image", "png") == 0.1)
        #expect(acceptance.names("text", "html") && !acceptance.names("text", "plain") && !acceptance.names("application", "json"))
        #expect(Acceptance("").quality(of: "a", "b") == 1 && Acceptance("nonsense").quality(of: "a", "b") == 1)
        #expect(Acceptance("a/b").quality(of: "a", "c") == 0)
    }

    @Test func `an authority is a host and a port`() {
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

    @Test func `a token is what comes after Bearer`() {
        #expect(
            Credentials.bearer("bearer  abc ") == "abc" && Credentials.bearer("Bearer") == nil && Credentials.bearer("Basic abc") == nil)
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    ])
    func `a date is written as fields have it`(_ seconds: Int, _ text: String) {
        #expect(HTTPDate.text(seconds) == text)
    }

    @Test func `an event's data cannot end its field`() {
        var text: [UInt8] = []
        EventText.event(id: "t", name: "n", data: Array("a\nb\r\nc\rd\n\ne".utf8), appendingTo: &text)
        #expect(String(decoding: text, as: UTF8.self) == "id: t\nevent: n\ndata: a\ndata: b\ndata: c\ndata: d\ndata: \ndata: e\n\n")
        text = []
        EventText.event(data: [], appendingTo: &text)
        EventText.retry(milliseconds: 5, appendingTo: &text)
        #expect(String(decoding: text, as: UTF8.self) == "data: \n\nretry: 5\n\n")
    }
}
