/// The parameter `limit`: the greatest number of rows of a page.
enum PageLimit {
    /// Returns the limit that a request names, or `standard`; answers 422 and returns nil if it is not in `range`.
    static func read(_ route: Route, in range: ClosedRange<Int>, standard: Int, _ responder: Responder) -> Int? {
        guard let text = route["limit"] else { return standard }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), range.contains(number) else {
            responder.answer(
                Problem(.invalid, "limit must be a number from \(range.lowerBound) to \(range.upperBound)"))
            return nil
        }
        return number
    }
}
