import JSON

/// Reads the bytes up to the first zero as a document, those up to the second as a patch, and the rest as another
/// document. The patch applies or is refused with the position of an operation. The patch between the documents turns
/// one into the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONPatch(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = Array(UnsafeBufferPointer(start: start, count: count)).split(
        separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, let document = try? JSON(parsing: Array(parts[0])) else { return 0 }
    if let patch = try? JSONPatch(parsing: Array(parts[1])) {
        do throws(JSONPatchFault) {
            let result = try patch.applied(to: document)
            precondition(!result.isDeeper(than: JSONReader.depthLimit), "too deep: \(result)")
            check(document, result)
        } catch {
            precondition(
                patch.operations.indices ~= error.operation && !error.description.isEmpty, "a fault points outside")
        }
    }
    if parts.count > 2, let other = try? JSON(parsing: Array(parts[2])) { check(document, other) }
    return 0
}

private func check(_ old: JSON, _ new: JSON) {
    let patch = JSONPatch(from: old, to: new)
    var builder = JSONPatch.Builder()
    builder.append(patch)
    do {
        let written = try patch.json()
        precondition(written == builder.bytes, "written differently: \(patch)")
        let result = try JSONPatch(parsing: written).applied(to: old)
        precondition(result == new, "\(old) became \(result), not \(new)")
    } catch {
        // A value that nests to the limit can be read alone, but not inside a patch.
        precondition(new.isDeeper(than: JSONReader.depthLimit - 3), "\(error) between \(old) and \(new)")
    }
}
