import Glibc
import JSON
import Testing

/// `headwater watch` and `headwater act`, beside a server that is killed and starts again.
@Suite struct WatchCommandTests {
    private static let title = "main/user.title"

    @Test func `watch prints values and patches as lines, goes on after a restart, and ends by its expression`() throws
    {
        let scratch = try Scratch()
        let first = try Service("--data", scratch.data)
        let url = "http://127.0.0.1:\(first.port)"
        let watch = try Program(
            ["watch", url, "main/cart.orders", Self.title, "--until", "values['\(Self.title)'] == 'Grace'"],
            listensToErrors: true)
        var output = Incoming(watch.output)
        let deadline = Deadline()
        #expect(try output.upTo("\n", deadline) == "main/cart.orders []\n")
        #expect(try output.upTo("\n", deadline) == "\(Self.title) \"Logged out\"\n")
        for product in 1...3 {
            #expect(try first.ask("POST", "/v1/spaces/main/cart/add", #"{"productId": \#(product)}"#).status == 200)
        }
        #expect(try output.upTo("\"quantity\":1", deadline) != nil)
        let acted = try Program.run("act", url, "main/cart/increment", #"{"productId": 2}"#)
        #expect(acted.status == 0 && acted.output.contains(#""version":4"#), "\(acted)")
        #expect(try output.upTo("main/cart.orders replace \"/1/quantity\" 2\n", deadline) != nil)
        #expect(try output.upTo("main/cart.orders replace \"/1/price\" 24\n", deadline) != nil)
        first.program.kill(SIGKILL)
        _ = first.program.wait()
        // The action waits for the server, and is performed once.
        let act = try Program(["act", url, "main/user/logIn", #"{"name": "Grace"}"#, "--key", "mine"])
        let second = try Service("--data", scratch.data, "--port", "\(first.port)")
        var answer = Incoming(act.output)
        let said = try answer.rest(deadline)
        #expect(act.wait() == 0 && said.contains(#""version":5"#), "\(said)")
        #expect(try output.rest(deadline) == "\(Self.title) \"Grace\"\n")
        #expect(watch.wait() == 0)
        let again = try Program.run("act", url, "main/user/logIn", #"{"name": "Grace"}"#, "--key", "mine")
        #expect(again.output == said && second.port == first.port)
    }

    @Test func `what cannot be watched or performed ends with its reason`() throws {
        let service = try Service("--memory")
        let url = "http://127.0.0.1:\(service.port)"
        let missing = try Program.run("watch", url, "main/user.tite")
        #expect(missing.status == 1 && missing.errors.contains("main/user.tite cannot be read: "), "\(missing)")
        let refused = try Program.run("act", url, "main/cart/increment", #"{"productId": 9}"#)
        #expect(refused.status == 1 && refused.errors.contains("the server answers 4"), "\(refused)")
        let unfit = try Program.run("act", url, "main/user/logIn", #"{"name": 7}"#)
        #expect(unfit.errors.contains("the server answers 422") && unfit.errors.contains("(at /name)"), "\(unfit)")
        for arguments in [
            ["watch"], ["watch", url], ["watch", url, "title"], ["watch", url, Self.title, "--until", "1 +"],
            ["watch", "nothing", Self.title], ["watch", url, Self.title, "--bogus"],
            ["act", url], ["act", url, "cart/add"], ["act", url, "main/cart/add", "[]"],
            ["act", url, "main/cart/add", "{}", "more"], ["act", url, "main/cart/add", "--key"],
        ] {
            let ending = try Program.run(arguments)
            #expect(ending.status == 2 && ending.output == "", "\(arguments) \(ending)")
        }
    }

    @Test func `an expression that has no truth is said on standard error, once`() throws {
        let service = try Service("--memory")
        let url = "http://127.0.0.1:\(service.port)"
        for (expression, complaint) in [
            ("value", "--until is neither true nor false\n"), ("value.x > 3", "--until cannot be evaluated: "),
        ] {
            let ended = "values['\(Self.title)'] == 'Ada' ? true : \(expression)"
            let watch = try Program(["watch", url, Self.title, "--until", ended], listensToErrors: true)
            var output = Incoming(watch.output)
            let deadline = Deadline()
            #expect(try output.upTo("\n", deadline) != nil)
            for name in ["Bob", "Bob Two", "Ada"] {
                #expect(try service.ask("POST", "/v1/spaces/main/user/logIn", #"{"name": "\#(name)"}"#).status == 200)
            }
            _ = try output.rest(deadline)
            #expect(watch.wait() == 0)
            var errors = Incoming(watch.errors ?? -1)
            let said = try errors.rest(deadline)
            #expect(said.split(separator: "--until").count == 1 && said.contains(complaint), "\(said)")
            #expect(try service.ask("POST", "/v1/spaces/main/user/logOut", "{}").status == 200)
        }
    }
}
