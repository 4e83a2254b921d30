import HTTP

/// Parses bytes as requests twice: at once, and in slices whose lengths are the first bytes. Both must give the same
/// requests and the same refusal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let sliceCount = input.first.map({ Int($0 & 15) }), input.count > sliceCount else { return 0 }
    let slices = input[1..<1 + sliceCount].map { Int($0) }
    let bytes = Array(input[(1 + sliceCount)...])
    let whole = ParsedRequests(bytes, slices: [])
    let sliced = ParsedRequests(bytes, slices: slices)
    precondition(
        whole.requests == sliced.requests, "other requests in slices: \(whole.requests) and \(sliced.requests)")
    // A message that is both malformed and too large is refused for the fault that is seen first.
    precondition(
        (whole.status == nil) == (sliced.status == nil),
        "another refusal in slices: \(String(describing: whole.status)) and \(String(describing: sliced.status))")
    return 0
}

/// The result of parsing: the end and the body of each request, and the status of the refusal that ended it.
private struct ParsedRequests {
    struct Request: Hashable {
        let end: Int
        let body: [UInt8]
        let fields: Int
    }

    private(set) var requests: [Request] = []
    private(set) var status: Status?

    init(_ bytes: [UInt8], slices: [Int]) {
        var limits = ServerLimits()
        limits.requestLineBytes = 256
        limits.headerBytes = 512
        limits.fieldCount = 8
        limits.bodyBytes = 256
        let head = RequestHead(limits)
        var began = 0
        var there = 0
        var seen = 0
        var chunks: (decoder: ChunkDecoder, position: Int, body: [UInt8])?
        do throws(MessageFault) {
            for length in slices + [bytes.count] {
                there = min(bytes.count, there + length)
                while began < there {
                    let rest = bytes.span.extracting(began..<there)
                    guard try head.read(rest, seen: &seen) else { break }
                    var end = head.length
                    var body: [UInt8] = []
                    switch head.framing {
                    case .none: break
                    case .length(let count): end += count
                    case .chunks:
                        var (decoder, position, soFar) = chunks ?? (ChunkDecoder(), head.length, [])
                        let isWhole = try decoder.decode(rest, &position, into: &soFar, limits)
                        chunks = isWhole ? nil : (decoder, position, soFar)
                        end = isWhole ? position : Int.max
                        body = soFar
                    }
                    guard end <= rest.count else { break }
                    precondition(body.count <= limits.bodyBytes, "a body beyond the limit")
                    requests.append(Request(end: began + end, body: body, fields: end - head.length))
                    began += end
                    seen = 0
                }
            }
        } catch {
            precondition((400...599).contains(error.status.code), "no status of a refusal: \(error.status.code)")
            status = error.status
        }
    }
}
