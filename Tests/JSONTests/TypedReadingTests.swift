import JSON
import Testing

/// The input of an action, as a feature defines it.
private struct AddInput: JSONReadable, Equatable {
    let productId: Int
    let quantity: Int
    var price: Decimal?
    var currency: CurrencyCode?

    enum CurrencyCode: String, CaseIterable, JSONConvertible { case usd, eur }

    init(productId: Int, quantity: Int, price: Decimal? = nil, currency: CurrencyCode? = nil) {
        self.productId = productId
        self.quantity = quantity
        self.price = price
        self.currency = currency
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        var fields = try reader.fields()
        productId = try fields.required("productId")
        quantity = try fields.optional("quantity") ?? 1
        price = try fields.optional("price")
        currency = try fields.optional("currency")
        guard 1...999 ~= quantity else { throw fields.refused("quantity", "must be from 1 to 999") }
        try reader.end(fields)
    }
}

/// Two members of an external object that may contain others.
private struct ExternalObject: JSONReadable {
    let id: Int
    let name: String

    init(from reader: inout JSONReader) throws(JSONError) {
        var fields = try reader.fields()
        id = try fields.required("id")
        name = try fields.required("name")
        try reader.endIgnoringOthers(fields)
    }
}

@Suite struct TypedReadingTests {
    @Test(arguments: [
        (#"{"productId":1}"#, AddInput(productId: 1, quantity: 1)),
        (#"{"productId":1,"quantity":2}"#, AddInput(productId: 1, quantity: 2)),
        (#"{"quantity":2,"productId":1}"#, AddInput(productId: 1, quantity: 2)),
        (#"{"quantity":null,"productId":1e0}"#, AddInput(productId: 1, quantity: 1)),
        (#"{"price":12.50,"quantity":3,"productId":1.0}"#, AddInput(productId: 1, quantity: 3, price: 12.5)),
        (#" { "currency" : "eur" , "product\u0049d" : 7 } "#, AddInput(productId: 7, quantity: 1, currency: .eur)),
    ])
    fileprivate func `members are read by name in any order`(_ document: String, _ value: AddInput) throws {
        #expect(try AddInput(parsing: Array(document.utf8)) == value)
    }

    @Test(arguments: [
        (#"{}"#, JSONError.Reason.missingMember("productId"), "/productId", 0),
        (#"{"productId":"1"}"#, .wrongKind(.string, expected: "a whole number"), "/productId", 13),
        (#"{"productId":1.5}"#, .numberOutOfRange(type: "a whole number of 64 bits"), "/productId", 13),
        (#"{"productId":1,"quantity":0}"#, .refused("must be from 1 to 999"), "/quantity", 0),
        (#"{"productId":1,"a/b":0}"#, .unknownMember("a/b"), "/a~1b", 15),
        (#"{"a":[1],"productId":1}"#, .unknownMember("a"), "/a", 1),
        (#"{"productId":1,"productId":2}"#, .duplicateMember("productId"), "/productId", 15),
        (#"{"quantity":1,"productId":1,"quantity":1}"#, .duplicateMember("quantity"), "/quantity", 28),
        (#"{"productId":1,"currency":"gbp"}"#, .refused("must be one of usd, eur"), "/currency", 26),
        (#"{"productId":true,}"#, .unexpected(0x7D, expected: "a member's name in quotation marks"), "", 18),
        (#"{"productId":1,"quantity":1"#, .unexpectedEnd, "", 27),
        (#"{"productId":1} x"#, .unexpected(0x78, expected: "the end"), "", 16),
        (#"[1]"#, .wrongKind(.array, expected: "an object"), "", 0),
        (#"{"productId":1,"price":1e999}"#, .numberNotExact, "/price", 23),
    ])
    func `a refusal points to the faulty value`(
        _ document: String, _ reason: JSONError.Reason, _ pointer: String, _ offset: Int
    ) {
        let error = #expect(throws: JSONError.self) { try AddInput(parsing: Array(document.utf8)) }
        #expect(error?.reason == reason)
        #expect(error?.pointer.description == pointer)
        #expect(error?.offset == offset)
    }

    @Test func `a pointer passes through arrays and objects, with its escapes`() {
        let document = #"{"x":[1,2],"a/b~c":[[],[{"":[1,"2"]}]]}"#
        let error = #expect(throws: JSONError.self) { try NestedObject(parsing: Array(document.utf8)) }
        #expect(error?.pointer.description == "/a~1b~0c/1/0//1")
        #expect(error?.description == "expected a whole number, found a string (byte 31 in /a~1b~0c/1/0//1)")
    }

    @Test func `an external object may have unknown members, but no duplicate name`() throws {
        let value = try ExternalObject(
            parsing: Array(#"{"x":[1,{"y":2}],"name":"n","z":null,"id":5,"more":1e999}"#.utf8))
        #expect(value.id == 5)
        #expect(value.name == "n")
        #expect(throws: JSONError.self) { try ExternalObject(parsing: Array(#"{"id":5,"name":"n","id":6}"#.utf8)) }
        #expect(
            try [ExternalObject](parsing: Array(#"[{"id":1,"name":""},{"name":"b","id":2,"c":3}]"#.utf8)).map(\.id) == [
                1, 2,
            ])
    }

    @Test func `members with unknown names are read one after another`() throws {
        #expect(try NameList(parsing: Array(#"{"b":1,"a":{},"c":[1]}"#.utf8)).names == ["b", "a", "c"])
        #expect(throws: JSONError.self) { try NameList(parsing: Array(#"{"b":1,"\u0062":{}}"#.utf8)) }
        #expect(throws: JSONError.self) { try [String: Int](parsing: Array(#"{"b":1,"b":2}"#.utf8)) }
        #expect(try [String: Int](parsing: Array(#"{"b":1,"a":2}"#.utf8)) == ["a": 2, "b": 1])
    }

    @Test func `numbers are read as the requested type`() throws {
        #expect(try UInt64(parsing: Array("18446744073709551615".utf8)) == .max)
        #expect(try Int64(parsing: Array("-9223372036854775808".utf8)) == .min)
        #expect(try Int(parsing: Array("1e2".utf8)) == 100)
        #expect(try Double(parsing: Array("3.14159265358979323846264338".utf8)) == .pi)
        #expect(try Double(parsing: Array("0.1".utf8)) == 0.1)
        for (text, document) in [("UInt64", "-1"), ("UInt64", "18446744073709551616"), ("UInt64", "1.5")] {
            #expect(throws: JSONError.self, "\(text)") { try UInt64(parsing: Array(document.utf8)) }
        }
        #expect(throws: JSONError.self) { try Int64(parsing: Array("9223372036854775808".utf8)) }
        #expect(throws: JSONError.self) { try Double(parsing: Array("1e400".utf8)) }
    }

    @Test func `a closure reads a document without a type, with the same errors`() throws {
        let document = Array(#"{"b":[1,2],"\u0061":"x"}"#.utf8)
        let (text, sum) = try JSONReader.read(document.span) { reader throws(JSONError) in
            var fields = try reader.fields()
            let text = try fields.required("a", as: String.self)
            let sum = try fields.required("b", as: [Int].self).reduce(0, +)
            try reader.end(fields)
            return (text, sum)
        }
        #expect(text == "x")
        #expect(sum == 3)
        let error = #expect(throws: JSONError.self) {
            try JSONReader.read(document.span) { reader throws(JSONError) in
                var fields = try reader.fields()
                _ = try fields.required("b", as: [String].self)
                try reader.end(fields)
            }
        }
        #expect(error?.pointer.description == "/b/0")
    }

    @Test func `null is nil for an optional type, and refused otherwise`() throws {
        #expect(try Int?(parsing: Array("null".utf8)) == nil)
        #expect(try [Int?](parsing: Array("[1,null]".utf8)) == [1, nil])
        #expect(throws: JSONError.self) { try Int(parsing: Array("null".utf8)) }
        #expect(throws: JSONError.self) { try Int?(parsing: Array("nul".utf8)) }
        #expect(try Bool(parsing: Array("true".utf8)))
    }
}

private struct NestedObject: JSONReadable {
    init(from reader: inout JSONReader) throws(JSONError) {
        var fields = try reader.fields()
        _ = try fields.required("a/b~c", as: [[[String: [Int]]]].self)
        _ = try fields.required("x", as: [Int].self)
        try reader.end(fields)
    }
}

private struct NameList: JSONReadable {
    var names: [String] = []

    init(from reader: inout JSONReader) throws(JSONError) {
        var found: [String] = []
        try reader.members { name, reader throws(JSONError) in
            found.append(name)
            try reader.skip()
        }
        names = found
    }
}
