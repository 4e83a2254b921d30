import StateStore

struct Car: Record {
    var plate = ""

    static let shape = Shape(Car()) {
        // snippet
    }
}
