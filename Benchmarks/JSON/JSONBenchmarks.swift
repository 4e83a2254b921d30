import JSON

/// An order as a view writes it: about 200 bytes, with every kind of value.
struct BenchmarkOrder: JSONConvertible {
    let id: Int
    let name: String
    let note: String
    let price: Decimal
    let quantity: Int
    let isGift: Bool
    let tags: [String]
    let customer: Customer

    struct Customer: JSONConvertible {
        let id: Int
        let name: String

        init(from reader: inout JSONReader) throws(JSONError) {
            var fields = try reader.fields()
            id = try fields.required("id")
            name = try fields.required("name")
            try reader.end(fields)
        }

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("id", id)
                writer.field("name", name)
            }
        }
    }

    init(from reader: inout JSONReader) throws(JSONError) {
        var fields = try reader.fields()
        id = try fields.required("id")
        name = try fields.required("name")
        note = try fields.required("note")
        price = try fields.required("price")
        quantity = try fields.required("quantity")
        isGift = try fields.required("isGift")
        tags = try fields.required("tags")
        customer = try fields.required("customer")
        try reader.end(fields)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("id", id)
            writer.field("name", name)
            writer.field("note", note)
            writer.field("price", price)
            writer.field("quantity", quantity)
            writer.field("isGift", isGift)
            writer.field("tags", tags)
            writer.field("customer", customer)
        }
    }

    static let document =
        #"{"id":123456,"name":"Sky Casual guitar","note":"Koa body and Birdseye Maple fretboard, as agreed","#
        + #""price":2350.5,"quantity":3,"isGift":true,"tags":["guitar","casual"],"customer":{"id":42,"name":"Ada Lovelace"}}"#

    /// The same members in reverse order, so that no member arrives in the order of the requests.
    static let reversed =
        #"{"customer":{"name":"Ada Lovelace","id":42},"tags":["guitar","casual"],"isGift":true,"quantity":3,"#
        + #""price":2350.5,"note":"Koa body and Birdseye Maple fretboard, as agreed","name":"Sky Casual guitar","id":123456}"#
}

/// Returns the times in nanoseconds to read and write an object of 200 bytes, by operation.
func jsonBenchmarks() throws(JSONError) -> [(name: String, nanoseconds: Double)] {
    let bytes = Array(BenchmarkOrder.document.utf8)
    let reversed = Array(BenchmarkOrder.reversed.utf8)
    let order = try BenchmarkOrder(parsing: bytes)
    let tree = try JSON(parsing: bytes)
    var writer = JSONWriter()
    func write(_ value: some JSONWritable) -> Int {
        writer.reset()
        value.write(to: &writer)
        return writer.bytes.count
    }
    return [
        ("JSON typed read", try nanoseconds { () throws(JSONError) in try BenchmarkOrder(parsing: bytes).id }),
        (
            "JSON typed read, members reversed",
            try nanoseconds { () throws(JSONError) in try BenchmarkOrder(parsing: reversed).id }
        ),
        ("JSON typed write, buffer kept", try nanoseconds { () throws(JSONError) in write(order) }),
        ("JSON typed write, new buffer", try nanoseconds { () throws(JSONError) in try order.json().count }),
        (
            "JSON tree read",
            try nanoseconds { () throws(JSONError) in try JSON(parsing: bytes).kind == .object ? 1 : 0 }
        ),
        ("JSON tree write", try nanoseconds { () throws(JSONError) in write(tree) }),
    ]
}

/// Returns the median time per call over seven runs.
private func nanoseconds(_ body: () throws(JSONError) -> Int) throws(JSONError) -> Double {
    let calls = 100_000
    var runs: [Double] = []
    var sum = 0
    for _ in 0..<7 {
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<calls { sum &+= try body() }
        let taken = clock.now - start
        runs.append(
            (Double(taken.components.seconds) * 1e9 + Double(taken.components.attoseconds) / 1e9) / Double(calls))
    }
    // The use of the sum keeps the compiler from removing the work.
    precondition(sum != 1)
    return runs.sorted()[3]
}
