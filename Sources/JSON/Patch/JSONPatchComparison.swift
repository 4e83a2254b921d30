extension JSONPatch {
    /// Creates a small patch that turns `old` into `new`.
    ///
    /// Objects are compared member by member. Elements of arrays are matched by their member `id` or `key`, or else by
    /// equality, so one inserted, removed, moved or changed element needs a constant number of operations. If the
    /// operations below a value would be larger than the value, the patch replaces the value.
    ///
    /// Complexity: O(size × depth) for the values, and O(k log k) for k elements between the first and the last change of
    /// an array. The patch is not the smallest possible one.
    package init(from old: JSON, to new: JSON) {
        var comparison = JSONPatchComparison()
        comparison.compare(old, new)
        operations = comparison.operations
    }
}

/// A walk through two values that collects the operations between them.
struct JSONPatchComparison {
    private(set) var operations: [JSONPatch.Operation] = []
    /// The approximate number of bytes of the operations when written.
    private var size = 0
    private var path = JSONPointer()
    private var pathSize = 0

    mutating func compare(_ old: JSON, _ new: JSON) {
        let (count, sizeBefore) = (operations.count, size)
        switch (old, new) {
        case (.object(let old), .object(let new)): compare(old, new)
        case (.array(let old), .array(let new)): compare(old, new)
        default:
            if old != new { replace(with: new) }
            return
        }
        // One operation is kept as it is; more must be smaller than the replacement of the value.
        let added = size - sizeBefore
        guard operations.count > count + 1, !new.isLarger(than: added - pathSize - Self.replaceSize) else { return }
        operations.removeLast(operations.count - count)
        size = sizeBefore
        replace(with: new)
    }

    private mutating func compare(_ old: JSON.Object, _ new: JSON.Object) {
        for member in old where new.position(of: member.key) == nil {
            within(member.key) { $0.append(.remove($0.path), Self.removeSize + $0.pathSize) }
        }
        for member in new {
            within(member.key) { comparison in
                if let value = old[member.key] {
                    comparison.compare(value, member.value)
                } else {
                    comparison.add(member.value)
                }
            }
        }
    }

    private mutating func compare(_ old: [JSON], _ new: [JSON]) {
        let common = min(old.count, new.count)
        let start = (0..<common).first { old[$0] != new[$0] } ?? common
        guard start < max(old.count, new.count) else { return }
        let rest = common - start
        let end = (0..<rest).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? rest
        let alignment = ArrayAlignment(old[start..<(old.count - end)], new[start..<(new.count - end)])
        for step in alignment.steps {
            switch step {
            case .remove(let index):
                within(String(index)) { $0.append(.remove($0.path), Self.removeSize + $0.pathSize) }
            case .insert(let position, let index):
                within(String(index)) { $0.add(new[position]) }
            case .move(let source, let target):
                let source = path.appending(String(source))
                within(String(target)) { $0.append(.move(from: source, to: $0.path), Self.moveSize + 2 * $0.pathSize) }
            case .compare(let oldPosition, let newPosition):
                within(String(newPosition)) { $0.compare(old[oldPosition], new[newPosition]) }
            }
        }
    }

    private mutating func add(_ value: JSON) {
        append(.add(path, value), Self.addSize + pathSize + value.approximateSize)
    }

    private mutating func replace(with value: JSON) {
        append(.replace(path, value), Self.replaceSize + pathSize + value.approximateSize)
    }

    private mutating func append(_ operation: JSONPatch.Operation, _ size: Int) {
        operations.append(operation)
        self.size += size
    }

    /// Runs `body` with the path one token longer.
    private mutating func within(_ token: String, _ body: (inout Self) -> Void) {
        path.tokens.append(token)
        pathSize += token.utf8.count + 1
        body(&self)
        path.tokens.removeLast()
        pathSize -= token.utf8.count + 1
    }

    /// The bytes of each operation without its paths and value.
    private static let addSize = #"{"op":"add","path":"","value":},"#.utf8.count
    private static let removeSize = #"{"op":"remove","path":""},"#.utf8.count
    private static let replaceSize = #"{"op":"replace","path":"","value":},"#.utf8.count
    private static let moveSize = #"{"op":"move","from":"","path":""},"#.utf8.count
}
