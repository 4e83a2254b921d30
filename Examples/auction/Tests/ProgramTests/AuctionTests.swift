import AuctionModel
import FeatureTesting
import StateStore
import Testing

@testable import Program

@Suite struct AuctionTests {
    let server: TestServer
    let lot: String

    init() throws {
        server = try TestServer([auction.feature { AuctionEffects($0, $1) }])
        let answer = try server.perform("auction/offer", #"{"title": "A guitar", "price": 100}"#)
        lot = try #require(answer.resultText).filter { $0 != "\"" }
    }

    private func bid(_ amount: String, by subject: String = "", name: String? = nil) throws -> Answer {
        let name = name.map { #", "name": "\#($0)""# } ?? ""
        return try server.perform("auction/bid", #"{"lot": "\#(lot)", "amount": \#(amount)\#(name)}"#, by: subject)
    }

    private func refusal(_ amount: String, by subject: String = "", name: String? = nil) -> String? {
        do {
            _ = try bid(amount, by: subject, name: name)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a bid is at least five per cent higher than the last one`() throws {
        #expect(refusal("99.99", by: "ada") == "the least bid is 100.00")
        #expect(try bid("100", by: "ada").resultText == "105")
        #expect(refusal("104.99", by: "bo") == "the least bid is 105.00")
        #expect(try bid("105.5", by: "bo").resultText == "110.78")
        #expect(try server.view("auction.lot?id=\(lot)").contains(#""price":105.5,"bidder":"bo","bids":2"#))
    }

    @Test func `nobody bids in the name of another`() throws {
        #expect(refusal("100", by: "ada", name: "bo") == "ada cannot bid in the name of another")
        #expect(refusal("100") == "say who bids")
        _ = try bid("100", by: "ada", name: "ada")
        #expect(refusal("200", by: "ada") == "ada has the highest bid already")
        _ = try bid("200", name: "bo")
    }

    @Test func `a lot ends at its time, also after a restart`() throws {
        _ = try bid("100", by: "ada")
        server.advance(.seconds(300))
        try server.restart()
        server.advance(.seconds(299))
        #expect(try server.view("auction.closed") == "[]")
        server.advance(.seconds(1))
        #expect(try server.view("auction.open") == "[]" && server.view("auction.sold") == "100")
        #expect(refusal("500", by: "bo") == "the lot is closed")
    }

    @Test func `a bid shortly before the end moves the end`() throws {
        _ = try bid("100", by: "ada")
        server.advance(.seconds(590))
        _ = try bid("200", by: "bo")
        server.advance(.seconds(29))
        #expect(try server.view("auction.closed") == "[]")
        server.advance(.seconds(1))
        #expect(try server.view("auction.sold") == "200")
    }

    @Test func `a lot without bids is not sold`() throws {
        server.advance(.seconds(600))
        #expect(try server.view("auction.sold") == "0" && server.view("auction.closed").contains(#""bidder":null"#))
    }
}
