import JSON

/// A place in a document, with the facts about it that reading needs.
struct DocumentPlace {
    var pointer: JSONPointer
    /// True if expressions see the value that their source runs for, as `outer`.
    var seesOuter = false
    /// The number of sources around the place.
    var depth = 0

    func appending(_ token: String) -> DocumentPlace {
        var place = self
        place.pointer = pointer.appending(token)
        return place
    }

    func appending(_ position: Int) -> DocumentPlace { appending(String(position)) }
}
