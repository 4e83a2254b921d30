import JSON

/// Reads bytes as JSON, in all three ways. What is accepted must be accepted by each of them, come back the same when it is written and read
/// again, and be written the same twice.
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

/// A value of any kind that nobody looks at.
private struct Passed: JSONReadable {
    init(from reader: inout JSONReader) throws(JSONError) { try reader.skip() }
}
