import JSON
import Reactive
import StateStore
import Testing

struct DerivedShapeTests {
    /// A record without a shape, with properties of many sizes and alignments.
    struct Lot: Record {
        var isOpen = true
        var id = ""
        var small: Size = .small
        var price: Money = 0
        var bidder: String?
        var bids = 7
        var endsAt = Timestamp(seconds: 0)
        var share: Decimal = 0
        var tags: [String] = []
        var counts: [String: Int] = [:]
        var place = Place()
        var before: Place?
        var other: JSON = .null
        var isLast = false
    }

    struct Place: Record {
        var row = 0
        var isCovered: Bool?
    }

    enum Size: String, Choice { case small, large }

    private let text = #"""
        {"isOpen":false,"id":"a","small":"large","price":12.5,"bidder":"ada","bids":3,"endsAt":"2026-11-21T22:00:00.000000Z","share":0.19,"tags":["x","y"],"counts":{"a":1},"place":{"row":2,"isCovered":true},"before":null,"other":[1],"isLast":true}
        """#

    @Test func `a record without a shape has its stored properties as fields`() throws {
        let lot = try Lot(parsing: Array(text.utf8))
        #expect(lot.price == Money(cents: 1_250) && lot.place == Place(row: 2, isCovered: true) && lot.isLast)
        #expect(lot.small == .large && lot.bidder == "ada" && lot.other == [1])
        #expect(String(decoding: try lot.json(), as: UTF8.self) == text)
        #expect(try lot.tree() == JSON(parsing: Array(text.utf8)))
        #expect(Lot.shape === Lot.shape)
    }

    @Test func `an optional property may be missing, every other one is required`() throws {
        #expect(Place.schema["required"] == ["row"])
        #expect(try Place(parsing: Array(#"{"row": 1}"#.utf8)) == Place(row: 1))
        #expect(throws: JSONError.self) { try Place(parsing: Array(#"{"isCovered": true}"#.utf8)) }
        #expect(throws: JSONError.self) { try Place(parsing: Array(#"{"row": 1, "colour": "red"}"#.utf8)) }
        let required: JSON = [
            "isOpen", "id", "small", "price", "bids", "endsAt", "share", "tags", "counts", "place", "other", "isLast",
        ]
        #expect(Lot.schema["required"] == required)
        #expect(Lot.schema["properties"]?["small"]?["enum"] == ["small", "large"])
    }

    /// A shape that says what the properties do not.
    struct Addition: Record {
        var productId = 0
        var quantity = 1
        var note: String?
        var draft = ""

        static let shape = Shape(Addition()) {
            $0.optional(\.quantity, .from(1...999))
            $0.required("product", \.productId, .from(1...))
            $0.leaveOut(\.draft)
        }
    }

    @Test func `a shape names the properties that it constrains, and the others follow in the order of declaration`()
        throws
    {
        let addition = try Addition(parsing: Array(#"{"product": 5}"#.utf8))
        #expect(addition == Addition(productId: 5))
        #expect(String(decoding: try addition.json(), as: UTF8.self) == #"{"product":5,"quantity":1,"note":null}"#)
        for text in [#"{"product": 0}"#, #"{"product": 1, "quantity": 1000}"#, #"{"product": 1, "draft": "x"}"#] {
            #expect(throws: JSONError.self) { try Addition(parsing: Array(text.utf8)) }
        }
    }

    /// A record as authors wrote it before: all names by hand, in an order of its own.
    struct ByHand: Record {
        var one = 1
        var two = "b"

        static let shape = Shape(ByHand()) {
            $0.optional("second", \.two)
            $0.optional("first", \.one)
        }
    }

    @Test func `a shape by hand keeps its names and its order`() throws {
        #expect(String(decoding: try ByHand().json(), as: UTF8.self) == #"{"second":"b","first":1}"#)
    }

    struct Opaque: Equatable, Sendable { var hidden = 0 }

    struct WithOpaque: Record {
        var name = ""
        var opaque = Opaque()
    }

    @Test func `a record with a property that is no JSON stops the program when it is written`() async {
        #expect(throws: JSONError.self) { try WithOpaque(parsing: Array(#"{"name": "a"}"#.utf8)) }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try? WithOpaque().json()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("WithOpaque.opaque is a Opaque, which is no JSON and has no schema"))
    }

    @Test func `threads that ask for a shape at the same time get the same one`() async {
        struct Fresh: Record {
            var value = 0
            var inner = Inner()

            struct Inner: Record { var text = "" }
        }
        let shapes = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<50 { group.addTask { ObjectIdentifier(Fresh.shape) } }
            return await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
        }
        #expect(shapes.count == 1)
    }
}
