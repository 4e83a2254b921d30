import JSON

/// Parses bytes as JSON in all three ways. All ways must accept the same bytes. An accepted value must survive writing and
/// parsing, and be written the same twice.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let value: JSON
    do {
        value = try JSON(parsing: bytes)
    } catch {
        precondition(0...count ~= error.offset, "an error points outside: \(error)")
        return 0
    }
    do {
        _ = try Passed(parsing: bytes)
        let written = try value.json()
        let again = try JSON(parsing: written)
        precondition(again == value, "another value came back from \(value)")
        precondition(again.hashValue == value.hashValue, "equal values with different hashes: \(value)")
        let second = try again.json()
        precondition(second == written, "written differently: \(value)")
    } catch {
        preconditionFailure("\(error) on the way back from \(value)")
    }
    return 0
}

/// A skipped value.
private struct Passed: JSONReadable {
    init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }
}
