import StateStore
import Testing

@Suite(.bothForms) struct UserTests {
    @Test func `initially no user is logged in`() throws {
        let shop = try Shop()
        #expect(shop.get("user.isLoggedIn") == "false")
        #expect(shop.get("user.name") == "null")
        #expect(shop.get("user.title") == "\"Logged out\"")
    }

    @Test func `logging in changes both variables in one commit, and the title once`() throws {
        let shop = try Shop()
        let title = shop.watch(["user.title"])
        #expect(shop.post("user/logIn", #"{"name": " Ada "}"#).summary == "1 user.isLoggedIn,user.name")
        #expect(title.events == ["user.title=\"Logged out\"", "user.title=\"Ada\""])
        #expect(shop.get("user.name") == "\"Ada\"")
    }

    @Test func `a name saved while logged out shows at the next log-in`() throws {
        let shop = try Shop()
        let title = shop.watch(["user.title"])
        shop.post("user/save", #"{"name": "Ada"}"#)
        #expect(shop.get("user.title") == "\"Logged out\"")
        shop.post("user/logIn", #"{"name": "Ada"}"#)
        shop.post("user/logOut")
        #expect(title.events == ["user.title=\"Logged out\"", "user.title=\"Ada\"", "user.title=\"Logged out\""])
    }

    @Test func `saving the same name creates no version and emits nothing`() throws {
        let shop = try Shop()
        shop.post("user/logIn", #"{"name": "Ada"}"#)
        let name = shop.watch(["user.name", "user.title"])
        #expect(shop.post("user/save", #"{"name": "Ada"}"#).summary == "1 ")
        #expect(name.events == ["user.name=\"Ada\" user.title=\"Ada\""])
    }

    @Test(arguments: [
        ("{}", "invalid /name: no name is saved"),
        (#"{"name": ""}"#, "invalid /name: the value must be 1 to 100"),
        (#"{"name": "   "}"#, "invalid /name: the value must be 1 to 100"),
        (#"{"name": "a\u0007b"}"#, "invalid /name: the value must be 1 to 100"),
        (#"{"name": 1}"#, "invalid /name: expected a string, found a number"),
        (#"{"name": "a", "age": 1}"#, "invalid /age: the member \"age\" is unknown"),
        (#"{"name": "a""#, "malformed"),
    ])
    func `an invalid name is refused with a reason, and changes nothing`(_ input: String, _ words: String) throws {
        let shop = try Shop()
        #expect(shop.post("user/logIn", input).summary.hasPrefix(words), "\(shop.post("user/logIn", input).summary)")
        #expect(shop.get("user.title") == "\"Logged out\"")
    }

    @Test func `a name of 100 characters is accepted, and one of 101 is refused`() throws {
        let shop = try Shop()
        let hundred = String(repeating: "é", count: 100)
        #expect(shop.post("user/logIn", "{\"name\": \"\(hundred)\"}").summary.hasPrefix("1 "))
        #expect(shop.post("user/logIn", "{\"name\": \"\(hundred)é\"}").summary.hasPrefix("invalid"))
    }
}
