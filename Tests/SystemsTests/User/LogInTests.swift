import StateStore
import Testing

@Suite(.bothForms) struct LogInTests {
    @Test func `a name saved while logged out applies at the next log-in without a name`() throws {
        let shop = try Shop()
        shop.post("user/save", #"{"name": "Ada"}"#)
        #expect(shop.get("user.title") == "\"Logged out\"")
        #expect(shop.post("user/logIn").summary == "2 user.isLoggedIn")
        #expect(shop.get("user.title") == "\"Ada\"")
    }

    @Test func `a user who logged out logs in again under the same name`() throws {
        let shop = try Shop()
        shop.post("user/logIn", #"{"name": "Ada"}"#)
        shop.post("user/logOut")
        #expect(shop.get("user.name") == "\"Ada\"")
        shop.post("user/logIn", #"{"name": null}"#)
        #expect(shop.get("user.title") == "\"Ada\"")
        shop.post("user/logIn", #"{"name": "Grace"}"#)
        #expect(shop.get("user.title") == "\"Grace\"")
    }

    @Test func `one log-in is one emission, for any set of views`() throws {
        let shop = try Shop()
        let all = shop.watch(["user.isLoggedIn", "user.name", "user.title"])
        shop.post("user/logIn", #"{"name": "Ada"}"#)
        shop.post("user/save", #"{"name": "Grace"}"#)
        shop.post("user/logOut")
        #expect(
            all.events == [
                #"user.isLoggedIn=false user.name=null user.title="Logged out""#,
                #"user.isLoggedIn=true user.name="Ada" user.title="Ada""#,
                #"user.name="Grace" user.title="Grace""#,
                #"user.isLoggedIn=false user.title="Logged out""#,
            ])
    }

    @Test func `each space has a user of its own`() throws {
        let shop = try Shop()
        shop.post("user/logIn", #"{"name": "Ada"}"#, in: "a")
        shop.post("user/logIn", #"{"name": "Grace"}"#, in: "b")
        #expect(["a", "b", "c"].map { shop.get("user.title", in: $0) } == ["\"Ada\"", "\"Grace\"", "\"Logged out\""])
    }
}
