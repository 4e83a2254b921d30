extension JSONPatch {
    /// The maximum number of values that copies, and moves to a deeper place, may touch in one patch. A patch of n copies
    /// could otherwise make a document of 2ⁿ values.
    package static let copyLimit = 1_000_000

    /// Returns the result of the operations on `document`, which may nest up to `depth` levels (at most 512). A fault
    /// leaves nothing changed (RFC 6902 §5).
    package func applied(to document: JSON, depth: Int = JSONReader.depthLimit) throws(JSONPatchFault) -> JSON {
        var application = JSONPatchApplication(
            document: document, depthLimit: min(depth, JSONReader.greatestDepthLimit))
        for (position, operation) in operations.enumerated() {
            do throws(JSONPatchFault) {
                try application.apply(operation)
            } catch {
                var fault = error
                fault.operation = position
                throw fault
            }
        }
        return application.document
    }
}

/// A document under the operations of a patch.
struct JSONPatchApplication {
    var document: JSON
    let depthLimit: Int
    private var remainingCopies = JSONPatch.copyLimit

    init(document: JSON, depthLimit: Int) {
        self.document = document
        self.depthLimit = depthLimit
    }

    mutating func apply(_ operation: JSONPatch.Operation) throws(JSONPatchFault) {
        switch operation {
        case .add(let path, let value):
            try checkDepth(of: value, at: path)
            try document.add(value, at: path)
        case .remove(let path): _ = try document.remove(at: path)
        case .replace(let path, let value):
            try checkDepth(of: value, at: path)
            try document.replace(at: path, with: value)
        case .move(let source, let path): try move(from: source, to: path)
        case .copy(let source, let path):
            let value = try document.value(at: source)
            try count(value, at: path)
            try document.add(value, at: path)
        case .test(let path, let value):
            guard try document.value(at: path) == value else { throw JSONPatchFault(reason: .testFailed, path: path) }
        }
    }

    private mutating func move(from source: JSONPointer, to path: JSONPointer) throws(JSONPatchFault) {
        let isPrefix =
            source.tokens.count <= path.tokens.count
            && zip(source.tokens, path.tokens).allSatisfy { CodeUnits($0) == CodeUnits($1) }
        guard !isPrefix else {
            guard source.tokens.count == path.tokens.count else {
                throw JSONPatchFault(reason: .intoOwnChild, path: path)
            }
            // A value moves to its own place: nothing changes, but it must exist.
            _ = try document.value(at: source)
            return
        }
        let value = try document.remove(at: source)
        if path.tokens.count > source.tokens.count { try count(value, at: path) }
        try document.add(value, at: path)
    }

    private func checkDepth(of value: JSON, at path: JSONPointer) throws(JSONPatchFault) {
        guard !value.isDeeper(than: depthLimit - path.tokens.count) else {
            throw JSONPatchFault(reason: .tooDeep(limit: depthLimit), path: path)
        }
    }

    /// Takes the values of a tree from the remaining copies, and checks the depth of its new place.
    private mutating func count(_ value: JSON, at path: JSONPointer) throws(JSONPatchFault) {
        func visit(_ value: JSON, _ depth: Int, _ remaining: inout Int) throws(JSONPatchFault) {
            remaining -= 1
            guard remaining >= 0 else {
                throw JSONPatchFault(reason: .tooLarge(limit: JSONPatch.copyLimit), path: path)
            }
            switch value {
            case .array(let elements):
                guard depth < depthLimit else { throw JSONPatchFault(reason: .tooDeep(limit: depthLimit), path: path) }
                for element in elements { try visit(element, depth + 1, &remaining) }
            case .object(let object):
                guard depth < depthLimit else { throw JSONPatchFault(reason: .tooDeep(limit: depthLimit), path: path) }
                for member in object { try visit(member.value, depth + 1, &remaining) }
            default: break
            }
        }
        try visit(value, path.tokens.count, &remainingCopies)
    }
}
