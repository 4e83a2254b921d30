import JSON
import Testing

@Suite struct ValueTests {
    @Test func `objects are equal in any member order, and keep their own order`() throws {
        let one: JSON = ["a": 1, "b": [2.5, nil]]
        let other: JSON = ["b": [2.5, nil], "a": 1.0]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one.description == #"{"a":1,"b":[2.5,null]}"#)
        #expect(other.description == #"{"b":[2.5,null],"a":1}"#)
        #expect(one != ["a": 1])
        #expect(one != ["a": 1, "c": [2.5, nil]])
    }

    @Test func `strings are equal only code unit by code unit`() throws {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        #expect(composed == decomposed, "which is why it needs saying")
        #expect(JSON.string(composed) != JSON.string(decomposed))
        var object = JSON.Object()
        object[composed] = 1
        object[decomposed] = 2
        #expect(object.count == 2)
        #expect(object[composed] == 1)
    }

    @Test func `members are found, changed and removed by name, in small and large objects`() {
        var object = JSON.Object()
        for number in 0..<200 { object["member \(number)"] = .number(Decimal(number)) }
        object["member 7"] = "seven"
        object["member 100"] = nil
        object["not there"] = nil
        #expect(object.count == 199)
        #expect(object["member 7"] == "seven")
        #expect(object["member 100"] == nil)
        #expect(object["member 199"] == 199)
        #expect(object[7].key == "member 7")
        for number in 0..<199 { object["member \(number)"] = nil }
        #expect(object.map(\.key) == ["member 199"])
        #expect(object["member 199"] == 199)
    }

    @Test func `a value is reached by names and positions`() {
        let value: JSON = ["a": [1, ["b": true]]]
        #expect(value["a"]?[1]?["b"] == true)
        #expect(value["a"]?[2] == nil)
        #expect(value["x"] == nil)
        #expect(value[0] == nil)
        #expect(JSON.null["a"] == nil)
        #expect(value.kind == .object)
    }

    @Test func `reading many names takes linear time, even if they are canonically equivalent`() throws {
        let marks = ["\u{300}", "\u{323}", "\u{327}", "\u{328}", "\u{334}", "\u{345}", "\u{31B}", "\u{5B0}"]
        func names(_ count: Int) -> [UInt8] {
            let members = (0..<count).map { number in
                // The same marks, in an order chosen by the number: String considers many of these names equal.
                var rest = marks
                var order = number
                var name = "a"
                while !rest.isEmpty {
                    name += rest.remove(at: order % rest.count)
                    order /= rest.count + 1
                }
                return "\"\(name)\":1"
            }
            return Array("{\(members.joined(separator: ","))}".utf8)
        }
        let plain = Array("{\((0..<100_000).map { "\"name \($0)\":\($0)" }.joined(separator: ","))}".utf8)
        let limit = Duration.seconds(20)
        let taken = try ContinuousClock().measure {
            #expect(try JSON(parsing: plain)["name 99999"] == 99999)
            #expect(try [String: Int](parsing: plain).count == 100_000)
            guard case .object(let object) = try JSON(parsing: names(40_000)) else { return }
            #expect(object.count == 40_000)
        }
        #expect(taken < limit, "a quadratic check would take minutes")
    }
}
