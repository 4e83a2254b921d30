import Foundation
import Glibc
import JSON
import Testing

@Suite struct ExamplesTests {
    /// The features of `GET /v1` with actions or views, without `streams`, in alphabetical order.
    private func features(of server: Service) throws -> [String] {
        guard case .array(let features)? = try JSON(parsing: server.ask("GET", "/v1").body)["features"] else {
            return []
        }
        return features.compactMap { if case .string(let name)? = $0["name"] { name } else { nil } }
            .filter { $0 != "streams" }.sorted()
    }

    @Test(arguments: [
        ("none", []), ("user", ["user"]), ("cart", ["cart", "catalog"]),
        ("luthier,user", ["luthier", "rates", "user"]),
        ("feed", ["feed"]), ("streams", []), ("streams,user", ["user"]),
        ("all", ["cart", "catalog", "feed", "luthier", "rates", "user"]),
    ])
    func `a server has the selected examples and those whose state they read`(
        _ selection: String, _ expected: [String]
    ) throws {
        let server = try Service("--memory", "--examples", selection)
        #expect(try features(of: server) == expected)
        let cart = try server.ask("POST", "/v1/spaces/main/cart/add", #"{"productId": 1}"#).status
        #expect(cart == (expected.contains("cart") ? 200 : 404))
        let views = try JSON(parsing: server.ask("GET", "/v1/spaces/main/views").body)
        #expect((views["user.title"] != nil) == expected.contains("user"))
        // The feature is always there, its ten example definitions are an example.
        let streams = try [JSON](parsing: server.ask("GET", "/v1/spaces/main/streams").body)
        #expect(streams.count == (selection.contains("streams") || selection == "all" ? 10 : 0))
    }

    @Test func `the help has the options of the selected examples only`() throws {
        let all = ["--github-url", "--github-token", "--workshop-url", "--workshop-latency", "--rates-url"]
        for (selection, expected) in [
            ("none", []), ("user,cart", []), ("feed", ["--github-url", "--github-token"]),
            ("luthier", ["--workshop-url", "--workshop-latency", "--rates-url"]),
        ] {
            for text in [
                try Program.run("serve", "--examples", selection, "--help").output,
                try Program.run("help", "serve", environment: ["HEADWATER_EXAMPLES": selection]).output,
            ] {
                #expect(all.filter { text.contains("  \($0)") } == expected.filter(all.contains), "\(selection)")
                #expect(text.contains("  --examples") && text.contains("  --port"))
            }
        }
        #expect(!(try Program.run("help", environment: ["HEADWATER_EXAMPLES": "none"]).output.contains("user/logIn")))
    }

    @Test func `the contract has the paths of the selected examples only`() throws {
        let whole = try Service("--memory").ask("GET", "/openapi.yaml").text
        let part = try Service("--memory", "--examples", "user").ask("GET", "/openapi.yaml").text
        for path in ["user/logIn", "user/title", "streams/definitions"] {
            #expect(part.contains("/\(path)\":\n") && whole.contains("/\(path)\":\n"), "\(path)")
        }
        for path in ["cart/add", "catalog/products", "luthier/order"] {
            #expect(!part.contains("/\(path)\":") && whole.contains("/\(path)\":"), "\(path)")
        }
        // The rest is the same.
        let ends = [whole, part].map { $0.components(separatedBy: "# <<< The generated paths") }
        #expect(ends[0].count == 2 && ends[0][1] == ends[1][1])
    }

    @Test func `the state of examples that are left out stays in the data directory`() throws {
        let scratch = try Scratch()
        var texts: [String] = []
        for selection in ["all", "none", "user", "cart"] {
            let server = try Service("--data", scratch.data, "--examples", selection)
            switch selection {
            case "all": try server.ask("POST", "/v1/spaces/main/cart/add", #"{"productId": 1, "quantity": 2}"#)
            case "user": try server.ask("POST", "/v1/spaces/main/user/logIn", #"{"name": "Ada"}"#)
            default: break
            }
            if selection != "none", selection != "user" {
                texts.append(try server.ask("GET", "/v1/spaces/main/cart/numberOfItems").text)
            }
            server.program.kill(SIGTERM)
            #expect(server.program.wait() == 0)
        }
        #expect(texts == ["2", "2"])
    }
}
