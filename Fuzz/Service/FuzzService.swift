import ServiceInProcess

/// Sends bytes to a new service as a connection: raw, or as the decisions of a request generator. Each whole request must
/// get one valid answer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzService(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let kind = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    do {
        var parts = [rest]
        if kind & 1 == 0 {
            var entropy = Entropy(bytes: rest[...])
            parts = try ServiceInProcess.generator().connection(&entropy)
        } else if kind & 2 == 2, rest.count > 1 {
            // The second part is sent one turn later.
            let place = Int(kind) % rest.count
            parts = [Array(rest[..<place]), Array(rest[place...])]
        }
        let service = try ServiceInProcess(
            tokenFile: kind & 4 == 4 ? tokens : nil, origins: kind & 8 == 8 ? ["https://example.org"] : [],
            rate: kind & 16 == 16 ? 2 : nil,
            arguments: ["--mcp"] + (kind & 32 == 32 ? try issuer.get().arguments("true => act, ma*") : []))
        _ = try AnswerCheck(try service.answer(to: parts), to: parts.flatMap { $0 })
    } catch {
        preconditionFailure("\(error)")
    }
    return 0
}

/// An issuer of JSON Web Tokens. One input is run after the other.
nonisolated(unsafe) private let issuer = Result { try TokenIssuer() }

/// The token `secret`, for some spaces.
private let tokens = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b read,act,admin ma*,a"
