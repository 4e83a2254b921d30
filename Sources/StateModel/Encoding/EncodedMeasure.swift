import Reactive

/// What the tree of an encoded list adds up: the size and the hash of the rows.
struct EncodedMeasure: ListMeasure, Sendable {
    /// The sum of some rows.
    struct Sum: Sendable {
        /// The number of bytes of the rows, with a comma before each.
        var size = 0
        /// The rows' residues as digits of a number whose base is the point of the hash.
        var hash = Residue.zero
        /// The point to the power of the number of rows.
        fileprivate var power = Residue.one
    }

    /// The point at which the hash is evaluated.
    let point: Residue

    func sum(of rows: [EncodedRow]) -> Sum {
        var sum = Sum()
        // By index, because iteration would retain the bytes of each row.
        for index in rows.indices {
            sum.size += rows[index].bytes.count + 1
            sum.hash = sum.hash * point + rows[index].residue
            sum.power = sum.power * point
        }
        return sum
    }

    func add(_ next: Sum, to sum: inout Sum) {
        sum.size += next.size
        sum.hash = sum.hash * next.power + next.hash
        sum.power = sum.power * next.power
    }

    func makeNote() -> AnyObject? { EncodedLeaf() }
}
