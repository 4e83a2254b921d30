/// Something that makes values of a form they were kept or sent in.
public protocol ValueDecoder {
    /// The form.
    associatedtype Input
    /// The value that `input` is a form of.
    func decode<Output: Decodable>(_ type: Output.Type, from input: Input) throws -> Output
}

extension Observable {
    /// Each value decoded; one that cannot be fails the observable.
    @inlinable
    public func decode<Output: Decodable, Decoder: ValueDecoder>(
        _ type: Output.Type, by decoder: Decoder
    ) -> Observable<Output> where Decoder.Input == Value {
        map { try decoder.decode(type, from: $0) }
    }
}
