import JSON
import StateStore
import Testing

struct UnionTests {
    enum Payment: Union {
        case cash
        case card(Card)
        case transfer(Transfer)
        case refund(Transfer)

        static let kinds = UnionKinds(
            .plain("cash", Payment.cash), .record("card", Payment.card), .record("transfer", Payment.transfer),
            .record("refund", Payment.refund))
    }

    struct Card: Record {
        var number = ""
        var holder: String?

        static let shape = Shape(Card()) { $0.required(\.number, .matching("^[0-9]{4}$"), private: true) }
    }

    struct Transfer: Record { var account = "" }

    struct Order: Record {
        var payment = Payment.cash
        var former: Payment?
    }

    @Test(arguments: [
        (#"{"payment":{"kind":"cash"},"former":null}"#, Order()),
        (
            #"{"payment":{"kind":"card","number":"4711","holder":"Ada"},"former":{"kind":"cash"}}"#,
            Order(payment: .card(Card(number: "4711", holder: "Ada")), former: .cash)
        ),
        (
            #"{"payment":{"kind":"transfer","account":"a"},"former":null}"#,
            Order(payment: .transfer(Transfer(account: "a")))
        ),
        (
            #"{"payment":{"kind":"refund","account":"a"},"former":null}"#,
            Order(payment: .refund(Transfer(account: "a")))
        ),
    ])
    func `a union is an object whose member says the kind`(_ text: String, _ order: Order) throws {
        #expect(try Order(parsing: Array(text.utf8)) == order)
        #expect(String(decoding: try order.json(), as: UTF8.self) == text)
    }

    @Test(arguments: [
        (#"{"payment":{"number":"4711"}}"#, "/payment/kind", "the member \"kind\" is missing"),
        (#"{"payment":{"kind":"gold"}}"#, "/payment/kind", "the value must be one of cash, card, transfer, refund"),
        (
            #"{"payment":{"kind":"card","number":"x"}}"#, "/payment/number",
            "the value must match the pattern ^[0-9]{4}$"
        ),
        (#"{"payment":{"kind":"card"}}"#, "/payment/number", "the member \"number\" is missing"),
        (#"{"payment":{"kind":"cash","number":"1"}}"#, "/payment", "the member \"number\" is unknown"),
        (#"{"payment":"cash"}"#, "/payment", "the value must be an object with the member \"kind\""),
    ])
    func `a value of no kind is refused with its place`(_ text: String, _ pointer: String, _ reason: String) {
        do {
            _ = try Order(parsing: Array(text.utf8))
            Issue.record("it is taken")
        } catch {
            #expect("\(error.pointer)" == pointer && "\(error.reason)" == reason)
        }
    }

    @Test func `the schema has a branch for each kind`() {
        let schema = Payment.schema
        #expect(schema["discriminator"] == ["propertyName": "kind"])
        guard case .array(let branches)? = schema["oneOf"] else {
            Issue.record("\(schema)")
            return
        }
        #expect(branches.count == 4 && branches[0]["properties"] == ["kind": ["type": "string", "const": "cash"]])
        #expect(branches[1]["required"] == ["kind", "number"])
        #expect(branches[1]["properties"]?["number"]?["private"] == true)
    }
}
