/// The suggestion for a misspelt name.
package enum Spelling {
    /// Returns the candidate with the fewest edits (a letter more, less, changed, or two exchanged); the first of
    /// several. Nil if each needs more than a third of the name's letters.
    package static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        let letters = Array(name.unicodeScalars)
        guard 2...64 ~= letters.count else { return nil }
        var best: (name: String, edits: Int)?
        for candidate in candidates where candidate.unicodeScalars.count <= 64 {
            let edits = edits(letters, Array(candidate.unicodeScalars))
            if edits <= max(1, letters.count / 3), edits < best?.edits ?? .max { best = (candidate, edits) }
        }
        return best?.name
    }

    /// The number of edits that make one text of another: the optimal string alignment distance.
    private static func edits(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            for j in right.indices {
                var least = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, before[j - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}
